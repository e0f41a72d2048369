package dev.tigris.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;

/// Files by descriptor, for what the JDK does not do with its own: mapping them to a given place,
/// reserving their blocks, and locking them such that no other descriptor ends that.
public final class FileDescriptors {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = Platform.LINUX ? 0x80000 : 0x1000000;

  /// A file without a name, and the permissions of one that only its maker may use. Linux; on
  /// aarch64 the bit of a folder in it is another one.
  private static final int O_TMPFILE =
      0x400000 | (System.getProperty("os.arch").equals("aarch64") ? 0x4000 : 0x10000);

  private static final int OWN = 0600;

  // A file that is new, on Linux, and its permissions, of which the user's mask takes some.
  private static final int O_CREAT = 0x40;
  private static final int O_EXCL = 0x80;
  private static final int NEW = 0666;
  private static final int ENOENT = 2;
  private static final int EEXIST = 17;

  /// A mode of fallocate(2): blocks that the file shares with others (`cp --reflink`) become its
  /// own.
  private static final int FALLOC_FL_UNSHARE_RANGE = 0x40;

  private static final int LOCK_SH = 1;
  private static final int LOCK_EX = 2;
  private static final int LOCK_NB = 4;
  private static final int LOCK_UN = 8;

  // The lock of some bytes that belongs to the open file, as flock(2)'s does. Linux 3.15.
  private static final int F_OFD_GETLK = 36;
  private static final int F_OFD_SETLK = 37;
  private static final int F_RDLCK = 0;
  private static final int F_WRLCK = 1;
  private static final int F_UNLCK = 2;
  private static final int RANGE_BYTES = 32;
  private static final int RANGE_START_AT = 8;
  private static final int RANGE_LENGTH_AT = 16;
  private static final int EWOULDBLOCK = Platform.LINUX ? 11 : 35;

  /// The charset of file names, which the JDK takes from the locale when it starts.
  private static final Charset NAMES =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"), StandardCharsets.UTF_8);

  /// What fallocate(2) says of other kinds of files, file systems and kernels: ENODEV, ESPIPE,
  /// ENOSYS, EOPNOTSUPP.
  private static final Set<Integer> UNABLE = Set.of(19, 29, 38, 95);

  /// What statx(2) is asked for, and where it puts it. The descriptor itself is meant, not a name.
  private static final int AT_EMPTY_PATH = 0x1000;

  private static final int STATX_BLOCKS = 0x400;
  private static final int STATX_BYTES = 256;
  private static final int STATX_BLOCKS_AT = 48;

  /// A block of statx(2), whatever blocks the file system has.
  private static final int BLOCK_BYTES = 512;

  private static final Path NOTHING = Path.of("/dev/null");

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

