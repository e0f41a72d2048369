package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/// Files by descriptor, for what the JDK does not do with its own: mapping them to a given place,
/// reserving their blocks, and locking them such that no other descriptor ends that.
public final class FileDescriptors {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = Platform.LINUX ? 0x80000 : 0x1000000;

  private static final int LOCK_SH = 1;
  private static final int LOCK_EX = 2;
  private static final int LOCK_NB = 4;
  private static final int EWOULDBLOCK = Platform.LINUX ? 11 : 35;

  /// The charset of file names, which the JDK takes from the locale when it starts.
  private static final Charset NAMES =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"), StandardCharsets.UTF_8);

  /// What fallocate(2) says of other kinds of files, file systems and kernels: ENODEV, ESPIPE,
  /// ENOSYS, EOPNOTSUPP.
  private static final Set<Integer> UNABLE = Set.of(19, 29, 38, 95);

  private FileDescriptors() {}

  /// Opens a file and returns its descriptor.
  public static int open(Path file, boolean writable) throws SystemException {
    Platform.requirePosix("mapping a file");
    NativeAccess.own().require();
    try (Arena arena = Arena.ofConfined()) {
      long name = name(arena, file).address();
      int flags = (writable ? O_RDWR : 0) | O_CLOEXEC;
      return (int) SystemException.check("open " + file, Native.OPEN.call(name, flags));
    }
  }

  /// A file's name for the system, with a zero behind it.
  static MemorySegment name(Arena arena, Path file) {
    byte[] name = file.toFile().getPath().getBytes(NAMES);
    MemorySegment all = arena.allocate(name.length + 1L);
    return all.copyFrom(MemorySegment.ofArray(name));
  }

  /// The file behind a descriptor as a name that can be opened: the same file, whatever has become
  /// of its own name since.
  public static Path name(int descriptor) {
    return Path.of("/dev/fd/" + descriptor);
  }

  public static void close(int descriptor) {
    // Nothing was written through it, so there is nothing that could fail.
    Native.CLOSE.call(descriptor);
  }

  /// Gives a file blocks of its own for `bytes` bytes from `from` on, which read as zeros, and
  /// makes it longer if it must.
  ///
  /// @return false if this system, or the one that the file is on, cannot do that
  /// @throws SystemException if there is no room: the file may be longer than it was
  public static boolean reserve(int descriptor, long from, long bytes) throws SystemException {
    if (!Platform.LINUX) {
      return false;
    }
    long result;
    do {
      result = Native.Reserving.FALLOCATE.call(descriptor, 0, from, bytes);
    } while (result == -SystemException.INTERRUPTED);
    if (UNABLE.contains((int) -result)) {
      return false;
    }
    SystemException.check("reserve " + bytes + " bytes", result);
    return true;
  }

  /// Locks the file behind a descriptor, until that is closed: for it alone, or, if `shared`, with
  /// others that are too. Does not wait.
  ///
  /// @return false if another descriptor has it, of this process or another
  public static boolean lock(int descriptor, boolean shared) throws SystemException {
    int operation = (shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
    long result;
    do {
      result = Native.FLOCK.call(descriptor, operation);
    } while (result == -SystemException.INTERRUPTED);
    if (result == -EWOULDBLOCK) {
      return false;
    }
    SystemException.check("lock a file", result);
    return true;
  }

  // SAFETY: bounds: the one buffer is the name, which ends with a zero; lifetime: it outlives the
  // call; thread: all calls are thread-safe.
  private static final class Native {
    static final LibraryFunction OPEN = LibraryFunction.ofInt("open");
    static final LibraryFunction CLOSE = LibraryFunction.ofInt("close");
    static final LibraryFunction FLOCK = LibraryFunction.ofInt("flock");

    /// Linux has it.
    static final class Reserving {
      static final LibraryFunction FALLOCATE = LibraryFunction.ofInt("fallocate");
    }
  }
}
