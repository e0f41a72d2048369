package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The calls that disks need: open around the page cache, transfers at positions, and questions
/// about files, devices and file systems. Linux; transfers and plain opening on macOS, too.
///
/// Transfers return what the function does, or the number of the error below zero.
// SAFETY: bounds: every buffer is a segment whose own length is passed, or has the size of its
// structure; lifetime: no call keeps an address, and segments are fenced; thread: all are
// thread-safe.
public final class DiskCalls {
  private static final int O_RDWR = 2;
  private static final int O_CREAT = Platform.LINUX ? 0x40 : 0x200;
  private static final int O_EXCL = Platform.LINUX ? 0x80 : 0x800;
  private static final int O_CLOEXEC = Platform.LINUX ? 0x80000 : 0x1000000;
  private static final int O_DIRECT =
      System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;
  private static final int NEW = 0666;

  // struct statx
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_TYPE_AND_SIZE = 0x1 | 0x200;
  private static final int STATX_DIOALIGN = 0x2000;
  private static final int STATX_WRITE_ATOMIC = 0x10000;
  private static final int STATX_BYTES = 256;
  private static final int BLOCK_BYTES_AT = 4;
  private static final int MODE_AT = 28;
  private static final int DEVICE_AT = 128;
  private static final int MEMORY_ALIGNMENT_AT = 152;
  private static final int POSITION_ALIGNMENT_AT = 156;
  private static final int ATOMIC_MOST_AT = 172;
  private static final int KIND_MASK = 0xF000;
  private static final int BLOCK_DEVICE = 0x6000;
  private static final int CHARACTER_DEVICE = 0x2000;
  private static final int REGULAR_FILE = 0x8000;

  private static final long BLOCK_DEVICE_SECTOR = 0x1268; // BLKSSZGET
  private static final long CLONE = 0x40049409; // FICLONE
  private static final long CACHESTAT_CALL = 451;
  private static final int FILE_SYSTEM_BYTES = 256;

  private DiskCalls() {}

  /// The kind of a file.
  public enum Kind {
    REGULAR,
    BLOCK_DEVICE,
    CHARACTER_DEVICE,
    OTHER
  }

  /// The answers of the system about an open file.
  ///
  /// @param blockBytes the size of a transfer that it prefers
  /// @param directMemory what the address of a direct transfer is a multiple of; 0 if there is no
  ///     direct I/O, and -1 if the kernel does not say
  /// @param directPosition what its position and size are multiples of; likewise
  /// @param untornBytes the largest write that is never torn; 0 if the kernel does not say
  /// @param device where it is, or what it is if it is a device: major number in the upper half
  public record Facts(
      Kind kind,
      int blockBytes,
      int directMemory,
      int directPosition,
      int untornBytes,
      long device) {}

  /// Opens a file, and returns the descriptor.
  ///
  /// @param make whether it must be new
  /// @param direct around the page cache; Linux
  /// @param alone of a block device, whether it must not be in use, as by a mounted file system
  /// @throws SystemException with [SystemException#INVALID] if there is no direct I/O
  public static int open(Path file, boolean writable, boolean make, boolean direct, boolean alone)
      throws SystemException {
    Platform.requirePosix("opening files by descriptor");
    NativeAccess.own().require();
    try (Arena arena = Arena.ofConfined()) {
      int flags = O_CLOEXEC;
      flags |= writable ? O_RDWR : 0;
      flags |= make ? O_CREAT | O_EXCL : 0;
      flags |= alone ? O_EXCL : 0;
      flags |= direct ? O_DIRECT : 0;
      long name = FileDescriptors.name(arena, file).address();
      String what = (make ? "make " : "open ") + file;
      return (int) SystemException.check(what, Native.OPEN.call(name, flags, NEW));
    }
  }

  /// Whether files can be opened for direct I/O on this system.
  public static boolean hasDirect() {
    return Platform.LINUX;
  }

  /// Reads from a position.
  public static long read(int fd, MemorySegment to, long position) {
    try {
      return Native.PREAD.call(fd, to.address(), to.byteSize(), position);
    } finally {
      Reference.reachabilityFence(to);
    }
  }

  /// Writes to a position.
  public static long write(int fd, MemorySegment from, long position) {
    try {
      return Native.PWRITE.call(fd, from.address(), from.byteSize(), position);
    } finally {
      Reference.reachabilityFence(from);
    }
  }

  /// Waits until what was written, and the size, is on the disk.
  public static long sync(int fd) {
    return Native.FSYNC.call(fd);
  }

