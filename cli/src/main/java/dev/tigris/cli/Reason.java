package dev.tigris.cli;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Words for the reason of a failure.
public final class Reason {
  private Reason() {}

  /// Returns what an exception about a file means: its own message is often only the file's name.
  public static String of(Exception failure) {
    Throwable e =
        failure instanceof UncheckedIOException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return switch (e) {
      case NoSuchFileException gone -> "'%s' does not exist".formatted(gone.getFile());
      case AccessDeniedException denied ->
          "'%s' cannot be accessed: its permissions, or those of its folder, forbid it"
              .formatted(denied.getFile());
      case FileAlreadyExistsException there -> "'%s' exists already".formatted(there.getFile());
      case FileSystemException other when other.getReason() != null ->
          "'%s': %s".formatted(other.getFile(), other.getReason());
      default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
    };
  }
}
