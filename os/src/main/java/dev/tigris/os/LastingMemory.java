package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Memory outside the heap that is never unmapped, by address: the rings that processes share, and
/// the views that messages lie in. An access is checked against the bounds only. An access to a
/// segment, which is also asked for its kind and whether it is open, takes some 25 instructions.
///
/// The addresses that [SharedMemory#mapLasting] has mapped stay. After [#close] zeros lie there at
/// first, and later the memory of another mapping. A late access finds those, and does not crash.
///
/// Thread rule: any thread, as plain memory; the thread that mapped it calls [#close], once.
public final class LastingMemory implements AutoCloseable {
  /// Addresses are kept moved up by as much: when they are moved down, the compiler knows that they
  /// are in range, and leaves the JDK's own check out.
  private static final int BITS_SHIFT = 8;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

  /// Private, anonymous, and without a reservation.
  private static final int MAP_NOTHING =
      Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS | Mappings.MAP_NORESERVE;

  /// The ranges that were given back, by their size: the process's, guarded by itself.
  private static final Map<Long, ArrayDeque<Long>> FREE = new HashMap<>();

  private final long bits;
  private final long bytes;

  /// How many of the bytes are whole words: 0 unless they begin at a multiple of eight, so that
  /// none that begins inside can end outside. Without a sign.
  private final int wordBytes;

  /// The same for everybody else, with the JDK's checks; null of a view. It holds what would be
  /// unmapped otherwise.
  private final @Nullable MemorySegment segment;

  private final Runnable end;

  private LastingMemory(long address, long bytes, @Nullable MemorySegment segment, Runnable end) {
    this.bits = address << BITS_SHIFT;
    this.bytes = bytes;
    boolean words = address % Long.BYTES == 0 && bytes <= Integer.MAX_VALUE;
    this.wordBytes = words ? (int) bytes & -Long.BYTES : 0;
    this.segment = segment;
    this.end = end;
  }

  private static LastingMemory over(MemorySegment segment, Runnable end) {
    return new LastingMemory(segment.address(), segment.byteSize(), segment, end);
  }

  /// The memory of a view, which the pool never unmaps. It does not hold the view: who uses it does
  /// that, so that it is nobody else's meanwhile.
  ///
  /// @param memory its segment, which takes a microsecond to make
  public static LastingMemory of(MemorySegment memory) {
    return new LastingMemory(memory.address(), memory.byteSize(), null, () -> {});
  }

  /// Memory of this process alone, of zeros: for one process that has both sides.
  public static LastingMemory allocate(long bytes) {
    return over(Arena.ofAuto().allocate(bytes, Long.BYTES), () -> {});
  }

  /// Maps a file of this size, which keeps it.
  ///
  /// @throws SystemException if the operating system refuses
  // SAFETY: bounds: the file has this size and keeps it; lifetime: it is laid over, and its
  // addresses are never unmapped; thread: `FREE` hands out each range to one caller at a time.
  @SuppressWarnings("restricted")
  static LastingMemory map(int file, long bytes, int flags) throws SystemException {
    long range = take(bytes);
    int where = range == 0 ? 0 : Mappings.MAP_FIXED;
    long mapped = Mappings.map(range, bytes, Mappings.PROT_READ_WRITE, flags | where, file, 0);
    if (mapped < 0 && range != 0) {
      // Older kernels have unmapped what lay there, and late accesses are to find memory. The range
      // is not used again, since it may now be another mapping's.
      Pages.fill(range, bytes);
    }
    SystemException.check("map shared memory", mapped);
    return over(MemorySegment.ofAddress(mapped).reinterpret(bytes), () -> takeOff(mapped, bytes));
  }

  /// A range that was used before, or 0.
  private static long take(long bytes) {
    synchronized (FREE) {
      ArrayDeque<Long> ranges = FREE.get(bytes);
      Long range = ranges == null ? null : ranges.poll();
      return range == null ? 0 : range;
    }
  }

  /// Lays zeros over a file that take no memory. If the system refuses that, the file stays there.
  private static void takeOff(long address, long bytes) {
    int flags = MAP_NOTHING | Mappings.MAP_FIXED;
    if (Mappings.map(address, bytes, Mappings.PROT_READ_WRITE, flags, -1, 0) == address) {
      synchronized (FREE) {
        FREE.computeIfAbsent(bytes, _ -> new ArrayDeque<>()).add(address);
      }
    }
  }

