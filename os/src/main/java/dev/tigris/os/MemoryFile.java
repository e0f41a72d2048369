package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/// Files without a name that live in memory only, for processes that map them together
/// (memfd_create), and the seals that keep their size and their pages. Linux.
///
/// The kernel frees such a file when no process has it open or mapped: nothing can be left behind.
///
/// Thread rule: any thread.
public final class MemoryFile {
  static final int F_SEAL_SEAL = 1;
  static final int F_SEAL_SHRINK = 2;
  static final int F_SEAL_GROW = 4;
  static final int F_SEAL_WRITE = 8;
  static final int F_SEAL_FUTURE_WRITE = 16;

  private static final int CLOSE_ON_EXEC = 1;
  private static final int ALLOW_SEALING = 2;
  private static final int F_ADD_SEALS = 1033;
  private static final int F_GET_SEALS = 1034;

  private MemoryFile() {}

  /// Makes a file of zeros whose pages are reserved, and returns its descriptor: touching a page
  /// that cannot be had would be fatal. Its size is not sealed yet.
  ///
  /// @param name for tools that list the files and mappings of a process
  /// @param bytes its size; 0 for an empty file
  /// @throws ScarceException if the system has no memory or files for it now
  /// @throws SystemException if a limit forbids it, or the system cannot reserve memory
  /// @throws UnsupportedOperationException on other systems than Linux
  public static int create(String name, long bytes) throws SystemException {
    Platform.requireLinux("a file in memory");
    int descriptor = Native.create(name);
    try {
      if (bytes > 0) {
        reserve(descriptor, bytes);
      }
      return descriptor;
    } catch (Throwable e) { // whatever it is, only this method could close it
      FileDescriptors.close(descriptor);
      throw e;
    }
  }

  /// Reserves the pages of a file.
  static void reserve(int descriptor, long bytes) throws SystemException {
    if (!FileDescriptors.reserve(descriptor, 0, bytes)) {
      throw new SystemException("this system cannot reserve memory: fallocate is not allowed");
    }
  }

  /// Seals the size of a file, and all writing but through the mappings that there are: a process
  /// that is given it can read it, and do nothing else with it.
  public static void sealForReaders(int descriptor) throws SystemException {
    seal(descriptor, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE);
  }

  static void seal(int descriptor, int seals) throws SystemException {
    long _ =
        SystemException.check(
            "seal shared memory", Native.FCNTL.call(descriptor, F_ADD_SEALS, seals));
  }

  /// Returns the seals of a file.
  static int seals(int descriptor) throws SystemException {
    long seals = Native.FCNTL.call(descriptor, F_GET_SEALS, 0);
    return (int) SystemException.check("read the seals", seals);
  }

  // SAFETY: bounds: the one buffer is the name, which ends with a zero; lifetime: it outlives the
  // call; thread: all calls are thread-safe.
  private static final class Native {
    private static final LibraryFunction MEMFD_CREATE = LibraryFunction.ofInt("memfd_create");
    private static final LibraryFunction FCNTL = LibraryFunction.ofInt("fcntl");

    static int create(String name) throws SystemException {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment text = arena.allocateFrom(name);
        long file = MEMFD_CREATE.call(text.address(), CLOSE_ON_EXEC | ALLOW_SEALING);
        Reference.reachabilityFence(text);
        return (int) SystemException.check("create a file in memory", file);
      }
    }
  }
}
