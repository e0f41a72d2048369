package dev.tigris.cluster.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// An area tells others what its member has written there, and bytes of any kind do no harm. How
/// threads see it is in the stress tests of `verify`.
class AreaTest {
  private static final Call CALL =
      new Call(Call.Kind.REDUCE, 7, 3, 4000, DataType.DOUBLES, Reduction.OR);

  private final MemorySegment memory = Jbuf.allocate(512, "test").asBytes().segment();
  private final Area area = Area.over(memory);

  @Test
  void aPublishedRoundTellsItsCall() {
    area.publish(4, CALL);
    assertEquals(4, area.published(4));
    assertEquals(4, area.published(6)); // the half is the same
    assertEquals(0, area.published(5));
    assertTrue(area.isOf(4, CALL));
    assertEquals(CALL, area.call(4));
    Call other = new Call(Call.Kind.REDUCE, 7, 2, 4000, DataType.DOUBLES, Reduction.OR);
    assertFalse(area.isOf(4, other));
  }

  @Test
  void aSleeperWaitsForItsRoundOnly() {
    area.sleep(9);
    assertTrue(area.waitsFor(9));
    assertFalse(area.waitsFor(8));
    area.awake();
    assertFalse(area.waitsFor(9));
  }

  @Test
  void everyCallIsReadAsItWasWritten() {
    for (Call.Kind kind : Call.Kind.values()) {
      for (DataType type : DataType.values()) {
        assertIsRead(new Call(kind, -1, 0, 0, type, null));
        for (Reduction how : Reduction.values()) {
          assertIsRead(new Call(kind, 5, 4, 1L << 30, type, how));
        }
      }
    }
  }

  private void assertIsRead(Call call) {
    area.publish(1, call);
    assertEquals(call, area.call(1));
  }

  @Test
  void anyBytesAreACallOrNone() {
    SplittableRandom random = new SplittableRandom(5);
    int calls = 0;
    for (int i = 0; i < 100_000; i++) {
      long bits = random.nextLong() & 0x0000_0003_0007_0f0fL;
      memory.set(ValueLayout.JAVA_LONG, 16, bits);
      Call call = area.call(2);
      if (call != null) {
        calls++;
        assertTrue(call.toString().contains("collective call"), call::toString);
      }
    }
    assertTrue(calls > 0);
  }
}
