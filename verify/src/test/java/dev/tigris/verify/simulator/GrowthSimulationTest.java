package dev.tigris.verify.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowSnapshot;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthSimulationTest {
  private static void run(long from, long seeds) {
    Map<FlowSnapshot.State, Integer> states = new EnumMap<>(FlowSnapshot.State.class);
    long collected = 0;
    long resized = 0;
    long refused = 0;
    long copies = 0;
    long leftOut = 0;
    long guests = 0;
    for (long seed = from; seed < from + seeds; seed++) {
      GrowthSimulation.Result result;
      try {
        result = GrowthSimulation.run(seed);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      states.merge(result.state(), 1, Integer::sum);
      collected += result.collected();
      resized += result.resized();
      refused += result.refused();
      copies += result.copies();
      leftOut += result.leftOut();
      guests += result.guests();
    }
    String all =
        "%s, %d collected, %d resized, %d refused, %d copied, %d left out, %d guests"
            .formatted(states, collected, resized, refused, copies, leftOut, guests);
    System.out.println(all);
    assertEquals(3, states.size(), all);
    assertTrue(collected > 0 && resized > 0 && refused > 0 && copies > 0 && leftOut > 0, all);
    assertTrue(guests > 0, all);
  }

  @Test
  void resizesAndTapsAtAnyMomentKeepWhatWasPromised() {
    run(0, 150);
  }

  @Test
  void aSeedGivesTheSameRun() {
    assertEquals(GrowthSimulation.run(7), GrowthSimulation.run(7));
  }

  @Test
  @Slow("thousands of runs")
  @Soak("a million runs")
  void manyMoreOfThem() {
    run(1_000, Tier.choose(1_200, 1_000_000));
  }
}
