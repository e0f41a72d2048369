package dev.tigris.net.uring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.provider.SpareBuffers;
import dev.tigris.net.provider.Staging;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The kernel is a queue here: it fills the buffers in the order it was lent them.
class LentBuffersTest {
  private static final int MANY = 4 * LentBuffers.ENOUGH;

  private final ArrayDeque<Integer> kernel = new ArrayDeque<>();
  private final LentBuffers buffers =
      new LentBuffers((number, memory) -> kernel.add(number), MANY, 0);

  private int fill() {
    int number = kernel.remove();
    buffers.filled(number, 1);
    buffers.checkInvariants();
    return number;
  }

  /// Returns whether the kernel has it again.
  private boolean giveBack(int number) {
    int before = kernel.size();
    buffers.giveBack(number);
    buffers.checkInvariants();
    return kernel.size() > before;
  }

  private void use(int count) {
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      kept.add(fill());
    }
    kept.forEach(this::giveBack);
  }

  /// As for links that keep what they get, and then give all back.
  private void makeAll() {
    List<Integer> kept = new ArrayList<>();
    while (buffers.replenish() > 0) {
      buffers.checkInvariants();
      while (!kernel.isEmpty()) {
        kept.add(fill());
      }
    }
    assertEquals(MANY, buffers.count());
    for (int number : kept) {
      assertTrue(giveBack(number), "nothing is surplus");
    }
  }

  @Test
  void leavesBuffersThatTheKernelDidNotNeedForAPeriod() {
    makeAll();
    use(MANY);
    buffers.look(SpareBuffers.PERIOD_NANOS);
    use(20);
    assertEquals(MANY, buffers.count(), "all of them were needed in this period");
    buffers.look(2 * SpareBuffers.PERIOD_NANOS);
    int left = 0;
    for (int i = 0; i < MANY; i++) {
      left += giveBack(fill()) ? 0 : 1;
    }
    assertEquals(MANY - 20 - LentBuffers.ENOUGH, left);
    assertEquals(20 + LentBuffers.ENOUGH, buffers.count());
    assertEquals(buffers.count(), kernel.size());
  }

  @Test
  void makesBuffersAgainUnderNumbersOfTheirOwn() {
    makeAll();
    buffers.look(SpareBuffers.PERIOD_NANOS);
    buffers.look(2 * SpareBuffers.PERIOD_NANOS);
    for (int i = 0; i < MANY; i++) {
      giveBack(fill());
    }
    assertEquals(LentBuffers.ENOUGH, buffers.count());
    makeAll();
    assertEquals(MANY, new HashSet<>(kernel).size());
    assertTrue(kernel.stream().allMatch(number -> number < MANY), "the kernel has room for these");
    assertEquals(MANY, buffers.replenish());
    assertEquals(MANY, buffers.count(), "it has some, and needs no more");
  }

  @Test
  void makesAsManyMoreAsLinksKeep() {
    assertEquals(LentBuffers.ENOUGH, buffers.replenish());
    int kept = LentBuffers.ENOUGH - 1;
    for (int i = 0; i < kept; i++) {
      fill();
    }
    assertEquals(LentBuffers.ENOUGH, buffers.replenish());
    assertEquals(LentBuffers.ENOUGH + kept, buffers.count());
    assertEquals(LentBuffers.ENOUGH, kernel.size());
  }

  /// A quiet period does not make it leave what a burst right after it needs.
  @Test
  void leavesNothingThatALinkWaitsFor() {
    makeAll();
    buffers.look(SpareBuffers.PERIOD_NANOS);
    buffers.look(2 * SpareBuffers.PERIOD_NANOS);
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      kept.add(fill());
    }
    assertEquals(0, buffers.replenish(), "the link that asks has to wait");
    for (int number : kept) {
      assertTrue(giveBack(number));
    }
  }

  @Test
  void refusesWhatTheKernelDoesNotHave() {
    makeAll();
    int number = fill();
    assertThrows(IllegalStateException.class, () -> buffers.filled(number, 1));
    int other = kernel.remove();
    assertThrows(IllegalStateException.class, () -> buffers.filled(other, Staging.BYTES + 1));
  }

  @Test
  void lendsAnotherInThePlaceOfOneThatIsTakenOut() {
    makeAll();
    int number = fill();
    Staging filled = buffers.buffer(number);
    Staging fresh = Staging.allocate();
    assertSame(filled, buffers.exchange(number, fresh));
    buffers.checkInvariants();
    assertSame(fresh, buffers.buffer(number));
    assertEquals(number, kernel.getLast());
    assertEquals(MANY, buffers.count());
  }
}
