package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Objects;

/// A [Jbuf] as 64-bit integers. See [View] for bounds, lifetime and threads.
public final class Longs extends View {
  private static final ValueLayout.OfLong ELEMENT =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final long length;

  Longs(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
    this.length = bytes >> 3;
  }

  /// Returns the number of elements. Bytes at the end that do not fill an element are unused.
  public long length() {
    return length;
  }

  /// Reads the element at `index`.
  public long get(long index) {
    checkLease();
    Objects.checkIndex(index, length);
    long at = (address & Raw.ADDRESS_MASK) + (index << 3);
    long value = (long) Raw.LONG.get(Raw.GLOBAL, at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the element at `index`.
  public void set(long index, long value) {
    checkLease();
    Objects.checkIndex(index, length);
    long at = (address & Raw.ADDRESS_MASK) + (index << 3);
    Raw.LONG.set(Raw.GLOBAL, at, value);
    Reference.reachabilityFence(this);
  }

  /// Writes `value` to every element.
  public void fill(long value) {
    for (long index = 0; index < length; index++) {
      set(index, value);
    }
  }

  /// Copies `count` elements, from `source[sourceIndex]` on, to `index` on in this view.
  public void copyFrom(long index, long[] source, int sourceIndex, int count) {
    Objects.checkFromIndexSize(index, count, length);
    MemorySegment range = raw(index << 3, (long) count << 3);
    MemorySegment.copy(source, sourceIndex, range, ELEMENT, 0, count);
    Reference.reachabilityFence(this);
  }

  /// Copies `count` elements, from `index` on in this view, to `target[targetIndex]` on.
  public void copyTo(long index, long[] target, int targetIndex, int count) {
    Objects.checkFromIndexSize(index, count, length);
    MemorySegment range = raw(index << 3, (long) count << 3);
    MemorySegment.copy(range, ELEMENT, 0, target, targetIndex, count);
    Reference.reachabilityFence(this);
  }

  /// Copies all elements to a new array, which outlives the buffer.
  ///
  /// @throws IllegalStateException if an array cannot hold so many
  public long[] detach() {
    long[] array = new long[arrayLength(length)];
    copyTo(0, array, 0, array.length);
    return array;
  }

  /// Returns a view of the `count` elements from `index` on. Its lifetime is that of this view.
  public Longs slice(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    return new Longs(lease, address + (index << 3), count << 3);
  }
}
