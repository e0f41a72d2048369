package dev.tigris.os;

import java.io.IOException;
import java.nio.file.Path;

/// Room on a disk, taken before it is written to.
///
/// Thread rule: any thread.
public final class DiskSpace {
  private DiskSpace() {}

  /// Makes a file `bytes` long, if it is shorter, and gives it blocks of its own for all of that.
  /// The new part reads as zeros. Writing there later cannot find the disk full, and does not make
  /// the file system look for blocks, which it does for one thread of a file at a time.
  ///
  /// @return false if this system, or the file system, cannot do that: the file is as it was
  /// @throws IOException if there is no room, or the file cannot be written: it may be longer than
  ///     it was
  /// @throws UnsupportedOperationException on other systems than Linux and macOS
  public static boolean reserve(Path file, long bytes) throws IOException {
    int descriptor = FileDescriptors.open(file, true);
    try {
      return FileDescriptors.reserve(descriptor, 0, bytes);
    } finally {
      FileDescriptors.close(descriptor);
    }
  }
}
