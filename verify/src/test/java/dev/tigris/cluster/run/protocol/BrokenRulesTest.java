package dev.tigris.cluster.run.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tigris.testing.Tier;
import dev.tigris.verify.runs.AnyPlan;
import dev.tigris.verify.runs.Parts;
import dev.tigris.verify.runs.RunSimulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/// The simulator finds what goes wrong when one of the protocol's rules is taken out: each rule is
/// needed, and the simulator looks where it is.
class BrokenRulesTest {
  private static Parts coordinator(MakesCoordinator made) {
    return new Parts() {
      @Override
      public CoordinatorProtocol coordinator(
          RunId run, Limits limits, Map<String, String> fingerprint) {
        return made.of(run, limits, fingerprint);
      }
    };
  }

  private interface MakesCoordinator {
    CoordinatorProtocol of(RunId run, Limits limits, Map<String, String> fingerprint);
  }

  private static Parts worker(MakesWorker made) {
    return new Parts() {
      @Override
      public WorkerProtocol worker(
          Epoch epoch, int worker, String address, Limits limits, long nowNanos) {
        return made.of(epoch, worker, address, limits, nowNanos);
      }
    };
  }

  private interface MakesWorker {
    WorkerProtocol of(Epoch epoch, int worker, String address, Limits limits, long nowNanos);
  }

  private static final int MOST_SEEDS = 200_000;

  private static void assertFound(String rule, Parts parts, String... words) {
    assertFound(rule, AnyPlan::of, parts, words);
  }

  private static void assertFound(
      String rule, LongFunction<RunSimulation.Plan> plans, Parts parts, String... words) {
    for (int seed = 0; seed < MOST_SEEDS; seed++) {
      try {
        RunSimulation.Result _ = RunSimulation.run(plans.apply(seed), parts);
      } catch (AssertionError e) {
        System.out.printf("%s: %s%n", rule, e.getMessage().lines().findFirst().orElseThrow());
        for (String word : words) {
          if (e.getMessage().contains(word)) {
            return;
          }
        }
        fail(rule + " was found by another promise: " + e.getMessage(), e);
      }
    }
    fail(rule + " was not found by " + MOST_SEEDS + " seeds");
  }

  /// On other hosts, with orders that come late and processes that are cut off: the only way to a
  /// lease that is too long.
  private static RunSimulation.Plan lateOrders(long seed) {
    long second = 1_000_000_000;
    Limits limits = new Limits(2, 3, second, 10 * second, second, 20 * second);
    Map<String, Double> faults = Map.of("network.delay", 0.3, "network.cut", 0.05);
    return new RunSimulation.Plan(seed, limits, false, faults, 100 * second);
  }

  /// Attempts that follow one another quickly, with reports that come late and twice.
  private static RunSimulation.Plan lateReports(long seed) {
    long second = 1_000_000_000;
    Limits limits = new Limits(2, 3, second, 4 * second, second, second);
    Map<String, Double> faults =
        Map.of("network.delay", 0.2, "network.duplicate", 0.2, "worker.stream", 0.1);
    return new RunSimulation.Plan(seed, limits, false, faults, 60 * second);
  }