  /// Returns the length.
  public long bytes() {
    return bytes;
  }

  /// Returns a part, which ends with the whole; not of a view.
  public LastingMemory slice(long offset, long length) {
    return over(segment().asSlice(offset, length), () -> {});
  }

  /// Returns the memory as a segment; not of a view, which has its own.
  public MemorySegment segment() {
    return Objects.requireNonNull(segment);
  }

  /// Returns the memory for others to read, until the arena is closed; not of a view.
  // SAFETY: bounds: the segment's own; lifetime: it can only end sooner than the segment would,
  // whose addresses are never unmapped; thread: any, as plain memory that is only read.
  @SuppressWarnings("restricted")
  public MemorySegment forReading(Arena arena) {
    return segment().reinterpret(arena, null).asReadOnly();
  }

  /// For who accesses memory, and not for who only has some: that needs no native access.
  private static final class Everything {
    /// The whole address space.
    // SAFETY: bounds: each access is checked against those of its LastingMemory first; lifetime:
    // what that lies over is never unmapped, or held by it; thread: any, as plain memory.
    @SuppressWarnings("restricted")
    static final MemorySegment GLOBAL = MemorySegment.NULL.reinterpret(1L << 62);
  }

  /// The JDK checks that it is a multiple of the word's size, and so is the end of all words.
  private long word(long offset) {
    Objects.checkIndex(offset, Integer.toUnsignedLong(wordBytes));
    return (bits >>> BITS_SHIFT) + offset;
  }

  /// Reads the word at `offset`, which is a multiple of eight.
  public long getLong(long offset) {
    return (long) LONG.get(Everything.GLOBAL, word(offset));
  }

  /// Reads the word at `offset` with acquire. Partners and tests are named where it is called: the
  /// rings' in `RingReader` and `RingWriter`.
  public long getLongAcquire(long offset) {
    return (long) LONG.getAcquire(Everything.GLOBAL, word(offset));
  }

  /// Writes the word at `offset`, which is a multiple of eight.
  public void setLong(long offset, long value) {
    LONG.set(Everything.GLOBAL, word(offset), value);
  }

  /// Writes the word at `offset` with release. Partners and tests are named where it is called.
  public void setLongRelease(long offset, long value) {
    LONG.setRelease(Everything.GLOBAL, word(offset), value);
  }

  /// Reads the half of a word at `offset`, which is a multiple of four, with acquire.
  public int getIntAcquire(long offset) {
    return (int) INT.getAcquire(Everything.GLOBAL, word(offset));
  }

  /// Writes the half of a word at `offset`, which is a multiple of four, with release.
  public void setIntRelease(long offset, int value) {
    INT.setRelease(Everything.GLOBAL, word(offset), value);
  }

  /// Changes the half of a word at `offset`, which is a multiple of four, as a volatile one, and
  /// returns what was there before.
  public int getAndSetInt(long offset, int value) {
    return (int) INT.getAndSet(Everything.GLOBAL, word(offset), value);
  }

  /// Copies `size` bytes from `offset` on to `target`.
  ///
  /// @throws IndexOutOfBoundsException if they are not all within both
  public void copyTo(long offset, LastingMemory target, long targetOffset, long size) {
    // Objects.checkFromIndexSize is not always inlined, and 064 says what two calls cost here.
    if ((offset | targetOffset | size) < 0
        || size > bytes - offset
        || size > target.bytes - targetOffset) {
      throw outside(offset, target, targetOffset, size);
    }
    long from = (bits >>> BITS_SHIFT) + offset;
    long to = (target.bits >>> BITS_SHIFT) + targetOffset;
    MemorySegment.copy(Everything.GLOBAL, from, Everything.GLOBAL, to, size);
  }

  private IndexOutOfBoundsException outside(
      long offset, LastingMemory target, long targetOffset, long size) {
    return new IndexOutOfBoundsException(
        "%d bytes do not fit: from offset %d of %d to offset %d of %d"
            .formatted(size, offset, bytes, targetOffset, target.bytes));
  }

  /// Ends its use, if it was mapped: what it holds is gone, its addresses stay.
  @Override
  public void close() {
    end.run();
  }
}
