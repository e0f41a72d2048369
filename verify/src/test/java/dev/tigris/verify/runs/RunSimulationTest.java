package dev.tigris.verify.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.Outcome;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.verify.runs.RunSimulation.Plan;
import dev.tigris.verify.runs.RunSimulation.Result;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Searches for a run that breaks its promises.
class RunSimulationTest {
  private static final long SECOND = 1_000_000_000;

  private static Limits limits(int workers, int attempts) {
    return new Limits(workers, attempts, SECOND, 10 * SECOND, 2 * SECOND, 20 * SECOND);
  }

  @Test
  @EveryTier("each tier searches so many seeds")
  void keepsItsPromisesWhateverGoesWrong() {
    long first = System.nanoTime();
    Map<String, Long> struck = new TreeMap<>();
    Map<String, Integer> ends = new TreeMap<>();
    for (int i = 0; i < Tier.choose(500, 15_000, 2_000_000); i++) {
      Result result = RunSimulation.run(AnyPlan.of(first + i), Parts.SHIPPED);
      result.struck().forEach((site, times) -> struck.merge(site, times, Long::sum));
      Outcome outcome = result.outcome();
      ends.merge(outcome == null ? "none" : outcome.getClass().getSimpleName(), 1, Integer::sum);
      ends.merge("kept", result.kept(), Integer::sum);
      ends.merge("again", result.attempts() - 1, Integer::sum);
    }
    System.out.printf("runs from seed %d: %s, faults %s%n", first, ends, struck);
    for (String site : AnyPlan.FAULTS.keySet()) {
      assertTrue(struck.containsKey(site), site + " never struck, from seed " + first);
    }
    for (String end : new String[] {"none", "Done", "Failed", "Undecided", "kept", "again"}) {
      assertTrue(ends.getOrDefault(end, 0) > 0, end + " never came, from seed " + first);
    }
  }

  /// Seeds that found something once.
  @ParameterizedTest
  @ValueSource(longs = {7051, 5401})
  void keepsItsPromisesWithTheSeedsThatWereKept(long seed) {
    assertTrue(RunSimulation.run(AnyPlan.of(seed), Parts.SHIPPED).events() > 0);
  }

  @Test
  void endsWellAtOnceWithoutFaults() {
    for (int seed = 0; seed < 20; seed++) {
      boolean isLocal = seed % 2 == 0;
      Result result =
          RunSimulation.run(new Plan(seed, limits(5, 1), isLocal, Map.of(), SECOND), Parts.SHIPPED);
      Outcome.Done done = assertInstanceOf(Outcome.Done.class, result.outcome());
      assertEquals(0, done.unnamed().size());
      assertEquals(5, result.named());
    }
  }

  @Test
  void isTriedAgainWhenProcessesDie() {
    int again = 0;
    for (int seed = 0; seed < 100; seed++) {
      Plan plan = new Plan(seed, limits(4, 3), true, Map.of("worker.kill", 0.02), 8 * SECOND);
      Result result = RunSimulation.run(plan, Parts.SHIPPED);
      if (result.outcome() instanceof Outcome.Done(int attempt, _, _, _)) {
        again += attempt - 1;
        assertEquals(4, result.named());
      } else {
        assertEquals(3, result.attempts(), "seed " + seed);
      }
    }
    assertTrue(again > 0);
  }

  @Test
  void aThousandWorkersAgree() {
    long seed = System.nanoTime();
    Map<String, Double> faults =
        Map.of("network.loss", 0.05, "network.duplicate", 0.05, "network.delay", 0.002);
    Result result =
        RunSimulation.run(
            new Plan(seed, limits(1000, 2), true, faults, 30 * SECOND), Parts.SHIPPED);
    assertInstanceOf(Outcome.Done.class, result.outcome(), "seed " + seed);
    assertEquals(1000, result.named(), "seed " + seed);
    Map<String, Double> deadly =
        Map.of("network.loss", 0.1, "worker.kill", 0.00005, "network.cut", 0.00005);
    Result deaths =
        RunSimulation.run(
            new Plan(seed, limits(1000, 5), false, deadly, 60 * SECOND), Parts.SHIPPED);
    System.out.printf(
        "1000 workers, seed %d: %,d and %,d events, %d attempts%n",
        seed, result.events(), deaths.events(), deaths.attempts());
    assertTrue(deaths.named() == 0 || deaths.named() == 1000, "seed " + seed);
  }

  @Test
  void repeatsARunFromItsSeed() {
    assertEquals(
        RunSimulation.run(AnyPlan.of(7), Parts.SHIPPED),
        RunSimulation.run(AnyPlan.of(7), Parts.SHIPPED));
  }
}
