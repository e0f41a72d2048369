package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Objects;

/// A [Jbuf] as 32-bit floating point numbers. See [View] for bounds, lifetime and threads.
public final class Floats extends View {
  private static final ValueLayout.OfFloat ELEMENT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final long length;

  Floats(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
    this.length = bytes >> 2;
  }

  /// Returns the number of elements. Bytes at the end that do not fill an element are unused.
  public long length() {
    return length;
  }

  /// Reads the element at `index`.
  public float get(long index) {
    checkLease();
    Objects.checkIndex(index, length);
    long at = (address & Raw.INT_ADDRESS_MASK) + (index << 2);
    float value = (float) Raw.FLOAT.get(Raw.GLOBAL, at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the element at `index`.
  public void set(long index, float value) {
    checkLease();
    Objects.checkIndex(index, length);
    long at = (address & Raw.INT_ADDRESS_MASK) + (index << 2);
    Raw.FLOAT.set(Raw.GLOBAL, at, value);
    Reference.reachabilityFence(this);
  }

  /// Writes `value` to every element.
  public void fill(float value) {
    for (long index = 0; index < length; index++) {
      set(index, value);
    }
  }

  /// Copies `count` elements, from `source[sourceIndex]` on, to `index` on in this view.
  public void copyFrom(long index, float[] source, int sourceIndex, int count) {
    Objects.checkFromIndexSize(index, count, length);
    MemorySegment range = raw(index << 2, (long) count << 2);
    MemorySegment.copy(source, sourceIndex, range, ELEMENT, 0, count);
    Reference.reachabilityFence(this);
  }

  /// Copies `count` elements, from `index` on in this view, to `target[targetIndex]` on.
  public void copyTo(long index, float[] target, int targetIndex, int count) {
    Objects.checkFromIndexSize(index, count, length);
    MemorySegment range = raw(index << 2, (long) count << 2);
    MemorySegment.copy(range, ELEMENT, 0, target, targetIndex, count);
    Reference.reachabilityFence(this);
  }

  /// Copies all elements to a new array, which outlives the buffer.
  ///
  /// @throws IllegalStateException if an array cannot hold so many
  public float[] detach() {
    float[] array = new float[arrayLength(length)];
    copyTo(0, array, 0, array.length);
    return array;
  }

  /// Returns a view of the `count` elements from `index` on. Its lifetime is that of this view.
  public Floats slice(long index, long count) {
    Objects.checkFromIndexSize(index, count, length);
    return new Floats(lease, address + (index << 2), count << 2);
  }
}
