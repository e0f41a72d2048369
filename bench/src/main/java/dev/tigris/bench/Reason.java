package dev.tigris.bench;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Why something failed, in a sentence.
final class Reason {
  private Reason() {}

  /// What an exception means: that about a file often has no more than its name for a message, or
  /// does not name it.
  ///
  /// @param folder where was written
  static String of(Exception failure, Path folder) {
    String message =
        switch (failure) {
          case NoSuchFileException gone -> "there is no '%s'".formatted(gone.getFile());
          case AccessDeniedException denied ->
              "'%s' may not be used: its permissions, or those of its folder, forbid it"
                  .formatted(denied.getFile());
          case FileSystemException other when other.getReason() != null ->
              "'%s': %s".formatted(other.getFile(), other.getReason());
          default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    return message.contains("No space left")
        ? "%s: make room on the disk of '%s', or name a folder on another"
            .formatted(message, folder)
        : message;
  }
}
