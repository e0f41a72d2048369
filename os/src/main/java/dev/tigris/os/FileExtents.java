package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Asks Linux where the blocks of a file lie (`FS_IOC_FIEMAP`).
///
/// ```
///   struct fiemap         0 start | 8 length | 16 flags | 20 mapped_extents | 24 extent_count
///                        28 reserved | 32 extents ...
///   struct fiemap_extent  0 logical | 8 physical | 16 length | 24 reserved (2)
///                        40 flags | 44 reserved (3)
/// ```
public final class FileExtents {
  private static final long FIEMAP = 0xC020660BL;
  private static final int LAST = 1;
  private static final int UNKNOWN = 2;
  private static final int DELAYED = 4;

  /// Within the file system's own records, or with other data, or with other files.
  private static final int NOT_OWN = 0x200 | 0x400 | 0x2000;

  private static final long LENGTH_AT = 8;
  private static final long MAPPED_AT = 20;
  private static final long COUNT_AT = 24;
  private static final long EXTENTS_AT = 32;
  private static final long EXTENT_BYTES = 56;
  private static final long EXTENT_LENGTH_AT = 16;
  private static final long EXTENT_FLAGS_AT = 40;

  private static final int EXTENTS = 512;

  private FileExtents() {}

  /// Returns how many of the bytes from `start` on lie in blocks that are this file's alone. Bytes
  /// in holes do not, nor those that `cp --reflink` or a snapshot shares. Blocks that the file
  /// system has set aside for the file, and not chosen yet, count. Returns -1 where the file system
  /// does not say.
  public static long ownBytes(int descriptor, long start, long bytes) {
    if (!Platform.LINUX) {
      return -1;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment map = arena.allocate(EXTENTS_AT + EXTENTS * EXTENT_BYTES, Long.BYTES);
      long own = 0;
      long last = start + bytes;
      for (long from = start; from < last; ) {
        map.asSlice(0, EXTENTS_AT).fill((byte) 0);
        map.set(ValueLayout.JAVA_LONG, 0, from);
        map.set(ValueLayout.JAVA_LONG, LENGTH_AT, last - from);
        map.set(ValueLayout.JAVA_INT, COUNT_AT, EXTENTS);
        long result = Native.IOCTL.call(descriptor, FIEMAP, map.address());
        int count = map.get(ValueLayout.JAVA_INT, MAPPED_AT);
        if (result == -SystemException.INTERRUPTED) {
          continue;
        }
        if (result != 0 || count < 0 || count > EXTENTS) {
          return -1;
        }
        if (count == 0) {
          return own; // a hole is the rest
        }
        for (int i = 0; i < count; i++) {
          own += ownBytes(extent(map, i), from, last);
        }
        MemorySegment behind = extent(map, count - 1);
        long next = end(behind);
        if (next <= from || (flags(behind) & LAST) != 0) {
          return own;
        }
        from = next;
      }
      return own;
    }
  }

  /// How many bytes of an extent are the file's own, and between two places of the file.
  private static long ownBytes(MemorySegment extent, long from, long to) {
    int flags = flags(extent);
    boolean isPlaced = (flags & UNKNOWN) == 0 || (flags & DELAYED) != 0;
    if (!isPlaced || (flags & NOT_OWN) != 0) {
      return 0;
    }
    long start = Math.max(from, extent.get(ValueLayout.JAVA_LONG, 0));
    return Math.max(0, Math.min(to, end(extent)) - start);
  }

  private static int flags(MemorySegment extent) {
    return extent.get(ValueLayout.JAVA_INT, EXTENT_FLAGS_AT);
  }

  private static long end(MemorySegment extent) {
    return extent.get(ValueLayout.JAVA_LONG, 0)
        + extent.get(ValueLayout.JAVA_LONG, EXTENT_LENGTH_AT);
  }

  private static MemorySegment extent(MemorySegment map, int index) {
    return map.asSlice(EXTENTS_AT + index * EXTENT_BYTES, EXTENT_BYTES);
  }

  // SAFETY: bounds: the structure says how many extents there is room for behind it; lifetime: the
  // arena is closed after the last call; thread: the call is thread-safe.
  private static final class Native {
    static final LibraryFunction IOCTL = LibraryFunction.ofInt("ioctl");
  }
}
