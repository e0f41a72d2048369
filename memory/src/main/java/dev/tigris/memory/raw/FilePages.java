package dev.tigris.memory.raw;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Pages of files, laid over a range that [Pool] has handed out and taken off again: the addresses
/// stay mapped all the time, to something.
///
/// A page that lies behind the end of its file, because somebody made the file shorter, cannot be
/// touched. HotSpot turns that into an [InternalError] where compiled code, or one of the JDK's own
/// copying routines, touches memory; the routines for checksums and comparisons it does not watch.
/// So nothing in this module gives them such pages: they are copied first.
public final class FilePages {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = Pages.LINUX ? 0x80000 : 0x1000000;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_FIXED = 0x10;
  private static final int MAP_ANONYMOUS = Pages.LINUX ? 0x20 : 0x1000;
  private static final int MAP_NORESERVE = Pages.LINUX ? 0x4000 : 0x40;
  private static final int MS_SYNC = Pages.LINUX ? 4 : 0x10;

  private static final int EINTR = 4;

  /// What users can do something about, in the words of the system: EFBIG, ENOSPC and EDQUOT.
  private static final Map<Integer, String> REASONS =
      Map.ofEntries(
          Map.entry(27, "File too large"),
          Map.entry(28, "No space left on device"),
          Map.entry(Pages.LINUX ? 122 : 69, "Disk quota exceeded"));

  /// What fallocate(2) says of other kinds of files, file systems and kernels: ENODEV, ESPIPE,
  /// ENOSYS, EOPNOTSUPP.
  private static final Set<Integer> UNABLE = Set.of(19, 29, 38, 95);

  private static final Path PAGE_MAP = Path.of("/proc/self/pagemap");
  private static final long PAGE_IS_PRESENT = 1L << 63;
  private static final long PAGE_IS_SWAPPED = 1L << 62;
  private static final long PAGE_IS_OF_FILE = 1L << 61;

  /// What a function of [#link] leaves its error in.
  static final MemoryLayout STATE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private FilePages() {}

  /// The size of a page in bytes.
  public static long pageBytes() {
    NativeAccess.require();
    return Native.PAGE_BYTES;
  }

