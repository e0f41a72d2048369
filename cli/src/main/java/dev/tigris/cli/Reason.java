package dev.tigris.cli;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Why something failed, in a sentence.
public final class Reason {
  private Reason() {}

  /// Returns the meaning of an exception about a file: its message is often just the file's name.
  public static String of(Exception failure) {
    Throwable e =
        failure instanceof UncheckedIOException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return switch (e) {
      case NoSuchFileException gone -> "there is no '%s'".formatted(gone.getFile());
      case AccessDeniedException denied ->
          "'%s' may not be used: its permissions, or those of its folder, forbid it"
              .formatted(denied.getFile());
      case FileAlreadyExistsException there -> "'%s' is there already".formatted(there.getFile());
      case FileSystemException other when other.getReason() != null ->
          "'%s': %s".formatted(other.getFile(), other.getReason());
      default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
    };
  }
}
