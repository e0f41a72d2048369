package dev.tigris.cluster.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.Reach;
import dev.tigris.flow.PeerLostException;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The process of a member that is killed while the others are in a collective call. It has a
/// member of several groups, one for each call, so that one process is killed for all calls.
@Slow("starts a JVM for each provider")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LostMemberTest {
  private static final List<String> CALLS = CollectiveCalls.ALL;

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp"})
  void aMemberThatIsKilledEndsAllWithItsNameWhateverTheyCall(String provider) throws Exception {
    try (Fabric fabric = Fabric.open(provider);
        Child child = Jvm.of(LostMember.class).quick().command(provider).errorsApart().start();
        ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Exchange> exchanges = LostMember.exchanges(fabric);
      try {
        List<Reach> theirs = new ArrayList<>();
        for (Exchange exchange : exchanges) {
          child.say(exchange.reach().toString());
          theirs.add(Reach.of(Objects.requireNonNull(child.nextLine(), child::printed)));
        }
        List<List<Future<?>>> all = new ArrayList<>();
        for (int i = 0; i < CALLS.size(); i++) {
          String call = CALLS.get(i);
          Reach own = exchanges.get(i).reach();
          GroupThreads group = new GroupThreads(exchanges.get(i), List.of(own, theirs.get(i), own));
          all.add(
              List.of(
                  threads.submit(() -> member(group, 0, call)),
                  threads.submit(() -> member(group, 2, call))));
        }
        for (String _ : CALLS) {
          Child _ = child.expectLine(LostMember.LEFT);
        }
        child.kill();
        for (int i = 0; i < CALLS.size(); i++) {
          for (Future<?> member : all.get(i)) {
            requireLost(CALLS.get(i), member);
          }
        }
      } finally {
        exchanges.forEach(Exchange::close);
      }
    }
  }

  private static Void member(GroupThreads group, int rank, String call) throws Exception {
    group.member(rank, null, its -> CollectiveCalls.repeat(its, call));
    return null;
  }

  private static void requireLost(String call, Future<?> member) {
    Throwable failure = assertThrows(ExecutionException.class, member::get, call).getCause();
    assertEquals(GroupException.class, failure.getClass(), () -> call + ": " + failure);
    assertInstanceOf(PeerLostException.class, failure.getCause(), call);
    assertTrue(
        failure.getMessage().contains("member 1 of the group is lost"),
        () -> call + ": " + failure.getMessage());
  }
}
