package dev.tigris.memory.raw;

import dev.tigris.os.Pages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteOrder;

/// Typed peek and poke at absolute addresses.
///
/// Every view reads as `HANDLE.get(GLOBAL, (address & ADDRESS_MASK) + offset)`. The mask, or that
/// of the element's alignment, tells the compiler that the address is in range and aligned; for
/// objects' fields a shift does that ([#bits]). Where it knows the range of the offset too, both of
/// the JDK's checks fold away. What keeps the access inside
/// its buffer is the check that the caller made against the bounds that it owns.
/// The handles are exact: the argument types at a call must match.
///
/// Handles named `X` are for naturally aligned addresses and allow acquire and release; handles
/// named `X_ANY` are for any address. Both are little-endian; `X_BIG_ANY` are big-endian.
public final class Raw {
  private Raw() {}

  /// The whole address space.
  // SAFETY: bounds: none by itself, each user checks its own range first; lifetime: memory that
  // was ever handed out by `Pages` is never unmapped; thread: any, as plain memory.
  @SuppressWarnings("restricted")
  public static final MemorySegment GLOBAL = MemorySegment.NULL.reinterpret(1L << 62);

  /// Keeps the bits of a user-space address.
  public static final long ANY_ADDRESS_MASK = 0x00ff_ffff_ffff_ffffL;

  /// Keeps the bits of a user-space address that is a multiple of eight.
  public static final long ADDRESS_MASK = 0x00ff_ffff_ffff_fff8L;

  /// Keeps the bits of a user-space address that is a multiple of four.
  public static final long INT_ADDRESS_MASK = 0x00ff_ffff_ffff_fffcL;

  /// Keeps the bits of a user-space address that is a multiple of two.
  public static final long SHORT_ADDRESS_MASK = 0x00ff_ffff_ffff_fffeL;

  public static final VarHandle BYTE = exact(ValueLayout.JAVA_BYTE);
  public static final VarHandle SHORT = exact(ValueLayout.JAVA_SHORT);
  public static final VarHandle CHAR = exact(ValueLayout.JAVA_CHAR);
  public static final VarHandle INT = exact(ValueLayout.JAVA_INT);
  public static final VarHandle LONG = exact(ValueLayout.JAVA_LONG);
  public static final VarHandle FLOAT = exact(ValueLayout.JAVA_FLOAT);
  public static final VarHandle DOUBLE = exact(ValueLayout.JAVA_DOUBLE);

  public static final VarHandle SHORT_ANY = exact(ValueLayout.JAVA_SHORT_UNALIGNED);
  public static final VarHandle CHAR_ANY = exact(ValueLayout.JAVA_CHAR_UNALIGNED);
  public static final VarHandle INT_ANY = exact(ValueLayout.JAVA_INT_UNALIGNED);
  public static final VarHandle LONG_ANY = exact(ValueLayout.JAVA_LONG_UNALIGNED);
  public static final VarHandle FLOAT_ANY = exact(ValueLayout.JAVA_FLOAT_UNALIGNED);
  public static final VarHandle DOUBLE_ANY = exact(ValueLayout.JAVA_DOUBLE_UNALIGNED);

  public static final VarHandle INT_BIG_ANY = big(ValueLayout.JAVA_INT_UNALIGNED);
  public static final VarHandle LONG_BIG_ANY = big(ValueLayout.JAVA_LONG_UNALIGNED);

  /// How many bytes of [#SCRATCH] may be touched; objects are smaller than that.
  public static final long SCRATCH_BYTES = Pages.UNIT_BYTES;

  /// The address of the scratch area where that lies below all other memory; 0 elsewhere.
  ///
  /// What objects keep of an address are [#bits], which are 0 for [#SCRATCH]. Where that is low,
  /// they are the distance from it, and the way back ends with a sum with a constant that fits into
  /// the access itself. Elsewhere they are made of the address XOR [#SCRATCH], and the way back
  /// takes one instruction more.
  public static final long ORIGIN = Pages.mapLow(SCRATCH_BYTES);

  /// The address of zero bytes that belong to nobody, where accesses through an object without an
  /// address end up. A constant of the process.
  public static final long SCRATCH = ORIGIN != 0 ? ORIGIN : anywhere();

  /// Bits are moved up by as much, so that moving them down leaves 56 of them, a number that C2
  /// knows to be in range. A mask for the same would be a constant of ten bytes in each place.
  public static final int BITS_SHIFT = 8;

  /// What [#bits] are XORed with: 0 where distances are counted from [#ORIGIN].
  public static final long MIX = (SCRATCH ^ ORIGIN) << BITS_SHIFT;

  private static long anywhere() {
    long address = Pages.map(SCRATCH_BYTES);
    if (address == 0) {
      throw new OutOfMemoryError("the operating system refuses the first two megabytes");
    }
    return address;
  }

  /// Keeps the bits of a user-space address, or of its distance from [#ORIGIN], and one bit less
  /// than [#bits] have room for: so C2 knows that a sum with such a number is in range, too, and
  /// leaves out both shifts where the bits are made and used in one place.
  public static final long DISTANCE_MASK = ANY_ADDRESS_MASK >>> 1;

  /// Returns the bits that an object keeps of its address, which is not below [#ORIGIN].
  public static long bits(long address) {
    return bitsAt(address - ORIGIN);
  }

  /// Returns the bits that an object keeps of an address at this distance from [#ORIGIN].
  public static long bitsAt(long distance) {
    return (distance << BITS_SHIFT) ^ MIX;
  }

  /// How far from [#ORIGIN] the address is that an object keeps as these bits.
  public static long distance(long bits) {
    return (bits ^ MIX) >>> BITS_SHIFT;
  }

  /// The address that an object keeps as these bits, in the form in which C2 knows its range and
  /// that it is a multiple of eight.
  public static long address(long bits) {
    return ((bits ^ MIX) >>> BITS_SHIFT & -Long.BYTES) + ORIGIN;
  }

  /// A hash code of the address that an object keeps as these bits. Objects lie at multiples of
  /// eight and often at equal distances, so that a product spreads what differs.
  public static int hashCode(long bits) {
    return (int) (((bits >>> (BITS_SHIFT + 3)) * 0x9e37_79b9_7f4a_7c15L) >>> Integer.SIZE);
  }

  private static VarHandle exact(ValueLayout layout) {
    return layout.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
  }

  private static VarHandle big(ValueLayout layout) {
    return layout.withOrder(ByteOrder.BIG_ENDIAN).varHandle().withInvokeExactBehavior();
  }

  /// The bytes `[address, address + bytes)` as a segment of the global scope, for bulk operations
  /// that end before the caller returns. Never handed to anybody outside this module.
  public static MemorySegment range(long address, long bytes) {
    return GLOBAL.asSlice(address & ANY_ADDRESS_MASK, bytes);
  }

  /// The bytes `[address, address + bytes)` as a segment that any code may hold: `owner` stays
  /// reachable as long as the segment, or any slice or buffer made from it, is.
  // SAFETY: bounds: the caller's own; lifetime: the cleanup action of the scope holds the owner,
  // and the JDK's cleaner holds the action until the scope, which every slice and buffer refers
  // to, is unreachable; thread: an automatic scope is open to all threads and is never closed.
  @SuppressWarnings("restricted")
  public static MemorySegment segment(long address, long bytes, Object owner) {
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, Arena.ofAuto(), ended -> Reference.reachabilityFence(owner));
  }
}