  /// Cuts or lengthens a file.
  public static void resize(int fd, long bytes) throws SystemException {
    SystemException.check("resize a file to " + bytes + " bytes", Native.FTRUNCATE.call(fd, bytes));
  }

  /// Asks what a file is.
  public static Facts facts(int fd) throws SystemException {
    Platform.requireLinux("asking about a disk");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(1); // the empty name
      MemorySegment stat = arena.allocate(STATX_BYTES, Long.BYTES);
      int wanted = STATX_TYPE_AND_SIZE | STATX_DIOALIGN | STATX_WRITE_ATOMIC;
      long done = Native.STATX.call(fd, name.address(), AT_EMPTY_PATH, wanted, stat.address());
      SystemException.check("ask about a file", done);
      int known = stat.get(ValueLayout.JAVA_INT, 0);
      Kind kind = kind(stat.get(ValueLayout.JAVA_SHORT, MODE_AT));
      boolean hasDirect = (known & STATX_DIOALIGN) != 0;
      boolean hasAtomic = (known & STATX_WRITE_ATOMIC) != 0;
      boolean isDevice = kind == Kind.BLOCK_DEVICE || kind == Kind.CHARACTER_DEVICE;
      int deviceAt = isDevice ? DEVICE_AT : DEVICE_AT + Long.BYTES;
      long major = stat.get(ValueLayout.JAVA_INT, deviceAt);
      long minor = stat.get(ValueLayout.JAVA_INT, deviceAt + Integer.BYTES);
      return new Facts(
          kind,
          stat.get(ValueLayout.JAVA_INT, BLOCK_BYTES_AT),
          hasDirect ? stat.get(ValueLayout.JAVA_INT, MEMORY_ALIGNMENT_AT) : -1,
          hasDirect ? stat.get(ValueLayout.JAVA_INT, POSITION_ALIGNMENT_AT) : -1,
          hasAtomic ? stat.get(ValueLayout.JAVA_INT, ATOMIC_MOST_AT) : 0,
          major << Integer.SIZE | minor);
    }
  }

  private static Kind kind(int mode) {
    return switch (mode & KIND_MASK) {
      case REGULAR_FILE -> Kind.REGULAR;
      case BLOCK_DEVICE -> Kind.BLOCK_DEVICE;
      case CHARACTER_DEVICE -> Kind.CHARACTER_DEVICE;
      default -> Kind.OTHER;
    };
  }

  /// Returns the bytes of a sector of a block device; 0 if it does not say.
  public static int sectorBytes(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(ValueLayout.JAVA_INT);
      long done = Native.IOCTL.call(fd, BLOCK_DEVICE_SECTOR, size.address());
      return done < 0 ? 0 : size.get(ValueLayout.JAVA_INT, 0);
    }
  }

  /// Makes an empty file share the blocks of another (`cp --reflink`). Returns whether the file
  /// system can.
  public static boolean share(int from, int to) {
    return Native.IOCTL.call(to, CLONE, from) >= 0;
  }

  /// Returns how many pages of the first bytes of a file are in the page cache; -1 where the kernel
  /// does not tell (`cachestat`, from Linux 6.5 on).
  public static long cachedPages(int fd, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(2 * Long.BYTES, Long.BYTES);
      MemorySegment stat = arena.allocate(5 * Long.BYTES, Long.BYTES);
      range.set(ValueLayout.JAVA_LONG, Long.BYTES, bytes);
      long done = Calls.syscall(CACHESTAT_CALL, fd, range.address(), stat.address(), 0);
      return done < 0 ? -1 : stat.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /// Returns the number of the kind of a file system, as statfs(2) lists them; null if it does not
  /// say.
  public static @Nullable Long fileSystem(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment about = arena.allocate(FILE_SYSTEM_BYTES, Long.BYTES);
      long done = Native.FSTATFS.call(fd, about.address());
      return done < 0 ? null : about.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  // SAFETY: see the class.
  private static final class Native {
    static final LibraryFunction OPEN = LibraryFunction.ofInt("open");
    static final LibraryFunction PREAD = LibraryFunction.ofLong("pread");
    static final LibraryFunction PWRITE = LibraryFunction.ofLong("pwrite");
    static final LibraryFunction FSYNC = LibraryFunction.ofInt("fsync");
    static final LibraryFunction FTRUNCATE = LibraryFunction.ofInt("ftruncate");
    static final LibraryFunction STATX = LibraryFunction.ofInt("statx");
    static final LibraryFunction FSTATFS = LibraryFunction.ofInt("fstatfs");
    static final LibraryFunction IOCTL = LibraryFunction.ofInt("ioctl");
  }
}
