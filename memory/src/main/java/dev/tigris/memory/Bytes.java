package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/// A [Jbuf], or a part of one, as bytes, with values of other sizes at any offset: little-endian,
/// or big-endian where the name says so. See [View] for bounds, lifetime and threads.
public final class Bytes extends View {
  Bytes(Lease lease, long address, long bytes) {
    super(lease, address, bytes);
  }

  /// Returns the number of bytes.
  public long length() {
    return capacityBytes();
  }

  /// Returns the offset of a value of `length` bytes, if all of it lies within the view. The
  /// compiler knows the range of what `checkIndex` returns. The exception of that would name
  /// another length.
  private static long within(long offset, int length, long viewBytes) {
    try {
      return Objects.checkIndex(offset, viewBytes - (length - 1));
    } catch (IndexOutOfBoundsException e) {
      throw outside(offset, length, viewBytes);
    }
  }

  /// Does what `Objects.checkFromIndexSize` does, which the compiler does not always inline because
  /// of its length.
  private static void requireRange(long offset, long length, long viewBytes) {
    if ((offset | length) < 0 || length > viewBytes - offset) {
      throw outside(offset, length, viewBytes);
    }
  }

  private static IndexOutOfBoundsException outside(long offset, long length, long viewBytes) {
    return new IndexOutOfBoundsException(
        "Range [%d, %<d + %d) out of bounds for length %d".formatted(offset, length, viewBytes));
  }

