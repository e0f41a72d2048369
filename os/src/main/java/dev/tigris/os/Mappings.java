package dev.tigris.os;

/// Mapping of files and anonymous memory (mmap, munmap). Linux and macOS.
///
/// Thread rule: any thread.
// SAFETY: bounds: without MAP_FIXED the kernel picks fresh addresses, and with it the caller says
// what it has mapped there; lifetime: the caller unmaps only what it has mapped and hands to nobody
// after that; thread: both are thread-safe.
final class Mappings {
  static final int PROT_READ = 1;
  static final int PROT_READ_WRITE = 3;
  static final int MAP_SHARED = 1;
  static final int MAP_PRIVATE = 2;
  static final int MAP_FIXED = 0x10;
  static final int MAP_ANONYMOUS = Platform.LINUX ? 0x20 : 0x1000;
  static final int MAP_NORESERVE = Platform.LINUX ? 0x4000 : 0x40;

  /// Linux.
  static final int MAP_POPULATE = 0x8000;

  private static final LibraryFunction MMAP = LibraryFunction.ofLong("mmap");
  private static final LibraryFunction MUNMAP = LibraryFunction.ofInt("munmap");

  private Mappings() {}

  /// Maps a file, or zeros where `fd` is -1; returns the address, or the number of the error below
  /// zero, which no address of a process is.
  ///
  /// @param address where, or 0 for where the system likes
  static long map(long address, long bytes, int protection, int flags, int fd, long offset) {
    return MMAP.call(address, bytes, protection, flags, fd, offset);
  }

  /// Unmaps it; returns the number of the error below zero if that fails.
  static long unmap(long address, long bytes) {
    return MUNMAP.call(address, bytes);
  }
}