  /// Makes a file, opens it for writing, and returns its descriptor.
  ///
  /// @throws java.nio.file.FileAlreadyExistsException if there is one
  /// @throws java.nio.file.NoSuchFileException if its folder is missing
  public static int make(Path file) throws IOException {
    if (!Platform.LINUX) { // where the mode of a new file is passed in another way
      Files.createFile(file);
      return open(file, true);
    }
    NativeAccess.own().require();
    try (Arena arena = Arena.ofConfined()) {
      long name = name(arena, file).address();
      int flags = O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC;
      long opened = Native.OPEN.call(name, flags, NEW);
      if (opened == -EEXIST) {
        throw new FileAlreadyExistsException(file.toString());
      }
      if (opened == -ENOENT) {
        throw new NoSuchFileException(file.toString());
      }
      return (int) SystemException.check("make " + file, opened);
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

  /// Whether this process can open so many more files.
  public static boolean areLeft(int count) {
    int[] opened = new int[count];
    int number = 0;
    try {
      for (; number < count; number++) {
        opened[number] = open(NOTHING, false);
      }
      return true;
    } catch (ScarceException e) {
      return false;
    } catch (SystemException e) {
      return true; // it is not for want of a descriptor
    } finally {
      for (int i = 0; i < number; i++) {
        close(opened[i]);
      }
    }
  }

  /// Returns the size of the file behind a descriptor.
  public static long size(int descriptor) throws SystemException {
    return SystemException.check("read the size of a file", SharedMemory.bytesOf(descriptor));
  }

  /// Returns how many bytes of the disk a file takes, or -1 where the system does not say. That is
  /// less than its size if it has holes, and may be more, with what the file system needs itself.
  public static long allocatedBytes(int descriptor) throws SystemException {
    if (!Platform.LINUX) {
      return -1;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(1); // the empty name
      MemorySegment stat = arena.allocate(STATX_BYTES, Long.BYTES);
      long result =
          Native.Linux.STATX.call(
              descriptor, name.address(), AT_EMPTY_PATH, STATX_BLOCKS, stat.address());
      if (result == -SystemException.NO_SUCH_CALL) {
        return -1;
      }
      SystemException.check("read the blocks of a file", result);
      return stat.get(ValueLayout.JAVA_LONG, STATX_BLOCKS_AT) * BLOCK_BYTES;
    }
  }

  /// Waits until a file is on the disk, its size included. An interrupt does not end that.
  public static void sync(int descriptor) throws SystemException {
    SystemException.check("force a file to the disk", Native.FSYNC.call(descriptor));
  }

  /// Gives a file blocks of its own for `bytes` bytes from `from` on, which read as zeros, and
  /// makes it longer if it must.
  ///
  /// @return false if this system, or the one that the file is on, cannot do that
  /// @throws SystemException if there is no room: the file may be longer than it was
  public static boolean reserve(int descriptor, long from, long bytes) throws SystemException {
    return allocate(descriptor, 0, from, bytes);
  }

  /// Gives a file blocks of its own for bytes that it has. Where its blocks may be those of other
  /// files, too (XFS), it gets copies, since a later write would need them. Otherwise as
  /// [#reserve].
  ///
  /// @throws SystemException if there is no room: some of the bytes may have their copies by then
  public static boolean reserveOwn(int descriptor, long from, long bytes) throws SystemException {
    return allocate(descriptor, FALLOC_FL_UNSHARE_RANGE, from, bytes)
        || reserve(descriptor, from, bytes);
  }

  /// Whether the file system of a folder, and the quota there, has room for so many bytes more: a
  /// file without a name gets them for a moment. True also where that cannot be found out.
  public static boolean isRoomFor(Path folder, long bytes) {
    if (!Platform.LINUX) {
      return true;
    }
    try (Arena arena = Arena.ofConfined()) {
      long name = name(arena, folder).address();
      int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
      long opened = SystemException.check("make a file", Native.OPEN.call(name, flags, OWN));
      try {
        boolean _ = reserve((int) opened, 0, bytes);
      } finally {
        close((int) opened);
      }
      return true;
    } catch (SystemException e) {
      return !e.isForWantOfRoom();
    }
  }

  private static boolean allocate(int descriptor, int mode, long from, long bytes)
      throws SystemException {
    if (!Platform.LINUX) {
      return false;
    }
    long result;
    do {
      result = Native.Linux.FALLOCATE.call(descriptor, mode, from, bytes);
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

  /// Gives the lock of a descriptor up.
  public static void unlock(int descriptor) {
    // It cannot fail where there was a lock, and else there is nothing to give up.
    Native.FLOCK.call(descriptor, LOCK_UN);
  }

  /// Locks one byte of a file, which need not be there, apart from [#lock]. It belongs to the
  /// descriptor as well, which must be open for writing unless the lock is `shared`. Does not wait.
  ///
  /// @return false if another descriptor has it
  /// @throws SystemException also where the system, or the file system, has no such locks
  public static boolean lockByte(int descriptor, long at, boolean shared) throws SystemException {
    if (!Platform.LINUX) {
      throw new SystemException("lock a byte of a file", SystemException.INVALID);
    }
    long result = setLock(descriptor, at, shared ? F_RDLCK : F_WRLCK);
    if (result == -EWOULDBLOCK || result == -SystemException.NO_ACCESS) {
      return false;
    }
    SystemException.check("lock a byte of a file", result);
    return true;
  }

  /// Gives up what [#lockByte] has locked.
  public static void unlockByte(int descriptor, long at) {
    if (Platform.LINUX) {
      long _ = setLock(descriptor, at, F_UNLCK); // as for unlock
    }
  }

  /// Whether another descriptor has a lock of this one byte that is not shared. A lock of more
  /// bytes, such as one of the whole file, is none.
  public static boolean isLockedByItself(int descriptor, long at) throws SystemException {
    if (!Platform.LINUX) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = range(arena, at, F_RDLCK);
      SystemException.check(
          "look at the locks of a file", lockCall(descriptor, F_OFD_GETLK, range));
      return range.get(ValueLayout.JAVA_SHORT, 0) != F_UNLCK
          && range.get(ValueLayout.JAVA_LONG, RANGE_START_AT) == at
          && range.get(ValueLayout.JAVA_LONG, RANGE_LENGTH_AT) == 1;
    }
  }

  private static long setLock(int descriptor, long at, int kind) {
    try (Arena arena = Arena.ofConfined()) {
      return lockCall(descriptor, F_OFD_SETLK, range(arena, at, kind));
    }
  }

  private static MemorySegment range(Arena arena, long at, int kind) {
    MemorySegment range = arena.allocate(RANGE_BYTES, Long.BYTES);
    range.set(ValueLayout.JAVA_SHORT, 0, (short) kind);
    range.set(ValueLayout.JAVA_LONG, RANGE_START_AT, at);
    range.set(ValueLayout.JAVA_LONG, RANGE_LENGTH_AT, 1);
    return range;
  }

  private static long lockCall(int descriptor, int command, MemorySegment range) {
    long result;
    do {
      result = Native.Linux.FCNTL.call(descriptor, command, range.address());
    } while (result == -SystemException.INTERRUPTED);
    return result;
  }

  // SAFETY: bounds: names end with a zero, and the buffers of statx and fcntl have the sizes of
  // their structures;
  // lifetime: both outlive the call; thread: all calls are thread-safe.
  private static final class Native {
    static final LibraryFunction OPEN = LibraryFunction.ofInt("open");
    static final LibraryFunction CLOSE = LibraryFunction.ofInt("close");
    static final LibraryFunction FLOCK = LibraryFunction.ofInt("flock");
    static final LibraryFunction FSYNC = LibraryFunction.ofInt("fsync");

    /// Linux has these.
    static final class Linux {
      static final LibraryFunction FALLOCATE = LibraryFunction.ofInt("fallocate");
      static final LibraryFunction FCNTL = LibraryFunction.ofInt("fcntl");
      static final LibraryFunction STATX = LibraryFunction.ofInt("statx");
    }
  }
}