  /// Reads the byte at `offset`.
  public byte get(long offset) {
    checkLease();
    long at = Objects.checkIndex(offset, capacityBytes());
    byte value = (byte) Raw.BYTE.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the byte at `offset`.
  public void set(long offset, byte value) {
    checkLease();
    long at = Objects.checkIndex(offset, capacityBytes());
    Raw.BYTE.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the 16-bit integer at `offset`.
  public short getShort(long offset) {
    checkLease();
    long at = within(offset, 2, capacityBytes());
    short value = (short) Raw.SHORT_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the 16-bit integer at `offset`.
  public void setShort(long offset, short value) {
    checkLease();
    long at = within(offset, 2, capacityBytes());
    Raw.SHORT_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the UTF-16 unit at `offset`.
  public char getChar(long offset) {
    checkLease();
    long at = within(offset, 2, capacityBytes());
    char value = (char) Raw.CHAR_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the UTF-16 unit at `offset`.
  public void setChar(long offset, char value) {
    checkLease();
    long at = within(offset, 2, capacityBytes());
    Raw.CHAR_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the 32-bit integer at `offset`.
  public int getInt(long offset) {
    checkLease();
    long at = within(offset, 4, capacityBytes());
    int value = (int) Raw.INT_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the 32-bit integer at `offset`.
  public void setInt(long offset, int value) {
    checkLease();
    long at = within(offset, 4, capacityBytes());
    Raw.INT_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the 64-bit integer at `offset`.
  public long getLong(long offset) {
    checkLease();
    long at = within(offset, 8, capacityBytes());
    long value = (long) Raw.LONG_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the 64-bit integer at `offset`.
  public void setLong(long offset, long value) {
    checkLease();
    long at = within(offset, 8, capacityBytes());
    Raw.LONG_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the 32-bit floating point number at `offset`.
  public float getFloat(long offset) {
    checkLease();
    long at = within(offset, 4, capacityBytes());
    float value = (float) Raw.FLOAT_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the 32-bit floating point number at `offset`.
  public void setFloat(long offset, float value) {
    checkLease();
    long at = within(offset, 4, capacityBytes());
    Raw.FLOAT_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the 64-bit floating point number at `offset`.
  public double getDouble(long offset) {
    checkLease();
    long at = within(offset, 8, capacityBytes());
    double value = (double) Raw.DOUBLE_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the 64-bit floating point number at `offset`.
  public void setDouble(long offset, double value) {
    checkLease();
    long at = within(offset, 8, capacityBytes());
    Raw.DOUBLE_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the big-endian 32-bit integer at `offset`.
  public int getIntBigEndian(long offset) {
    checkLease();
    long at = within(offset, 4, capacityBytes());
    int value = (int) Raw.INT_BIG_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the big-endian 32-bit integer at `offset`.
  public void setIntBigEndian(long offset, int value) {
    checkLease();
    long at = within(offset, 4, capacityBytes());
    Raw.INT_BIG_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Reads the big-endian 64-bit integer at `offset`.
  public long getLongBigEndian(long offset) {
    checkLease();
    long at = within(offset, 8, capacityBytes());
    long value = (long) Raw.LONG_BIG_ANY.get(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at);
    Reference.reachabilityFence(this);
    return value;
  }

  /// Writes the big-endian 64-bit integer at `offset`.
  public void setLongBigEndian(long offset, long value) {
    checkLease();
    long at = within(offset, 8, capacityBytes());
    Raw.LONG_BIG_ANY.set(Raw.GLOBAL, (address & Raw.ANY_ADDRESS_MASK) + at, value);
    Reference.reachabilityFence(this);
  }

  /// Writes `value` to every byte.
  public void fill(byte value) {
    raw(0, capacityBytes()).fill(value);
    Reference.reachabilityFence(this);
  }

  /// Copies `length` bytes, from `offset` on in this view, to `targetOffset` on in `target`. The
  /// ranges may overlap.
  public void copyTo(long offset, Bytes target, long targetOffset, long length) {
    requireRange(offset, length, capacityBytes());
    requireRange(targetOffset, length, target.capacityBytes());
    checkLease();
    target.checkLease();
    // Within one segment: two slices would cost three times as much until the code is compiled.
    long from = (address & Raw.ANY_ADDRESS_MASK) + offset;
    long to = (target.address & Raw.ANY_ADDRESS_MASK) + targetOffset;
    MemorySegment.copy(Raw.GLOBAL, from, Raw.GLOBAL, to, length);
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(target);
  }

  /// Copies `length` bytes, from `offset` on in this view, to `targetOffset` on in any segment. A
  /// caller that copies to one array often keeps a segment of it, and then allocates nothing.
  public void copyTo(long offset, MemorySegment target, long targetOffset, long length) {
    requireRange(offset, length, capacityBytes());
    checkLease();
    long from = (address & Raw.ANY_ADDRESS_MASK) + offset;
    MemorySegment.copy(Raw.GLOBAL, from, target, targetOffset, length);
    Reference.reachabilityFence(this);
  }

  /// Copies `length` bytes, from `offset` on in this view, to `target[targetIndex]` on.
  public void copyTo(long offset, byte[] target, int targetIndex, int length) {
    // As a segment: with an array, the JDK asks for its kind and length by slow calls.
    copyTo(offset, MemorySegment.ofArray(target), targetIndex, length);
  }

  /// Copies `length` bytes, from `source[sourceIndex]` on, to `offset` on in this view.
  public void copyFrom(long offset, byte[] source, int sourceIndex, int length) {
    copyFrom(offset, MemorySegment.ofArray(source), sourceIndex, length);
  }

  /// Copies `length` bytes, from `sourceOffset` on in any segment, to `offset` on in this view.
  public void copyFrom(long offset, MemorySegment source, long sourceOffset, long length) {
    requireRange(offset, length, capacityBytes());
    checkLease();
    long to = (address & Raw.ANY_ADDRESS_MASK) + offset;
    MemorySegment.copy(source, sourceOffset, Raw.GLOBAL, to, length);
    Reference.reachabilityFence(this);
  }

  /// Copies all bytes to a new array, which outlives the buffer.
  ///
  /// @throws IllegalStateException if an array cannot hold so many
  public byte[] detach() {
    byte[] array = new byte[arrayLength(capacityBytes())];
    copyTo(0, array, 0, array.length);
    return array;
  }

  /// Returns a view of the `length` bytes from `offset` on. Its lifetime is that of this view.
  public Bytes slice(long offset, long length) {
    requireRange(offset, length, capacityBytes());
    return new Bytes(lease.within(), address + offset, length);
  }

  /// Returns a view of these bytes for their next user: a pool that hands out slices of a buffer
  /// again calls this. Without `-Dtigris.check=leases` it returns this very view. With that option
  /// it returns another one, and every later use of this view, or of anything made or read from it,
  /// throws [RecycledException]. A view of a whole Jbuf is returned as it is.
  public Bytes renewed() {
    Lease within = Lease.CHECKED ? lease.outer : null;
    if (within == null) {
      return this;
    }
    lease.end("handed on");
    return new Bytes(within.within(), address, capacityBytes());
  }

  /// Opens these bytes as a nested container. A header whose bytes are all zero becomes that of an
  /// empty container.
  ///
  /// @throws IllegalArgumentException if this view does not begin at a multiple of eight bytes, or
  ///     is smaller than a header ([Container#HEADER_BYTES])
  /// @throws CorruptContainerException if the bytes are not a valid container
  public Container asContainer() {
    return Container.openOrFormat(lease, address, capacityBytes());
  }

  /// Opens these bytes as a region without a header, in which the caller says where objects lie.
  ///
  /// @throws IllegalArgumentException if this view does not begin at a multiple of eight bytes
  public RawContainer asRawContainer() {
    return new RawContainer(lease, address, capacityBytes());
  }
}
