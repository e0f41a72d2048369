package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Objects;

/// A [Jbuf] as 64-bit floating point numbers. See [View] for bounds, lifetime and threads.
public final class Doubles extends View {
  private static final ValueLayout.OfDouble ELEMENT =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final long length;

  Doubles(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
    this.length = bytes >> 3;
  }

  /// Returns the number of elements. Bytes at the end that do not fill an element are unused.
  public long length() {
    return length;
  }

  /// Reads the element at `index`.
  public double get(long index) {
    checkLease();
    Objects.checkIndex(index, length);
    long at = (address & Raw.ADDRESS_MASK) + (index << 3);
    double value = (double) Raw.DOUBLE.get(Raw.GLOBAL, at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the element at `index`.
  public void set(long index, double value) {
    checkLease();
    Objects.checkIndex(index, length);
    long at = (address & Raw.ADDRESS_MASK) + (index << 3);
    Raw.DOUBLE.set(Raw.GLOBAL, at, value);
    Reference.reachabilityFence(this);
  }

  /// Writes `value` to every element.
  public void fill(double value) {
    for (long index = 0; index < length; index++) {
      set(index, value);
    }
  }

  /// Copies `count` elements, from `source[sourceIndex]` on, to `index` on in this view.
  public void copyFrom(long index, double[] source, int sourceIndex, int count) {
    Objects.checkFromIndexSize(index, count, length);
    MemorySegment range = raw(index << 3, (long) count << 3);
    MemorySegment.copy(source, sourceIndex, range, ELEMENT, 0, count);
    Reference.reachabilityFence(this);
  }

  /// Copies `count` elements, from `index` on in this view, to `target[targetIndex]` on.
  public void copyTo(long index, double[] target, int targetIndex, int count) {
    Objects.checkFromIndexSize(index, count, length);
    MemorySegment range = raw(index << 3, (long) count << 3);
    MemorySegment.copy(range, ELEMENT, 0, target, targetIndex, count);
    Reference.reachabilityFence(this);
  }

  /// Copies all elements to a new array, which outlives the buffer.
  ///
  /// @throws IllegalStateException if an array cannot hold so many
  public double[] detach() {
    double[] array = new double[arrayLength(length)];
    copyTo(0, array, 0, array.length);
    return array;
  }

  /// Returns a view of the `count` elements from `index` on. Its lifetime is that of this view.
  public Doubles slice(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    return new Doubles(lease, address + (index << 3), count << 3);
  }
}