  @Test
  void aCoordinatorHearsItsAttemptOnly() {
    assertFound(
        "reports of other attempts count",
        BrokenRulesTest::lateReports,
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean isCurrent(Epoch other) {
                    return true;
                  }
                }),
        "");
  }

  @Test
  void aWorkerObeysInItsAttemptOnly() {
    assertFound(
        "orders of other attempts count",
        worker(
            (epoch, worker, address, limits, nowNanos) ->
                new WorkerProtocol(epoch, worker, address, limits, nowNanos) {
                  @Override
                  boolean isCurrent(Epoch other) {
                    return true;
                  }
                }),
        "");
  }

  @Test
  void noAttemptFollowsOneThatDrains() {
    assertFound(
        "the next attempt drains, too",
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean isLast(boolean drains) {
                    return false;
                  }
                }),
        "follows one that drained");
  }

  @Test
  void theNextAttemptWaitsForTheFence() {
    assertFound(
        "the next attempt begins at once",
        BrokenRulesTest::lateReports,
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean isFenced(Seat seat, long nowNanos) {
                    return true;
                  }
                }),
        "run beside");
  }

  @Test
  void modulesWaitUntilAllAreInitialized() {
    assertFound(
        "modules run when those of one worker are initialized",
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean areReady(List<Seat> workers) {
                    return workers.getFirst().hasSaid(Word.Initialized.class);
                  }
                }),
        "before those of others are initialized");
  }

  @Test
  void aWorkerHasALease() {
    assertFound(
        "workers have no lease",
        worker(
            (epoch, worker, address, limits, nowNanos) ->
                new WorkerProtocol(epoch, worker, address, limits, nowNanos) {
                  @Override
                  boolean hasNoLease(long at) {
                    return false;
                  }
                }),
        "run beside",
        "come to an end");
  }

  @Test
  void aLeaseCountsFromTheReport() {
    assertFound(
        "a lease counts from the order",
        BrokenRulesTest::lateOrders,
        worker(
            (epoch, worker, address, limits, nowNanos) ->
                new WorkerProtocol(epoch, worker, address, limits, nowNanos) {
                  @Override
                  long leasedFrom(long reportNanos, long orderNanos) {
                    return orderNanos;
                  }
                }),
        "run beside");
  }

  @Test
  void aVoterKeepsItsOutputs() {
    assertFound(
        "a voter without a lease deletes",
        worker(
            (epoch, worker, address, limits, nowNanos) ->
                new WorkerProtocol(epoch, worker, address, limits, nowNanos) {
                  @Override
                  boolean keepsPrepared() {
                    return false;
                  }
                }),
        "after recovery",
        "outputs without a name",
        "has not prepared");
  }

  @Test
  void aLostPeerIsNoFailureOfAModule() {
    assertFound(
        "what a broken stream makes a module throw ends the run",
        worker(
            (epoch, worker, address, limits, nowNanos) ->
                new WorkerProtocol(epoch, worker, address, limits, nowNanos) {
                  @Override
                  boolean isEchoOfLostStream(boolean hasBroken) {
                    return false;
                  }
                }),
        "lost peer");
  }

  @Test
  void allVote() {
    assertFound(
        "one vote is enough",
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean hasAllVotes(List<Seat> voters) {
                    return voters.stream().anyMatch(seat -> seat.hasSaid(Word.Prepared.class));
                  }
                }),
        "has not prepared");
  }

  @Test
  void namesComeAfterTheDecision() {
    assertFound(
        "the decision is not awaited",
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean awaitsDecision() {
                    return false;
                  }
                }),
        "without a decision",
        "outputs without a name");
  }

  @Test
  void aDecisionIsFinal() {
    assertFound(
        "a decided attempt is given up",
        coordinator(
            (run, limits, fingerprint) ->
                new CoordinatorProtocol(run, limits, fingerprint) {
                  @Override
                  boolean mayAbortIn(Phase at) {
                    return at != Phase.OVER;
                  }
                }),
        "after the decision",
        "have their names",
        "after recovery",
        "has not prepared");
  }

  @Test
  void whatCannotBeRenamedStays() {
    assertFound(
        "a failed rename deletes",
        new Parts() {
          @Override
          public boolean keepsWhatCannotBeRenamed() {
            return false;
          }
        },
        "after recovery");
  }

  @Test
  void recoveryAsksForTheDecision() {
    assertFound(
        "recovery publishes whatever is prepared",
        new Parts() {
          @Override
          public boolean recovers(boolean isDecided) {
            return true;
          }
        },
        "without a decision");
  }

  @Test
  void theShippedRulesPassTheSameSeeds() {
    List<Long> broken = new ArrayList<>();
    for (long seed = 0; seed < Tier.choose(100, 2_000, 50_000); seed++) {
      if (RunSimulation.run(AnyPlan.of(seed), Parts.SHIPPED).events() == 0) {
        broken.add(seed);
      }
    }
    assertEquals(List.of(), broken);
  }
}
