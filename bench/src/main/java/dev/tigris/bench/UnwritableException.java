package dev.tigris.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A folder cannot be written to.
final class UnwritableException extends IOException {
  private static final long serialVersionUID = 1;

  UnwritableException(String message) {
    super(message);
  }

  /// Makes a folder if it is missing. Refuses it now, before anything is measured, if it cannot be
  /// made or written to.
  static Path writable(Path folder) throws UnwritableException {
    try {
      if (Files.isWritable(Files.createDirectories(folder))) {
        return folder;
      }
    } catch (IOException e) {
      // is said below
    }
    throw new UnwritableException(
        "'%s' is not a folder that can be written to: name another".formatted(folder));
  }
}