  /// Opens a file and returns its descriptor.
  public static int open(Path file, boolean writable) throws IOException {
    if (!Pages.POSIX) {
      throw new UnsupportedOperationException("files can be mapped on Linux and macOS only");
    }
    NativeAccess.require();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file.toFile().getPath());
      MemorySegment errno = arena.allocate(STATE);
      int flags = (writable ? O_RDWR : 0) | O_CLOEXEC;
      int descriptor = (int) Native.OPEN.invokeExact(errno, name, flags);
      check(descriptor, errno, "open " + file);
      return descriptor;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("open could not be called", e);
    }
  }

  /// The file behind a descriptor as a name that can be opened: the same file, whatever has become
  /// of its own name since.
  public static Path name(int descriptor) {
    return Path.of("/dev/fd/" + descriptor);
  }

  public static void close(int descriptor) {
    try {
      // Nothing was written through it, so there is nothing that could fail.
      int _ = (int) Native.CLOSE.invokeExact(descriptor);
    } catch (Throwable e) {
      throw new IllegalStateException("close could not be called", e);
    }
  }

  /// Gives a file blocks of its own for `bytes` bytes from `from` on, which read as zeros, and
  /// makes it longer if it must.
  ///
  /// @return false if this system, or the one that the file is on, cannot do that
  /// @throws IOException if there is no room: the file may be longer than it was
  public static boolean reserve(int descriptor, long from, long bytes) throws IOException {
    if (!Pages.LINUX) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(STATE);
      int result;
      do {
        result = (int) Reserving.FALLOCATE.invokeExact(errno, descriptor, 0, from, bytes);
      } while (result < 0 && error(errno) == EINTR);
      if (result < 0 && UNABLE.contains(error(errno))) {
        return false;
      }
      check(result, errno, "reserve %d bytes".formatted(bytes));
      return true;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("fallocate could not be called", e);
    }
  }

  /// Maps a file to wherever the kernel likes, and unmaps it. To be called before [#map]: not every
  /// file can be mapped, and where Linux finds that out late, it has already taken away what was
  /// mapped at the place that was asked for.
  public static void tryToMap(int descriptor, long bytes, boolean shared) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(STATE);
      int flags = flags(shared);
      long mapped =
          (long) Native.MMAP.invokeExact(errno, 0L, bytes, PROT_READ_WRITE, flags, descriptor, 0L);
      check(mapped == -1 ? -1 : 0, errno, "map the file");
      int unmapped = (int) Native.MUNMAP.invokeExact(errno, mapped, bytes);
      check(unmapped, errno, "unmap the file");
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("mmap could not be called", e);
    }
  }

  private static int flags(boolean shared) {
    return shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;
  }

  /// Lays the first `bytes` of a file over a range of the pool. What is written reaches the file if
  /// `shared`, and stays with this process otherwise. Where this fails, nobody knows what the range
  /// is: it must not be used again.
  public static void map(int descriptor, long address, long bytes, boolean shared)
      throws IOException {
    try {
      mapOver(address, bytes, flags(shared), descriptor, "map the file");
    } catch (IOException e) {
      // What lay there may be gone, and late accesses are to find memory.
      Pages.fill(address, bytes);
      throw e;
    }
  }

  /// Takes the file off again: the range reads as zeros.
  public static void unmap(long address, long bytes) throws IOException {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    mapOver(address, bytes, flags, -1, "take a file off its range");
  }

  private static void mapOver(long address, long bytes, int flags, int descriptor, String what)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(STATE);
      int fixed = flags | MAP_FIXED;
      long mapped =
          (long)
              Native.MMAP.invokeExact(
                  errno, address, bytes, PROT_READ_WRITE, fixed, descriptor, 0L);
      check(mapped == address ? 0 : -1, errno, what);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("mmap could not be called", e);
    }
  }

  /// Waits until what was written to a shared mapping is on the disk.
  public static void sync(long address, long bytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(STATE);
      int result = (int) Native.MSYNC.invokeExact(errno, address, bytes, MS_SYNC);
      check(result, errno, "write the mapped pages");
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("msync could not be called", e);
    }
  }

  /// Which pages of a mapping that is not shared this process has written to, by number; null where
  /// the operating system does not tell.
  ///
  /// Linux: an entry of eight bytes for each page says whether it is one of the file, or has become
  /// one of the process's own.
  public static long @Nullable [] ownPages(long address, long bytes) {
    if (!Pages.LINUX) {
      return null;
    }
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

  /// Throws what [#link] left, where a result says that there is an error.
  static void check(int result, MemorySegment errno, String what) throws IOException {
    if (result < 0) {
      int error = error(errno);
      throw new IOException(
          "could not %s: %s".formatted(what, REASONS.getOrDefault(error, "error " + error)));
    }
  }

  private static int error(MemorySegment errno) {
    return (int) ERRNO.get(errno, 0L);
  }

  /// A function of the C library that leaves its error in its first argument, for [#check].
  // SAFETY: nothing is called here; who calls the function says why it is safe.
  @SuppressWarnings("restricted")
  static MethodHandle link(String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
    all[options.length] = Linker.Option.captureCallState("errno");
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
  }

  /// Apart from the other calls, which who only reserves does not need.
  // SAFETY: bounds, lifetime: no memory is handed over; thread: the call is thread-safe.
  private static final class Reserving {
    static final MethodHandle FALLOCATE =
        link(
            "fallocate",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG));
  }

  /// The calls, linked on first use.
  // SAFETY: bounds: mappings are only laid over, and synced within, ranges that the pool has
  // handed out to the caller for that purpose; lifetime: a mapping is replaced by another and never
  // removed, but for trials that nobody has seen; the hole that a failed one may leave is filled
  // unless others were quicker; thread: all calls are thread-safe.
  private static final class Native {
    static final MethodHandle OPEN =
        link("open", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    static final MethodHandle MMAP =
        link(
            "mmap",
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG);
    static final MethodHandle MUNMAP =
        link("munmap", ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    static final MethodHandle MSYNC =
        link(
            "msync",
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT);
    static final MethodHandle CLOSE =
        plain("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    static final long PAGE_BYTES = askPageBytes();

    private static long askPageBytes() {
      try {
        MethodHandle ask = plain("getpagesize", FunctionDescriptor.of(ValueLayout.JAVA_INT));
        return (int) ask.invokeExact();
      } catch (Throwable e) {
        throw new IllegalStateException("getpagesize could not be called", e);
      }
    }

    private static MethodHandle link(String name, MemoryLayout result, MemoryLayout... arguments) {
      return FilePages.link(name, FunctionDescriptor.of(result, arguments));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle plain(String name, FunctionDescriptor descriptor) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }
  }
}
