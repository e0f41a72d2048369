package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  @Test
  void roundsEachTimeUpByLessThanASixteenth() {
    for (int bit = 0; bit < Long.SIZE - 1; bit++) {
      for (long nanos : new long[] {1L << bit, (1L << bit) + (1L << bit >> 1), (2L << bit) - 1}) {
        if (nanos > 0) {
          Latencies.Counter counter = new Latencies.Counter();
          counter.add(nanos);
          long told = counter.told().within(1).toNanos();
          assertTrue(told >= nanos && told - nanos <= nanos / 16, () -> nanos + ", " + told);
        }
      }
    }
  }

  @Test
  void tellsSharesOfWhatWasCounted() {
    Latencies.Counter counter = new Latencies.Counter();
    assertEquals(Duration.ZERO, counter.told().within(0.5));
    for (int i = 0; i < 99; i++) {
      counter.add(10);
    }
    counter.add(1_000_000);
    counter.add(-5);
    Latencies told = counter.told();
    assertEquals(101, told.count());
    assertEquals(0, told.within(0).toNanos());
    assertEquals(10, told.within(0.5).toNanos());
    assertEquals(10, told.within(0.99).toNanos());
    assertTrue(told.within(1).toNanos() >= 1_000_000);
    assertThrows(IllegalArgumentException.class, () -> told.within(1.1));
    assertThrows(IllegalArgumentException.class, () -> told.within(Double.NaN));
  }
}
