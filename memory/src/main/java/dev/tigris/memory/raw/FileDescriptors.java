package dev.tigris.memory.raw;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Set;

/// Files by descriptor, for what the JDK does not do with its own: mapping them to a given place,
/// and reserving their blocks. Each call is linked when it is first needed, since that takes longer
/// than a small sort has time for.
public final class FileDescriptors {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = Pages.LINUX ? 0x80000 : 0x1000000;

  /// What fallocate(2) says of other kinds of files, file systems and kernels: ENODEV, ESPIPE,
  /// ENOSYS, EOPNOTSUPP.
  private static final Set<Integer> UNABLE = Set.of(19, 29, 38, 95);

  private FileDescriptors() {}

  /// Opens a file and returns its descriptor.
  public static int open(Path file, boolean writable) throws IOException {
    if (!Pages.POSIX) {
      throw new UnsupportedOperationException("files can be mapped on Linux and macOS only");
    }
    NativeAccess.require();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file.toFile().getPath());
      MemorySegment errno = arena.allocate(Errno.STATE);
      int flags = (writable ? O_RDWR : 0) | O_CLOEXEC;
      int descriptor = (int) Opening.OPEN.invokeExact(errno, name, flags);
      Errno.check(descriptor, errno, "open " + file);
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
      int _ = (int) Opening.CLOSE.invokeExact(descriptor);
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
      MemorySegment errno = arena.allocate(Errno.STATE);
      int result;
      do {
        result = (int) Reserving.FALLOCATE.invokeExact(errno, descriptor, 0, from, bytes);
      } while (result < 0 && Errno.of(errno) == Errno.EINTR);
      if (result < 0 && UNABLE.contains(Errno.of(errno))) {
        return false;
      }
      Errno.check(result, errno, "reserve " + bytes + " bytes");
      return true;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("fallocate could not be called", e);
    }
  }

  // SAFETY: bounds: the one buffer is the name, which ends with a zero; lifetime: it outlives the
  // call; thread: both calls are thread-safe.
  private static final class Opening {
    static final MethodHandle OPEN =
        Errno.link(
            "open",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    static final MethodHandle CLOSE = close();

    @SuppressWarnings("restricted")
    private static MethodHandle close() {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow("close"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }
  }

  // SAFETY: bounds, lifetime: no memory is handed over; thread: the call is thread-safe.
  private static final class Reserving {
    static final MethodHandle FALLOCATE =
        Errno.link(
            "fallocate",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG));
  }
}
