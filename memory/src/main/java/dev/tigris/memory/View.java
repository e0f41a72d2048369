package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.OptionalInt;

/// A typed view of the memory of a [Jbuf]: the only way to touch it. As long as a view, or
/// anything made from it, is reachable, the memory stays what it is.
///
/// Every access is checked against the view's bounds and throws [IndexOutOfBoundsException]
/// outside of them. Indexes are `long`: the compiler then treats a loop over a view as it treats
/// one over an array (with an `int` index, a loop that stores is not vectorized in JDK 25).
/// Values are little-endian in memory.
///
/// An array that lies in an object is read through a view that is made each time the field is read:
/// two of them are two objects, over the same memory.
///
/// Thread rule: any thread; what is read and written is plain memory.
public abstract sealed class View
    permits Bytes, Shorts, Chars, Ints, Longs, Floats, Doubles, Region {
  /// The size is kept moved up by as much, and moved down where it is asked for: so the compiler
  /// knows that an index within it is not so large that the JDK's own check could fail, and leaves
  /// that out. Views of elements have their length in a field of its own all the same: their loops
  /// are vectorized so (docs/decisions/003-long-indexes.md).
  private static final int SIZE_SHIFT = 16;

  final Lease lease;
  final long address;
  private final long sizeBits;

  /// Makes a view of the memory at an address.
  interface Maker<V extends View> {
    V make(Lease lease, long address, long bytes);
  }

  /// The class of views of elements of a type.
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

  /// A view of elements of a type.
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

  /// The size of this view in bytes.
  public final long capacityBytes() {
    return sizeBits >>> SIZE_SHIFT;
  }

  /// Refuses memory that has been given up: for those who are about to hand it to a device or to
  /// another thread. Costs one read.
  ///
  /// @throws ReferencedException if [Jbuf#unreference] has claimed that no view is left
  public final void requireReferenced() {
    checkLease();
    if (!lease.isHeld()) {
      throw new ReferencedException(
          "memory that is to be unreferenced cannot be used any more: wait for the callback");
    }
  }

  /// The same memory as a segment: for channels, for bulk operations and for libraries. It keeps
  /// the Jbuf referenced as long as it, or any slice or buffer made from it, is reachable. Making
  /// one costs about a microsecond: keep it where it is used often.
  public final MemorySegment segment() {
    checkLease();
    return Raw.segment(address, capacityBytes(), lease);
  }

  /// The same memory as a direct, little-endian byte buffer; lifetime and cost as [#segment].
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

  /// The descriptor of the file in memory that a buffer of [PageKind#SHARED] pages is, beginning
  /// where this view does; empty for others, and for views that begin elsewhere in their buffer.
  /// For handing it to another process, as long as this view is reachable: it can map it for
  /// reading, the size is that of the buffer in whole pages, and neither can change.
  public final OptionalInt sharedFile() {
    checkLease();
    return lease.jbuf.sharedFile(address);
  }

  /// Whether this is memory of a file that was mapped ([Jbuf#map]): what others cut off the file is
  /// gone from it, and touching that throws [InternalError]. No other memory ever goes away.
  public final boolean isMapped() {
    checkLease();
    return lease.jbuf.isMapped();
  }

  @Override
  public String toString() {
    return "%s[%d bytes]".formatted(getClass().getSimpleName(), capacityBytes());
  }

  /// With `-Dtigris.check=leases`, refuses a view of memory that is used for something else now.
  final void checkLease() {
    if (Lease.CHECKED) {
      lease.refuseEnded();
    }
  }

  /// This view's memory for a bulk operation that ends before the caller returns; the caller
  /// fences `this`. Not for anybody outside the package: it does not hold the lease.
  final MemorySegment raw(long offset, long length) {
    checkLease();
    Objects.checkFromIndexSize(offset, length, capacityBytes());
    return Raw.range(address + offset, length);
  }

  /// The length of an array for all `elements`.
  static int arrayLength(long elements) {
    if (elements > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          elements + " elements are more than an array holds: use copyTo in parts");
    }
    return (int) elements;
  }
}
