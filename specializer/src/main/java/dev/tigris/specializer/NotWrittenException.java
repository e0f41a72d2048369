package dev.tigris.specializer;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/// A file that was specialized could not be written, and is as it was.
public final class NotWrittenException extends IOException {
  private static final long serialVersionUID = 1;

  NotWrittenException(Path file, IOException cause) {
    super("cannot write to %s: %s".formatted(file, reason(cause)), cause);
  }

  /// The JDK's messages of files are their names, with a reason behind them if that is a rare one.
  private static String reason(IOException cause) {
    return switch (cause) {
      case AccessDeniedException _ -> "its permissions, or those of its folder, forbid it";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> String.valueOf(cause.getMessage());
    };
  }
}
