package dev.tigris.flow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What has the name of a file and cannot be read, or replaced, as one.
final class OddFile {
  // Of a file's mode: `S_IFMT` and `S_IFIFO` of sys/stat.h.
  private static final int FILE_TYPE = 0xf000;
  private static final int PIPE = 0x1000;

  private OddFile() {}

  /// Refuses a pipe: to open one is to wait until somebody writes to it, where nothing could stop
  /// the waiting; and what comes out of it has no position. Devices may have one.
  static void refuseToRead(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("unix")
        && ((int) Files.getAttribute(file, "unix:mode") & FILE_TYPE) == PIPE) {
      throw new IOException(
          file + " is a pipe, which has no positions to read at: name a file with what it gives");
    }
  }

  /// Refuses what is there and no file.
  static void refuseToReplace(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a folder, and not replaced by a file");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException(
          file + " is a pipe or a device, and not replaced by a file: name another");
    }
  }
}
