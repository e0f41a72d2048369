package dev.tigris.verify.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.GroupThreads;
import dev.tigris.cluster.group.Pending;
import dev.tigris.cluster.group.Reduction;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.testing.Slow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Groups over libfabric, of which module `cluster` knows nothing.
@Slow("the quick tier has groups over shm, tcp and uring")
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LibfabricGroupTest {
  private static final int MEMBERS = 3;

  private static Longs longs(long count, long value) {
    Longs longs = Jbuf.allocate(Long.BYTES * count).asLongs();
    longs.fill(value);
    return longs;
  }

  private static void assertAll(long expected, Longs longs) {
    for (long i = 0; i < longs.length(); i++) {
      assertEquals(expected, longs.get(i));
    }
  }

  /// Short messages, and such as go from view to view.
  @ParameterizedTest
  @ValueSource(strings = {"libfabric", "libfabric-rdm"})
  void membersExchangeShortAndLongData(String provider) throws Exception {
    try (Fabric fabric = opened(provider)) {
      GroupThreads.run(
          MEMBERS,
          fabric,
          "127.0.0.1:0",
          group -> {
            for (long count : new long[] {1, 1025, 60_000}) {
              exchange(group, count);
            }
          });
    }
  }

  private static Fabric opened(String provider) {
    try {
      return Fabric.open(provider);
    } catch (NetException missing) {
      return Assumptions.abort(missing.getMessage());
    }
  }

  private static void exchange(Group group, long count) throws InterruptedException {
    int rank = group.rank();
    int before = (rank + MEMBERS - 1) % MEMBERS;
    Longs in = longs(count, 0);
    Pending received = group.startReceive(in, before, 7);
    group.send(longs(count, rank), (rank + 1) % MEMBERS, 7);
    received.await();
    assertAll(before, in);

    Longs sum = longs(count, 1 << rank);
    group.allReduce(sum, Reduction.SUM);
    assertAll((1 << MEMBERS) - 1, sum);

    Longs data = longs(count, rank);
    group.broadcast(data, 2);
    assertAll(2, data);

    Longs all = longs(count * MEMBERS, -1);
    group.allToAll(longs(count * MEMBERS, rank), all);
    for (int member = 0; member < MEMBERS; member++) {
      assertAll(member, all.slice(count * member, count));
    }
    group.barrier();
  }
}
