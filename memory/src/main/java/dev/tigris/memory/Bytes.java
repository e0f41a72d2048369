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

  /// The number of bytes.
  public long length() {
    return capacityBytes();
  }

  /// Where a value of so many bytes begins, if all of it lies within the view. The compiler knows
  /// the range of what `checkIndex` returns; that names another length, though.
  private static long within(long offset, int length, long viewBytes) {
    try {
      return Objects.checkIndex(offset, viewBytes - (length - 1));
    } catch (IndexOutOfBoundsException e) {
      throw outside(offset, length, viewBytes);
    }
  }

  /// As `Objects.checkFromIndexSize`, which is so long that the compiler does not always inline it.
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

  /// Copies `length` bytes from `offset` on to `target` at `targetOffset` on. The ranges may
  /// overlap.
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

  /// Copies `length` bytes from `offset` on to `targetOffset` on of any segment: for those who copy
  /// often to the same array, and keep a segment of it, so that nothing is allocated.
  public void copyTo(long offset, MemorySegment target, long targetOffset, long length) {
    requireRange(offset, length, capacityBytes());
    checkLease();
    long from = (address & Raw.ANY_ADDRESS_MASK) + offset;
    MemorySegment.copy(Raw.GLOBAL, from, target, targetOffset, length);
    Reference.reachabilityFence(this);
  }

  /// Copies `length` bytes from `offset` on to `target[targetIndex]` on.
  public void copyTo(long offset, byte[] target, int targetIndex, int length) {
    // As a segment: with an array, the JDK asks for its kind and length by slow calls.
    copyTo(offset, MemorySegment.ofArray(target), targetIndex, length);
  }

  /// Copies `length` bytes from `source[sourceIndex]` on to `offset` on.
  public void copyFrom(long offset, byte[] source, int sourceIndex, int length) {
    requireRange(offset, length, capacityBytes());
    checkLease();
    MemorySegment from = MemorySegment.ofArray(source);
    long to = (address & Raw.ANY_ADDRESS_MASK) + offset;
    MemorySegment.copy(from, sourceIndex, Raw.GLOBAL, to, length);
    Reference.reachabilityFence(this);
  }

  /// Copies all bytes to a new array, for those who keep them after the buffer is gone.
  ///
  /// @throws IllegalStateException if they are more than an array can hold
  public byte[] detach() {
    byte[] array = new byte[arrayLength(capacityBytes())];
    copyTo(0, array, 0, array.length);
    return array;
  }

  /// The `length` bytes from `offset` on as a view of their own, with the same lifetime.
  public Bytes slice(long offset, long length) {
    requireRange(offset, length, capacityBytes());
    return new Bytes(lease.within(), address + offset, length);
  }

  /// The same bytes for whoever uses them next: this very view, unless with
  /// `-Dtigris.check=leases`. There it is another, and every later use of this one, and of all that
  /// was made or read from it, throws [RecycledException]. For those who use slices of a buffer
  /// again, as pools do; a view of a whole Jbuf stays what it is until [Jbuf#unreference].
  public Bytes renewed() {
    Lease within = Lease.CHECKED ? lease.outer : null;
    if (within == null) {
      return this;
    }
    lease.end("handed on");
    return new Bytes(within.within(), address, capacityBytes());
  }

  /// These bytes as a nested container: empty where the bytes of a header are all zero.
  ///
  /// @throws IllegalArgumentException if this view does not begin at a multiple of eight bytes, or
  ///     is smaller than a header ([Container#HEADER_BYTES])
  /// @throws CorruptContainerException if the bytes are no valid container
  public Container asContainer() {
    return Container.openOrFormat(lease, address, capacityBytes());
  }

  /// These bytes as objects that lie where their user says, without a header.
  ///
  /// @throws IllegalArgumentException if this view does not begin at a multiple of eight bytes
  public RawContainer asRawContainer() {
    return new RawContainer(lease, address, capacityBytes());
  }
}
