package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTest {
  private static final int SIZE = 64;

  @Property(tries = 300)
  void agreesWithAByteBuffer(
      @ForAll @IntRange(min = -9, max = SIZE + 1) int offset, @ForAll long value) {
    Bytes bytes = Jbuf.allocate(SIZE).asBytes();
    ByteBuffer expected = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer big = expected.duplicate().order(ByteOrder.BIG_ENDIAN);
    both(
        () -> bytes.setShort(offset, (short) value),
        () -> expected.putShort(offset, (short) value));
    both(() -> bytes.setInt(offset, (int) value), () -> expected.putInt(offset, (int) value));
    both(() -> bytes.setLong(offset, value), () -> expected.putLong(offset, value));
    assertArrayEquals(expected.array(), bytes.detach());
    both(() -> bytes.setChar(offset, (char) ~value), () -> expected.putChar(offset, (char) ~value));
    assertArrayEquals(expected.array(), bytes.detach());
    float single = Float.intBitsToFloat((int) ~value);
    both(() -> bytes.setFloat(offset, single), () -> expected.putFloat(offset, single));
    assertArrayEquals(expected.array(), bytes.detach());
    double twice = Double.longBitsToDouble(~value);
    both(() -> bytes.setDouble(offset, twice), () -> expected.putDouble(offset, twice));
    assertArrayEquals(expected.array(), bytes.detach());
    both(() -> bytes.setIntBigEndian(offset, (int) value), () -> big.putInt(offset, (int) value));
    both(() -> bytes.setLongBigEndian(offset, value), () -> big.putLong(offset, value));
    assertArrayEquals(expected.array(), bytes.detach());
    same(() -> bytes.get(offset), () -> expected.get(offset));
    same(() -> bytes.getShort(offset), () -> expected.getShort(offset));
    same(() -> bytes.getInt(offset), () -> expected.getInt(offset));
    same(() -> bytes.getLong(offset), () -> expected.getLong(offset));
    same(() -> bytes.getChar(offset), () -> expected.getChar(offset));
    same(() -> bytes.getFloat(offset), () -> expected.getFloat(offset));
    same(() -> bytes.getDouble(offset), () -> expected.getDouble(offset));
    same(() -> bytes.getIntBigEndian(offset), () -> big.getInt(offset));
    same(() -> bytes.getLongBigEndian(offset), () -> big.getLong(offset));
  }

  /// Both read the same, or both refuse.
  private static void same(Supplier<Object> ours, Supplier<Object> theirs) {
    assertEquals(unlessRefused(theirs), unlessRefused(ours));
  }

  private static Optional<Object> unlessRefused(Supplier<Object> read) {
    try {
      return Optional.of(read.get());
    } catch (IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  /// Both succeed, or both refuse.
  private static void both(Runnable ours, Runnable theirs) {
    assertEquals(succeeds(theirs), succeeds(ours));
  }

  private static boolean succeeds(Runnable access) {
    try {
      access.run();
      return true;
    } catch (IndexOutOfBoundsException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 57, 1L << 48, Long.MAX_VALUE - 6, Long.MAX_VALUE})
  void saysWhatDoesNotFit(long offset) {
    Bytes bytes = Jbuf.allocate(SIZE).asBytes();
    IndexOutOfBoundsException refused =
        assertThrows(IndexOutOfBoundsException.class, () -> bytes.getLong(offset));
    assertEquals(
        "Range [%d, %<d + 8) out of bounds for length 64".formatted(offset), refused.getMessage());
  }

  /// Also in compiled code, which is handed a bound below zero.
  @Test
  void whatIsShorterThanANumberHasNone() {
    Bytes bytes = Jbuf.allocate(SIZE).asBytes();
    for (int round = 0; round < 20_000; round++) {
      int length = round % 8;
      Bytes slice = bytes.slice(0, length);
      assertEquals(length >= 1, succeeds(() -> slice.get(0)));
      assertEquals(length >= 2, succeeds(() -> slice.getShort(0)));
      assertEquals(length >= 4, succeeds(() -> slice.getInt(0)));
      assertFalse(succeeds(() -> slice.getLong(0)));
      assertFalse(succeeds(() -> slice.setLong(-1, 1)));
    }
  }

  @Test
  void aSliceHasItsOwnBounds() {
    Bytes bytes = Jbuf.allocate(SIZE).asBytes();
    Bytes slice = bytes.slice(10, 5);
    slice.set(4, (byte) 1);
    assertEquals(1, bytes.get(14));
    assertThrows(IndexOutOfBoundsException.class, () -> slice.set(5, (byte) 1));
    assertThrows(IndexOutOfBoundsException.class, () -> slice.getLong(0));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(60, 5));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(-1, 5));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(1, -1));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(1, Long.MAX_VALUE));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.slice(Long.MAX_VALUE, 1));
  }

  @Test
  void copiesOverlappingRanges() {
    Bytes bytes = Jbuf.allocate(SIZE).asBytes();
    for (int i = 0; i < SIZE; i++) {
      bytes.set(i, (byte) i);
    }
    bytes.copyTo(0, bytes, 1, SIZE - 1);
    for (int i = 1; i < SIZE; i++) {
      assertEquals(i - 1, bytes.get(i));
    }
    Bytes other = Jbuf.allocate(8).asBytes();
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(0, other, 1, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(0, other, 0, -1));
    long most = Long.MAX_VALUE;
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(most, other, 0, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(0, other, most, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(1, other, 1, most));
  }

  @Test
  void copiesLongRangesWhetherOrNotTheyOverlap() {
    int length = (1 << 20) + 3;
    for (int distance :
        new int[] {-length - 1, -length, -length + 1, -7, 0, 7, length - 1, length}) {
      Bytes bytes = Jbuf.allocate(3L * length + 2).asBytes();
      byte[] expected = new byte[3 * length + 2];
      new Random(distance).nextBytes(expected);
      bytes.copyFrom(0, expected, 0, expected.length);
      bytes.copyTo(length + 1, bytes, length + 1 + distance, length);
      System.arraycopy(expected, length + 1, expected, length + 1 + distance, length);
      assertArrayEquals(expected, bytes.detach(), "moved by " + distance);
    }
  }

  @Test
  void copiesToArraysAndSegmentsWithinBothBounds() {
    Bytes bytes = Jbuf.allocate(8).asBytes();
    bytes.copyFrom(2, new byte[] {9, 1, 2, 3}, 1, 3);
    byte[] array = new byte[6];
    bytes.copyTo(2, array, 1, 3);
    assertArrayEquals(new byte[] {0, 1, 2, 3, 0, 0}, array);
    MemorySegment segment = MemorySegment.ofArray(array);
    bytes.copyTo(3, segment, 4, 2);
    assertArrayEquals(new byte[] {0, 1, 2, 3, 2, 3}, array);
    bytes.copyFrom(6, segment, 1, 2);
    assertEquals(1, bytes.get(6));
    assertEquals(2, bytes.get(7));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyFrom(7, segment, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyFrom(0, segment, 5, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(3, segment, 5, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(7, segment, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(7, array, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(0, array, 5, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyTo(-1, array, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyFrom(7, array, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.copyFrom(0, array, 5, 2));
    assertThrows(IllegalArgumentException.class, () -> bytes.copyTo(0, segment.asReadOnly(), 0, 2));
  }

  /// Nothing of it is touched but its last page.
  @Test
  void reachesBehindFourGigabytesAndSaysWhatCannot() {
    long end = (4L << 30) + 13;
    assumeTrue(end < Jbuf.use().budgetBytes() / 2, "skipped: this machine is too small");
    Bytes bytes = Jbuf.allocate(end).asBytes();
    bytes.setLong(end - 8, 5);
    assertEquals(5, bytes.slice(end - 8, 8).getLong(0));
    assertEquals(0, bytes.get(5));
    assertThrows(IndexOutOfBoundsException.class, () -> bytes.getLong(end - 7));
    assertTrue(
        assertThrows(IllegalStateException.class, bytes::byteBuffer)
            .getMessage()
            .contains("slices of segment()"));
    assertThrows(IllegalStateException.class, bytes::detach);
  }
}
