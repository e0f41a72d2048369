package dev.tigris.sort;

import dev.tigris.memory.MemoryBudgetException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Reports that a generator, checker or sort could not do its work. The message says what was
/// wrong, with which file, and what to do about it; [#kind] is for programs.
///
/// Java reports a full disk, a file that is too large and a name that is too long only in the
/// system's words. They are recognized in English: in a process whose locale has other words
/// (`LC_MESSAGES`), the kind is [Kind#IO].
public final class SortException extends IOException {
  private static final long serialVersionUID = 1;

  /// The kinds of failures.
  public enum Kind {
    /// An input is missing, unreadable, a directory, or not a whole number of records.
    INPUT,
    /// The output cannot be made: its folder is missing or not writable, it is an input, or a file
    /// may not become so large.
    OUTPUT,
    /// The disk became full.
    DISK_FULL,
    /// The memory allowed is too small.
    MEMORY,
    /// The data changed on the way: an input was changed while it was read, or what would have
    /// been written is not what was read.
    DATA,
    /// The reader of a stream or pipe that is written to has gone.
    READER_GONE,
    /// An operation on a file failed for another reason.
    IO,
  }

  private final Kind kind;

  SortException(Kind kind, String message) {
    this(kind, message, null);
  }

  SortException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /// Makes the exception for buffers that the process may not have.
  static SortException noMemory(MemoryBudgetException refused) {
    return new SortException(
        Kind.MEMORY,
        "the process may not use as much memory as this needs: " + refused.getMessage(),
        refused);
  }

  /// Returns the kind of the failure.
  public Kind kind() {
    return kind;
  }

  /// Returns this exception, unless it is only the end of an operation whose thread was
  /// interrupted.
  ///
  /// @throws InterruptedException if so
  SortException unlessInterrupted() throws InterruptedException {
    if (getCause() instanceof ClosedByInterruptException && Thread.interrupted()) {
      throw new InterruptedException(getMessage());
    }
    return this;
  }

  /// Explains a failed write to `path` to the user.
  static SortException writing(Path path, IOException cause) {
    if (cause instanceof SortException known) {
      return known;
    }
    String reason = String.valueOf(cause.getMessage());
    if (reason.contains("No space left") || reason.contains("quota")) {
      return new SortException(
          Kind.DISK_FULL,
          "the disk became full while writing %s: free some space, or write to another disk (%s)"
              .formatted(path, reason),
          cause);
    }
    if (reason.contains("Broken pipe")) {
      return new SortException(
          Kind.READER_GONE, "the reader of %s has gone: Broken pipe".formatted(path), cause);
    }
    if (reason.contains("File too large")) {
      return new SortException(
          Kind.OUTPUT,
          "%s may not become as large as it has to: raise the limit (ulimit -f), or write to another file system"
              .formatted(path),
          cause);
    }
    if (reason.contains("Too many open files")) {
      return new SortException(
          Kind.IO,
          ("%s cannot be opened, since too many files are open: raise the limit (ulimit -n), or"
                  + " sort with fewer processors (parallel(), or --parallel of the command)")
              .formatted(path),
          cause);
    }
    if (reason.contains("File name too long")) {
      return new SortException(
          Kind.OUTPUT,
          "%s cannot be written: its name is too long. Give it a shorter one".formatted(path),
          cause);
    }
    if (cause instanceof AccessDeniedException) {
      return new SortException(
          Kind.OUTPUT,
          path + " cannot be written: its permissions, or those of its folder, forbid it",
          cause);
    }
    if (cause instanceof NoSuchFileException
        || isForbidden(cause)
        || reason.contains("Read-only file system")) {
      return new SortException(
          Kind.OUTPUT,
          "%s cannot be written (%s): write to another place".formatted(path, reason(cause)),
          cause);
    }
    return new SortException(
        Kind.IO, "%s could not be written: %s".formatted(path, reason(cause)), cause);
  }

  /// Returns whether the system refuses an operation that no user may do, or only the owner. A lack
  /// of permission is another reason.
  static boolean isForbidden(IOException cause) {
    return String.valueOf(cause.getMessage()).contains("Operation not permitted");
  }

  /// Returns the message for an output that is a mount point.
  static String mountPoint(Path output) {
    return "%s is a mount point, which cannot be replaced at once: name another output"
        .formatted(output);
  }

  /// Explains to the user why `made` could not be given the name of the output.
  static SortException replacing(Path output, Path made, IOException cause) {
    if (isForbidden(cause)) {
      return new SortException(
          Kind.OUTPUT,
          ("%s cannot be replaced: it is immutable, or it belongs to another user in a folder where"
                  + " users may replace only their own files. Name another output")
              .formatted(output),
          cause);
    }
    if (cause instanceof NoSuchFileException
        && Files.exists(OutputPaths.folder(output).toAbsolutePath())) {
      return new SortException(
          Kind.DATA,
          "another program deleted %s, which was to become %s: sort again".formatted(made, output),
          cause);
    }
    if (cause instanceof AtomicMoveNotSupportedException
        || String.valueOf(cause.getMessage()).contains("resource busy")) {
      return new SortException(Kind.OUTPUT, mountPoint(output), cause);
    }
    if (Files.isDirectory(output) || (Files.isDirectory(made) && Files.exists(output))) {
      return new SortException(
          Kind.OUTPUT,
          "another program made %s meanwhile: delete it, or name another output".formatted(output),
          cause);
    }
    return writing(output, cause);
  }

  /// Explains a failed read of `path` to the user.
  static SortException reading(Path path, IOException cause) {
    if (cause instanceof SortException known) {
      return known;
    }
    return new SortException(
        Kind.IO, "%s could not be read: %s".formatted(path, reason(cause)), cause);
  }

  /// Returns the reason of a failure. Some exceptions have no message, and some only the file's
  /// name.
  private static String reason(IOException cause) {
    return switch (cause) {
      case ClosedByInterruptException e -> "the thread was interrupted";
      case ClosedChannelException e -> "another thread was interrupted, which closed the file";
      case NoSuchFileException e -> "no such file or folder";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> cause.getMessage() == null ? cause.toString() : cause.getMessage();
    };
  }
}
