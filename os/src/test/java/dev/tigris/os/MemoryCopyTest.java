package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class MemoryCopyTest {
  private static final int BYTES = 20_000;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 65, 4096, 19_990})
  void copiesJustTheseBytes(int count) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate(BYTES);
      MemorySegment to = arena.allocate(BYTES);
      for (int i = 0; i < BYTES; i++) {
        from.set(ValueLayout.JAVA_BYTE, i, (byte) (i % 251));
        to.set(ValueLayout.JAVA_BYTE, i, (byte) 255);
      }
      MemoryCopy.copy(from, 7, to, 3, count);
      for (int i = 0; i < BYTES; i++) {
        int expected = i >= 3 && i < 3 + count ? (i + 4) % 251 : 255;
        assertEquals((byte) expected, to.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
      }
    }
  }

  @Test
  void staysInsideBothSegments() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment small = arena.allocate(100);
      MemorySegment large = arena.allocate(200);
      refuses(IndexOutOfBoundsException.class, small, 0, large, 0, 101);
      refuses(IndexOutOfBoundsException.class, small, 50, large, 0, 51);
      refuses(IndexOutOfBoundsException.class, large, 0, small, 50, 51);
      refuses(IndexOutOfBoundsException.class, large, -1, small, 0, 1);
      refuses(IndexOutOfBoundsException.class, large, 0, small, 0, -1);
      refuses(IndexOutOfBoundsException.class, large, Long.MAX_VALUE, small, 0, 1);
    }
  }

  @Test
  void refusesMemoryThatIsClosedOrNotToBeWrittenToOrOnTheHeap() {
    MemorySegment closed;
    try (Arena arena = Arena.ofShared()) {
      closed = arena.allocate(100);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment open = arena.allocate(100);
      MemorySegment array = MemorySegment.ofArray(new byte[100]);
      refuses(IllegalStateException.class, closed, 0, open, 0, 1);
      refuses(IllegalStateException.class, open, 0, closed, 0, 1);
      refuses(IllegalArgumentException.class, open, 0, open.asReadOnly(), 0, 1);
      refuses(IllegalArgumentException.class, array, 0, open, 0, 1);
      refuses(IllegalArgumentException.class, open, 0, array, 0, 1);
    }
  }

  private static void refuses(
      Class<? extends Exception> how,
      MemorySegment from,
      long fromOffset,
      MemorySegment to,
      long toOffset,
      long bytes) {
    assertThrows(how, () -> MemoryCopy.copy(from, fromOffset, to, toOffset, bytes));
  }
}
