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

class EngineSimulationTest {
  private static void run(long from, long seeds) {
    Map<FlowSnapshot.State, Integer> states = new EnumMap<>(FlowSnapshot.State.class);
    long collected = 0;
    long discarded = 0;
    long rerouted = 0;
    long ended = 0;
    for (long seed = from; seed < from + seeds; seed++) {
      EngineSimulation.Result result;
      try {
        result = EngineSimulation.run(seed);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      states.merge(result.state(), 1, Integer::sum);
      collected += result.collected();
      discarded += result.discarded();
      rerouted += result.rerouted();
      ended += result.ended();
    }
    String all =
        "%s, %d collected, %d discarded, %d rerouted, %d ended"
            .formatted(states, collected, discarded, rerouted, ended);
    assertEquals(3, states.size(), all);
    assertTrue(collected > 0 && discarded > 0 && rerouted > 0 && ended > 0, all);
  }

  @Test
  void operationsInAnyOrderKeepWhatWasPromised() {
    run(0, 300);
  }

  @Test
  void aSeedGivesTheSameRun() {
    assertEquals(EngineSimulation.run(7), EngineSimulation.run(7));
  }

  @Test
  @Slow("thousands of runs")
  @Soak("a million runs: half an hour")
  void manyMoreOfThem() {
    run(1_000, Tier.choose(3_000, 1_000_000));
  }
}
