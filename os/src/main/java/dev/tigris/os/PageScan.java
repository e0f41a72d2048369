package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Asks Linux which pages of a range it holds for this process alone (`PAGEMAP_SCAN`, from 6.7 on).
/// The kernel walks its own tables and skips what is not in memory, so the answer takes time for
/// pages that are.
///
/// ```
///   struct pm_scan_arg    0 size | 8 flags | 16 start | 24 end | 32 walk_end | 40 vec | 48 vec_len
///                        56 max_pages | 64 category_inverted | 72 category_mask
///                        80 category_anyof_mask | 88 return_mask
///   struct page_region    0 start | 8 end | 16 categories
/// ```
final class PageScan {
  static final long PAGEMAP_SCAN = 0xC0606610L;
  static final long PAGE_IS_FILE = 1 << 2;
  static final long PAGE_IS_PRESENT = 1 << 3;
  static final long PAGE_IS_SWAPPED = 1 << 4;

  static final long ARGUMENT_BYTES = 96;
  static final long REGION_BYTES = 24;

  private static final long START = 16;
  private static final long END = 24;
  private static final long WALK_END = 32;
  private static final long VECTOR = 40;
  private static final long VECTOR_LENGTH = 48;
  private static final long INVERTED = 64;
  private static final long MASK = 72;
  private static final long ANY_OF = 80;
  private static final long RETURNED = 88;

  private static final int REGIONS = 512;

  private PageScan() {}

  /// As [FilePages#ownPages]; null where the kernel has no such call.
  static long @Nullable [] ownPages(long address, long bytes) {
    int descriptor;
    try {
      descriptor = FileDescriptors.open(FilePages.PAGE_MAP, false);
    } catch (SystemException e) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      return scan(descriptor, address, bytes, arena);
    } finally {
      FileDescriptors.close(descriptor);
    }
  }

  private static long @Nullable [] scan(int descriptor, long address, long bytes, Arena arena) {
    long pageBytes = FilePages.pageBytes();
    long end = address + ((bytes + pageBytes - 1) & -pageBytes);
    MemorySegment argument = arena.allocate(ARGUMENT_BYTES, Long.BYTES);
    MemorySegment regions = arena.allocate(REGION_BYTES * REGIONS, Long.BYTES);
    set(argument, 0, ARGUMENT_BYTES);
    set(argument, END, end);
    set(argument, VECTOR, regions.address());
    set(argument, VECTOR_LENGTH, REGIONS);
    // Not one of the file, and in memory or swapped out.
    set(argument, INVERTED, PAGE_IS_FILE);
    set(argument, MASK, PAGE_IS_FILE);
    set(argument, ANY_OF, PAGE_IS_PRESENT | PAGE_IS_SWAPPED);
    set(argument, RETURNED, PAGE_IS_FILE);
    LongStream.Builder own = LongStream.builder();
    for (long from = address; from < end; ) {
      set(argument, START, from);
      long found = Native.IOCTL.call(descriptor, PAGEMAP_SCAN, argument.address());
      long next = get(argument, WALK_END);
      if (found == -SystemException.INTERRUPTED) {
        continue;
      }
      if (found < 0 || found > REGIONS || next <= from) {
        return null;
      }
      for (long region = 0; region < found; region++) {
        long last = get(regions, region * REGION_BYTES + Long.BYTES);
        for (long at = get(regions, region * REGION_BYTES); at < last; at += pageBytes) {
          own.add((at - address) / pageBytes);
        }
      }
      from = next;
    }
    return own.build().toArray();
  }

  private static void set(MemorySegment segment, long at, long value) {
    segment.set(ValueLayout.JAVA_LONG, at, value);
  }

  private static long get(MemorySegment segment, long at) {
    return segment.get(ValueLayout.JAVA_LONG, at);
  }

  // SAFETY: bounds: the argument has the size of its structure, and names the vector with its own
  // length; the range is only read from the kernel's tables; lifetime: the arena is closed after
  // the last call; thread: the call is thread-safe.
  private static final class Native {
    static final LibraryFunction IOCTL = LibraryFunction.ofInt("ioctl");
  }
}
