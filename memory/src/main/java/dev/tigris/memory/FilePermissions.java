package dev.tigris.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/// Who may read and write a file, for what is made beside it and holds its bytes.
final class FilePermissions {
  private FilePermissions() {}

  /// To make a file that nobody may ever read who may not read this one.
  static FileAttribute<?>[] of(Path file) throws IOException {
    return hasSome(file)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(Files.getPosixFilePermissions(file))
        }
        : new FileAttribute<?>[0];
  }

  /// Gives a file what the umask took away when it was made, too.
  static void copy(Path from, Path to) throws IOException {
    if (hasSome(from)) {
      Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    }
  }

  private static boolean hasSome(Path file) {
    return Files.exists(file)
        && file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
