package dev.tigris.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NumbersTest {
  @Test
  void keepsNumbersInOrderWhileItGrows() {
    SplittableRandom random = new SplittableRandom(1);
    Numbers numbers = new Numbers();
    ArrayDeque<Integer> expected = new ArrayDeque<>();
    for (int step = 0; step < 10_000; step++) {
      int most = 1 + step / 100;
      if (random.nextBoolean() && expected.size() < most) {
        expected.add(step);
        numbers.add(step);
      } else if (!expected.isEmpty()) {
        assertEquals(expected.peek(), numbers.first());
        assertEquals(expected.remove(), numbers.remove());
      }
      assertEquals(expected.size(), numbers.size());
      assertEquals(expected.isEmpty(), numbers.isEmpty());
    }
    numbers = new Numbers();
    assertThrows(IllegalStateException.class, numbers::remove);
  }
}
