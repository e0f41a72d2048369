package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/// How long a thread looks before it parks.
class LookTimeTest {
  private static final long LOOK_NANOS = 100;

  private long now;
  private long yieldNanos = 1_000;
  private int yields;
  private final LookTime time =
      new LookTime(
          () -> now,
          () -> {
            yields++;
            now += yieldNanos;
          });

  /// Looks in vain until it may not go on, and returns for how long.
  private long lookInVain() {
    long start = now;
    time.begin();
    while (time.goesOn()) {
      now += LOOK_NANOS;
    }
    return now - start;
  }

  private void find(int looks) {
    time.begin();
    for (int i = 0; i < looks; i++) {
      assertTrue(time.goesOn());
      now += LOOK_NANOS;
    }
    time.found();
  }

  @Test
  void looksForAboutAsLongAsAWakeUpTakes() {
    long looked = lookInVain();
    assertTrue(looked >= LookTime.MOST_NANOS, "looked for " + looked);
    assertTrue(looked < 2 * LookTime.MOST_NANOS, "looked for " + looked);
  }

  @Test
  void looksForLessAfterLongParksAndForLongerAfterShortOnes() {
    for (int i = 0; i < 10; i++) {
      time.parked(LookTime.SHORT_PARK_NANOS);
    }
    assertEquals(LookTime.LEAST_NANOS, time.mostNanos());
    for (int i = 0; i < 10; i++) {
      time.parked(LookTime.SHORT_PARK_NANOS - 1);
    }
    assertEquals(LookTime.MOST_NANOS, time.mostNanos());
  }

  @Test
  void looksForLongerWhenItFinds() {
    time.parked(LookTime.SHORT_PARK_NANOS);
    find(1);
    assertEquals(LookTime.MOST_NANOS, time.mostNanos());
  }

  @Test
  void yieldsOnlyAfterAWhile() {
    find((int) (LookTime.YIELD_AFTER_NANOS / LOOK_NANOS) - 8);
    assertEquals(0, yields);
    long _ = lookInVain();
    assertTrue(yields > 0);
  }

  @Test
  void yieldsAtOnceWhereTheOtherEndNeedsThisProcessor() {
    find((int) (LookTime.YIELD_AFTER_NANOS / LOOK_NANOS) + 8); // after a yield
    int before = yields;
    find(2);
    assertEquals(before + 2, yields);
    find(1);
    time.begin();
    time.found(); // without a yield
    before = yields;
    find(2);
    assertEquals(before, yields);
  }

  @Test
  void yieldsNoMoreForAWhileAfterALongYield() {
    yieldNanos = LookTime.LONG_YIELD_NANOS;
    long _ = lookInVain();
    assertEquals(1, yields);
    long _ = lookInVain();
    assertEquals(1, yields);
    now += LookTime.WITHOUT_YIELD_NANOS;
    long _ = lookInVain();
    assertEquals(2, yields);
  }
}
