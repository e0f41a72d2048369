package dev.tigris.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PerturbedReservoirTest {
  private static final double EXACT = 1e-9;

  @Test
  void theIdealIsWhatTheConsumersTakeTogether() {
    assertEquals(8 * 1500, PerturbedReservoir.ofEight(0).idealWatersPerSecond(), EXACT);
    assertEquals(
        5 * 1500 + 3 * 0.116 * 1500, PerturbedReservoir.ofEight(3).idealWatersPerSecond(), EXACT);
  }

  @Test
  void theIdealIsCappedByTheProducers() {
    double all = PerturbedReservoir.ofThePaper(0).idealWatersPerSecond();
    assertEquals(4 * 1500, all, EXACT);
    assertEquals(all, PerturbedReservoir.ofThePaper(2).idealWatersPerSecond(), EXACT);
    // The 56 % of the papers' figure 5.
    assertEquals(0.56, PerturbedReservoir.ofThePaper(3).idealWatersPerSecond() / all, 0.005);
  }

  @Test
  void refusesMoreSlowConsumersThanConsumers() {
    assertThrows(IllegalArgumentException.class, () -> PerturbedReservoir.ofEight(9));
  }

  @ParameterizedTest
  @EnumSource
  void noConsumerFinishesMoreThanItsRateAllows(Balancing balancing) throws Exception {
    var experiment = PerturbedReservoir.ofEight(3).lasting(Duration.ofMillis(100));
    var outcome = experiment.run(balancing);
    assertEquals(8, outcome.finished().size());
    for (int consumer = 0; consumer < 8; consumer++) {
      double rate = consumer < 3 ? experiment.slowRate() : experiment.consumerRate();
      double most = rate * (0.08 + Pace.CATCH_UP_NANOS / 1e9) + 1;
      assertTrue(
          outcome.finished().get(consumer) <= most,
          () -> "%s: %s, at most %.0f of a fast one".formatted(balancing, outcome, most));
    }
  }
}
