package dev.tigris.cluster.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultyFabric;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random sequences of collective calls, against a sequential model: each member computes from the
/// seed what all members hold, and so what it has to get.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CollectivesTest {
  private static final List<Reduction> ALL = List.of(Reduction.values());

  private static Fabric opened(String provider) {
    try {
      return Fabric.open(provider);
    } catch (NetException e) {
      return Assumptions.abort(e.getMessage());
    }
  }

  @EveryTier("each tier makes so many calls, in groups of so many members")
  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp", "uring"})
  void sequencesOfCallsGiveWhatTheModelGives(String provider) throws Exception {
    requireModel(provider, Tier.choose(20, 50, 10_000), Tier.choose(5, 6, 8));
  }

  @Slow("the quick tier has the providers of module net")
  @ParameterizedTest
  @ValueSource(strings = {"libfabric", "libfabric-rdm"})
  void sequencesOfCallsOverLibfabricGiveWhatTheModelGives(String provider) throws Exception {
    requireModel(provider, 50, 5);
  }

  private static void requireModel(String provider, int calls, int most) throws Exception {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    try (Fabric fabric = opened(provider)) {
      for (int size = 2; size <= most; size++) {
        run(fabric, size, calls, seed + size);
      }
    }
  }

  /// No call gives a wrong result, and none waits for ever.
  @EveryTier("each tier makes so many groups")
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void aConnectionThatBreaksFailsAllOrNone(String provider) throws Exception {
    requireAllOrNone(provider, seed -> Faults.NONE.withCut(0.02).withSeed(seed));
  }

  /// Messages of a group have numbers. So no call gives a wrong result, and none waits for ever.
  @EveryTier("each tier makes so many groups")
  @ParameterizedTest
  @ValueSource(strings = {"reordering", "duplication", "delay"})
  void aProviderThatBreaksTheOrderFailsAllOrNone(String fault) throws Exception {
    requireAllOrNone(
        "tcp",
        seed -> {
          Faults none = Faults.NONE.withSeed(seed);
          return switch (fault) {
            case "reordering" -> none.withReordering(0.02);
            case "duplication" -> none.withDuplication(0.02);
            default -> none.withDelay(0.02, Duration.ofMillis(1));
          };
        });
  }

  /// Requires that calls in groups over a faulty provider give what the model gives, or fail.
  private static void requireAllOrNone(String provider, LongFunction<Faults> faults)
      throws Exception {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    int failed = 0;
    for (int i = 0; i < Tier.choose(4, 20, 400); i++) {
      try (Fabric fabric = FaultyFabric.open(provider, faults.apply(seed + i))) {
        run(fabric, 2 + i % 3, 60, seed + i);
      } catch (GroupException | NetException e) {
        failed++;
      }
    }
    assertTrue(failed > 0, "no call failed, -Dtigris.test.seed=" + seed);
  }

  private static void run(Fabric fabric, int size, int calls, long seed) throws Exception {
    GroupThreads.run(
        size,
        fabric,
        fabric.provider().endsWith("shm") ? "*" : "127.0.0.1:0",
        group -> {
          SplittableRandom random = new SplittableRandom(seed);
          for (int i = 0; i < calls; i++) {
            long next = random.nextLong();
            String what =
                "%s, %d members, call %d, seed %d".formatted(fabric.provider(), size, i, seed);
            new Step(group, new SplittableRandom(next), next, what).check();
            group.checkInvariants();
          }
        });
  }

  /// One call, with data that follows from its seed.
  private static final class Step {
    private final Group group;
    private final SplittableRandom random;
    private final long seed;
    private final String what;
    private final int size;
    private final int rank;

    Step(Group group, SplittableRandom random, long seed, String what) {
      this.group = group;
      this.random = random;
      this.seed = seed;
      this.what = what;
      this.size = group.size();
      this.rank = group.rank();
    }

    /// Returns the element that a member begins with.
    private long element(int member, long index) {
      long mixed = (seed ^ (member * 0x9E3779B97F4A7C15L)) + index * 0xBF58476D1CE4E5B9L;
      return mixed ^ (mixed >>> 29);
    }

    private Longs own(int count) {
      Longs data = Jbuf.allocate(8L * Math.max(1, count)).asLongs().slice(0, count);
      for (int i = 0; i < count; i++) {
        data.set(i, element(rank, i));
      }
      return data;
    }

    private Longs room(int count) {
      return Jbuf.allocate(8L * Math.max(1, count)).asLongs().slice(0, count);
    }

    private void check() throws InterruptedException {
      int kind = random.nextInt(8);
      int root = random.nextInt(size);
      int count =
          switch (random.nextInt(3)) {
            case 0 -> random.nextInt(4);
            case 1 -> random.nextInt(1020, 1030); // about the longest short message
            default -> random.nextInt(1, 20_000);
          };
      Reduction how = ALL.get(random.nextInt(ALL.size()));
      switch (kind) {
        case 0 -> group.barrier();
        case 1 -> {
          Longs data = own(count);
          group.broadcast(data, root);
          assertPart(data, 0, count, root, 0);
        }
        case 2 -> {
          Longs data = own(count);
          group.reduce(data, how, root);
          if (rank == root) {
            assertReduced(data, count, how);
          } else {
            assertPart(data, 0, count, rank, 0);
          }
        }
        case 3 -> {
          Longs data = own(count);
          group.allReduce(data, how);
          assertReduced(data, count, how);
        }
        case 4 -> {
          Longs all = rank == root ? room(count * size) : null;
          group.gather(own(count), all, root);
          assertAll(all, count);
        }
        case 5 -> {
          Longs all = room(count * size);
          group.allGather(own(count), all);
          assertAll(all, count);
        }
        case 6 -> {
          Longs part = room(count);
          group.scatter(rank == root ? own(count * size) : null, part, root);
          assertPart(part, 0, count, root, (long) rank * count);
        }
        default -> {
          Longs to = room(count * size);
          group.allToAll(own(count * size), to);
          for (int member = 0; member < size; member++) {
            assertPart(to, member * count, count, member, (long) rank * count);
          }
        }
      }
    }

    private void assertAll(Longs all, int count) {
      if (all != null) {
        for (int member = 0; member < size; member++) {
          assertPart(all, member * count, count, member, 0);
        }
      }
    }

    private void assertPart(Longs data, int at, int count, int member, long from) {
      for (int i = 0; i < count; i++) {
        if (element(member, from + i) != data.get(at + i)) {
          assertEquals(element(member, from + i), data.get(at + i), what + ", element " + i);
        }
      }
    }

    private void assertReduced(Longs data, int count, Reduction how) {
      for (int i = 0; i < count; i++) {
        long expected = element(0, i);
        for (int member = 1; member < size; member++) {
          long its = element(member, i);
          expected =
              switch (how) {
                case SUM -> expected + its;
                case PRODUCT -> expected * its;
                case MINIMUM -> Math.min(expected, its);
                case MAXIMUM -> Math.max(expected, its);
                case AND -> expected & its;
                case OR -> expected | its;
              };
        }
        if (expected != data.get(i)) {
          assertEquals(expected, data.get(i), what + " by " + how + ", element " + i);
        }
      }
    }
  }
}
