package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.OptionalInt;

/// A typed view of the memory of a [Jbuf], and the only way to touch that memory. As long as a
/// view, or anything made from it, is reachable, the memory is neither freed nor given another
/// type.
///
/// Every access is checked against the view's bounds and throws [IndexOutOfBoundsException] outside
/// of them. Indexes are `long`, with which the compiler treats a loop over a view as it treats one
/// over an array. (In JDK 25, a loop that stores is not vectorized with an `int` index.) Values are
/// little-endian in memory.
///
/// Each read of a field that is an array in place makes a new view. Two such views are two objects
/// over the same memory.
///
/// Thread rule: any thread. Views read and write plain memory.
public abstract sealed class View
    permits Bytes, Shorts, Chars, Ints, Longs, Floats, Doubles, Region {
  /// The size is stored shifted left by this many bits and shifted back when it is read. The
  /// compiler then knows that no index within it is so large that the JDK's own check could fail,
  /// and drops that check. Views of elements keep their length in another field, without which
  /// their loops are not vectorized.
  private static final int SIZE_SHIFT = 16;

  final Lease lease;
  final long address;
  private final long sizeBits;

  /// Makes a view of the memory at an address.
  interface Maker<V extends View> {
    V make(Lease lease, long address, long bytes);
  }

  /// Returns the class of views of elements of a type.
  ///
  /// @throws IllegalArgumentException for `boolean`, of which there is none
  static Class<? extends View> of(Primitive element) {
    return switch (element) {
      case BOOLEAN -> throw new IllegalArgumentException("there is no view of booleans");
      case BYTE -> Bytes.class;
      case SHORT -> Shorts.class;
      case CHAR -> Chars.class;
      case INT -> Ints.class;
      case LONG -> Longs.class;
      case FLOAT -> Floats.class;
      case DOUBLE -> Doubles.class;
    };
  }

  /// Makes a view of elements of a type.
  static View of(Primitive element, Lease lease, long address, long bytes) {
    return switch (element) {
      case BOOLEAN -> throw new IllegalArgumentException("there is no view of booleans");
      case BYTE -> new Bytes(lease, address, bytes);
      case SHORT -> new Shorts(lease, address, bytes);
      case CHAR -> new Chars(lease, address, bytes);
      case INT -> new Ints(lease, address, bytes);
      case LONG -> new Longs(lease, address, bytes);
      case FLOAT -> new Floats(lease, address, bytes);
      case DOUBLE -> new Doubles(lease, address, bytes);
    };
  }

  View(Lease lease, long address, long bytes) {
    this.lease = lease;
    this.address = address;
    if (bytes >>> (Long.SIZE - SIZE_SHIFT) != 0) {
      throw new IllegalArgumentException("no memory has %d bytes".formatted(bytes));
    }
    this.sizeBits = bytes << SIZE_SHIFT;
  }

  /// Returns the size of this view in bytes.
  public final long capacityBytes() {
    return sizeBits >>> SIZE_SHIFT;
  }

  /// Checks that the memory has not been given up. A caller that is about to hand it to a device or
  /// to another thread calls this. It costs one read.
  ///
  /// @throws ReferencedException if [Jbuf#unreference] has claimed that no view is left
  public final void requireReferenced() {
    checkLease();
    if (!lease.isHeld()) {
      throw new ReferencedException(
          "memory that is to be unreferenced cannot be used any more: wait for the callback");
    }
  }

  /// Returns the same memory as a segment, for channels, bulk operations and libraries. The Jbuf
  /// stays referenced as long as the segment, or any slice or buffer made from it, is reachable.
  /// Making a segment costs about a microsecond: keep one that is used often.
  public final MemorySegment segment() {
    checkLease();
    return Raw.segment(address, capacityBytes(), lease);
  }

  /// Returns the same memory as a direct, little-endian byte buffer. Its lifetime and its cost are
  /// those of [#segment].
  ///
  /// @throws IllegalStateException if the view is larger than a byte buffer can be
  ///     (`Integer.MAX_VALUE` bytes): take slices of [#segment] instead
  public final ByteBuffer byteBuffer() {
    if (capacityBytes() > Integer.MAX_VALUE) {
      throw new IllegalStateException(
          capacityBytes() + " bytes are more than a byte buffer holds: take slices of segment()");
    }
    return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /// Returns the descriptor of the memory file behind a buffer of [PageKind#SHARED] pages, if this
  /// view begins at the buffer's first byte. The result is empty for every other view. The caller
  /// may hand the descriptor to another process while this view is reachable. That process can map
  /// the file for reading. The file has the size of the buffer in whole pages, which cannot change.
  public final OptionalInt sharedFile() {
    checkLease();
    return lease.jbuf.sharedFile(address);
  }

  /// Returns whether this is the memory of a mapped file ([Jbuf#map]). When another process
  /// truncates that file, an access to the missing part throws [InternalError]. No other memory can
  /// go away.
  public final boolean isMapped() {
    checkLease();
    return lease.jbuf.isMapped();
  }

  @Override
  public String toString() {
    return "%s[%d bytes]".formatted(getClass().getSimpleName(), capacityBytes());
  }

  /// With `-Dtigris.check=leases`, refuses a view whose memory has been reused.
  final void checkLease() {
    if (Lease.CHECKED) {
      lease.refuseEnded();
    }
  }

  /// Returns a range of this view's memory for a bulk operation that ends before the caller
  /// returns. The caller fences `this`. The segment does not hold the lease, so it must not leave
  /// this module.
  final MemorySegment raw(long offset, long length) {
    checkLease();
    Objects.checkFromIndexSize(offset, length, capacityBytes());
    return Raw.range(address + offset, length);
  }

  /// Returns the length of an array for all `elements`.
  static int arrayLength(long elements) {
    if (elements > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          elements + " elements are more than an array holds: use copyTo in parts");
    }
    return (int) elements;
  }
}
