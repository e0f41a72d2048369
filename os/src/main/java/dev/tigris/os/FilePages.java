package dev.tigris.os;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Pages of files, laid over a range of mapped memory and taken off again. The addresses stay
/// mapped all the time.
///
/// A page behind the end of its file, because a process has made the file shorter, cannot be
/// touched. HotSpot turns that into an [InternalError] where compiled code or one of the JDK's own
/// copying routines touches memory. It does not watch the routines for checksums and comparisons,
/// so callers copy such pages first.
public final class FilePages {
  private static final int MS_SYNC = Platform.LINUX ? 4 : 0x10;

  static final Path PAGE_MAP = Path.of("/proc/self/pagemap");
  private static final long PAGE_IS_PRESENT = 1L << 63;
  private static final long PAGE_IS_SWAPPED = 1L << 62;
  private static final long PAGE_IS_OF_FILE = 1L << 61;

  private FilePages() {}

  /// The size of a page in bytes.
  public static long pageBytes() {
    NativeAccess.own().require();
    return Native.PAGE_BYTES;
  }

  /// Maps a file to wherever the kernel likes, and unmaps it. To be called before [#map]: not every
  /// file can be mapped, and where Linux finds that out late, it has already taken away what was
  /// mapped at the place that was asked for.
  public static void tryToMap(int descriptor, long bytes, boolean shared) throws IOException {
    tryToMap(descriptor, 0, bytes, shared);
  }

  /// As above, from a position of the file on, which is a multiple of [#pageBytes].
  public static void tryToMap(int descriptor, long position, long bytes, boolean shared)
      throws IOException {
    int flags = flags(shared);
    long mapped = Mappings.map(0, bytes, Mappings.PROT_READ_WRITE, flags, descriptor, position);
    SystemException.check("map the file", mapped);
    SystemException.check("unmap the file", Mappings.unmap(mapped, bytes));
  }

  private static int flags(boolean shared) {
    return shared ? Mappings.MAP_SHARED : Mappings.MAP_PRIVATE | Mappings.MAP_NORESERVE;
  }

  /// Lays the first `bytes` of a file over a range of the pool. What is written reaches the file if
  /// `shared`, and stays with this process otherwise. Where this fails, nobody knows what the range
  /// is: it must not be used again.
  public static void map(int descriptor, long address, long bytes, boolean shared)
      throws IOException {
    map(descriptor, 0, address, bytes, shared);
  }

  /// As above, from a position of the file on, which is a multiple of [#pageBytes].
  public static void map(int descriptor, long position, long address, long bytes, boolean shared)
      throws IOException {
    try {
      mapOver(address, bytes, flags(shared), descriptor, position, "map the file");
    } catch (IOException e) {
      // What lay there may be gone, and late accesses are to find memory.
      Pages.fill(address, bytes);
      throw e;
    }
  }

  /// Takes the file off again: the range reads as zeros.
  public static void unmap(long address, long bytes) throws IOException {
    int flags = Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS | Mappings.MAP_NORESERVE;
    mapOver(address, bytes, flags, -1, 0, "take a file off its range");
  }

  /// Lays a file over its range again, shared, after [#unmap] has failed: nothing
  /// may be mapped in a part of it. Changes nothing where the file is mapped still.
  ///
  /// @param position where in the file
  /// @param bytes the bytes of the file
  /// @param rangeBytes the bytes of the range, as many or more
  public static void mapAgain(
      int descriptor, long position, long address, long bytes, long rangeBytes) throws IOException {
    map(descriptor, position, address, bytes, true);
    long end = (bytes + pageBytes() - 1) & -pageBytes();
    Pages.fill(address + end, rangeBytes - end);
  }

  private static void mapOver(
      long address, long bytes, int flags, int descriptor, long position, String what)
      throws IOException {
    int fixed = flags | Mappings.MAP_FIXED;
    long mapped =
        Mappings.map(address, bytes, Mappings.PROT_READ_WRITE, fixed, descriptor, position);
    SystemException.check(what, mapped);
  }

  /// Waits until what was written to a shared mapping is on the disk.
  public static void sync(long address, long bytes) throws IOException {
    SystemException.check("write the mapped pages", Native.MSYNC.call(address, bytes, MS_SYNC));
  }

  /// Which pages of a mapping that is not shared this process has written to, by number; null where
  /// the operating system does not tell.
  public static long @Nullable [] ownPages(long address, long bytes) {
    if (!Platform.LINUX) {
      return null;
    }
    long[] scanned = PageScan.ownPages(address, bytes);
    return scanned == null ? listedPages(address, bytes) : scanned;
  }

  /// As [#ownPages], on any Linux: an entry of eight bytes for each page says whether it is one of
  /// the file, or has become one of the process's own. It takes time for each page of the mapping.
  static long @Nullable [] listedPages(long address, long bytes) {
    long pages = (bytes + pageBytes() - 1) / pageBytes();
    LongStream.Builder own = LongStream.builder();
    ByteBuffer entries = ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel map = FileChannel.open(PAGE_MAP, StandardOpenOption.READ)) {
      long first = address / pageBytes();
      for (long page = 0; page < pages; ) {
        entries.clear().limit((int) Math.min(entries.capacity(), (pages - page) * Long.BYTES));
        if (map.read(entries, (first + page) * Long.BYTES) < entries.limit()) {
          return null;
        }
        for (entries.flip(); entries.hasRemaining(); page++) {
          long entry = entries.getLong();
          boolean inMemory = (entry & PAGE_IS_PRESENT) != 0 && (entry & PAGE_IS_OF_FILE) == 0;
          if (inMemory || (entry & PAGE_IS_SWAPPED) != 0) {
            own.add(page);
          }
        }
      }
      return own.build().toArray();
    } catch (IOException e) {
      return null;
    }
  }

  // SAFETY: bounds: mappings are only laid over, and synced within, ranges that the pool has
  // handed out to the caller for that purpose; lifetime: a mapping is replaced by another and never
  // removed, but for trials that nobody has seen; the hole that a failed one may leave is filled
  // unless others were quicker; thread: all calls are thread-safe.
  private static final class Native {
    static final LibraryFunction MSYNC = LibraryFunction.ofInt("msync");
    static final long PAGE_BYTES = LibraryFunction.ofInt("getpagesize").call();
  }
}
