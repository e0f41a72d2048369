package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Both ends of many connections are virtual threads, which have one carrier: who waits for another
/// one must let it run.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FewCarriersTest {
  private static final int PAIRS = 20;
  private static final int ROUND_TRIPS = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Connects pairs of threads, all at once, and says how many had a conversation.
  static final class Pairs {
    private final Fabric fabric;
    private final Listener listener;

    private Pairs(Fabric fabric, Listener listener) {
      this.fabric = fabric;
      this.listener = listener;
    }

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0]);
          Listener listener = fabric.listen("127.0.0.1:0")) {
        System.out.println(new Pairs(fabric, listener).talk());
      }
    }

    private String talk() throws Exception {
      List<Future<?>> ends = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < PAIRS; i++) {
          ends.add(threads.submit(this::ask));
        }
        for (int i = 0; i < PAIRS; i++) {
          ConnectionRequest request = listener.next(PATIENCE);
          ends.add(threads.submit(() -> answer(request)));
        }
      }
      for (Future<?> each : ends) {
        Object _ = each.get();
      }
      return PAIRS + " pairs";
    }

    private void ask() {
      try (CompletionQueue queue = fabric.completionQueue();
          VirtualInterface peer =
              fabric.connect(listener.address(), 1, queue, Attributes.DEFAULT, PATIENCE).get()) {
        converse(queue, peer, true);
      }
    }

    private void answer(ConnectionRequest request) {
      try (CompletionQueue queue = fabric.completionQueue();
          VirtualInterface peer = request.accept(queue, Attributes.DEFAULT)) {
        converse(queue, peer, false);
      }
    }

    /// Sends and receives by turns.
    private static void converse(CompletionQueue queue, VirtualInterface peer, boolean begins) {
      Ticket memory = peer.register(Jbuf.allocate(1000).asBytes());
      boolean sends = begins;
      for (int i = 0; i < 2 * ROUND_TRIPS; i++) {
        (sends ? peer.postSend(memory) : peer.postReceive(memory)).orThrow();
        expect(queue, memory);
        sends = !sends;
      }
      peer.deregister(memory);
    }

    private static void expect(CompletionQueue queue, Ticket memory) {
      if (queue.await(PATIENCE) != memory || memory.status() != Status.DONE) {
        throw new IllegalStateException(memory + ": " + memory.virtualInterface().failure());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "libfabric", "libfabric-rdm"})
  void connectsAllOfManyThreadsThatShareACarrier(String provider) {
    assumeTrue(
        provider.equals("tcp") || Fabric.provider(provider).obstacle().isEmpty(),
        "libfabric is missing: apt install libfabric1");
    Jvm jvm = Jvm.of(Pairs.class).quick().options("-Djdk.virtualThreadScheduler.parallelism=1");
    assertEquals(PAIRS + " pairs\n", jvm.command(provider).output());
  }
}
