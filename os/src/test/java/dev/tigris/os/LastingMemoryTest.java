package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bounds, which are all that keeps an access inside, and addresses that stay.
class LastingMemoryTest {
  private static final long BYTES = 1000;

  /// A size that no connection has, so that nobody else uses its addresses.
  private static final long MAPPED_BYTES = 12_288;

  private final LastingMemory memory = LastingMemory.allocate(BYTES);

  @Test
  void keepsWhatIsWritten() {
    memory.setLong(0, 1);
    memory.setLongRelease(8, 2);
    memory.setIntRelease(16, 3);
    assertEquals(1, memory.getLongAcquire(0));
    assertEquals(2, memory.getLong(8));
    assertEquals(3, memory.getAndSetInt(16, 4));
    assertEquals(4, memory.getIntAcquire(16));
    assertEquals(2, memory.slice(8, 8).getLong(0));
    assertEquals(2, memory.segment().get(ValueLayout.JAVA_LONG, 8));
  }

  @ParameterizedTest
  @ValueSource(longs = {-8, BYTES, Long.MIN_VALUE, Long.MAX_VALUE - 7, 1L << 56, -(1L << 56)})
  void refusesWordsOutside(long offset) {
    assertThrows(IndexOutOfBoundsException.class, () -> memory.getLong(offset));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.getLongAcquire(offset));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.setLong(offset, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.setLongRelease(offset, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.getIntAcquire(offset));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.setIntRelease(offset, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.getAndSetInt(offset, 1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 4, BYTES - 4, BYTES - 1})
  void refusesLongsThatAreNotAligned(long offset) {
    assertThrows(IllegalArgumentException.class, () -> memory.getLong(offset));
    assertThrows(IllegalArgumentException.class, () -> memory.setLongRelease(offset, 1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, BYTES - 3, BYTES - 1})
  void refusesIntsThatAreNotAligned(long offset) {
    assertThrows(IllegalArgumentException.class, () -> memory.getIntAcquire(offset));
    assertThrows(IllegalArgumentException.class, () -> memory.getAndSetInt(offset, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 9, 15})
  void hasNoWordThatIsNotWhollyInside(int bytes) {
    LastingMemory part = memory.slice(0, bytes);
    long whole = bytes & -Long.BYTES;
    assertThrows(IndexOutOfBoundsException.class, () -> part.getLong(whole));
    assertThrows(IndexOutOfBoundsException.class, () -> part.getIntAcquire(whole));
    LastingMemory shifted = memory.slice(1, 100);
    for (long offset = 0; offset < 16; offset++) {
      long at = offset;
      assertThrows(IndexOutOfBoundsException.class, () -> shifted.getLong(at));
    }
  }

  @Test
  void copiesWithinItsBoundsOnly() {
    MemorySegment view = Arena.global().allocate(100);
    LastingMemory lasting = LastingMemory.of(view);
    view.set(ValueLayout.JAVA_BYTE, 99, (byte) 42);
    lasting.copyTo(1, memory, BYTES - 99, 99);
    assertEquals(42, memory.segment().get(ValueLayout.JAVA_BYTE, BYTES - 1));
    memory.copyTo(BYTES - 1, lasting, 0, 1);
    assertEquals(42, view.get(ValueLayout.JAVA_BYTE, 0));
    lasting.copyTo(100, memory, BYTES, 0);
    refuses(lasting, 1, 0, 100);
    refuses(lasting, -1, 0, 1);
    refuses(lasting, 0, BYTES - 99, 100);
    refuses(lasting, 0, -1, 1);
    refuses(lasting, 0, 0, -1);
    refuses(lasting, 1, 0, Long.MAX_VALUE);
    refuses(lasting, Long.MAX_VALUE, Long.MAX_VALUE, 2);
  }

  private void refuses(LastingMemory from, long offset, long targetOffset, long bytes) {
    assertThrows(
        IndexOutOfBoundsException.class, () -> from.copyTo(offset, memory, targetOffset, bytes));
  }

  private static boolean isMapped(String name) throws IOException {
    return Files.readString(Path.of("/proc/self/maps")).contains(name);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void letsGoOfTheFileAndKeepsTheAddresses() throws Exception {
    String name = "tigris-lasting";
    LastingMemory first;
    try (SharedMemory file = SharedMemory.create(name, MAPPED_BYTES)) {
      first = file.mapLasting();
    }
    first.setLong(4096, 42);
    assertTrue(isMapped(name));
    first.close();
    assertFalse(isMapped(name));
    assertEquals(0, first.getLong(4096));
    first.setLong(4096, 1); // too late, and no harm done
    LastingMemory second;
    try (SharedMemory file = SharedMemory.create(name, MAPPED_BYTES)) {
      second = file.mapLasting();
    }
    assertEquals(first.segment().address(), second.segment().address());
    assertEquals(0, second.getLong(4096));
    second.setLong(0, 43);
    try (SharedMemory file = SharedMemory.create(name, MAPPED_BYTES);
        LastingMemory third = file.mapLasting()) {
      assertNotEquals(second.segment().address(), third.segment().address());
      assertEquals(0, third.getLong(0));
    }
    second.close();
  }
}
