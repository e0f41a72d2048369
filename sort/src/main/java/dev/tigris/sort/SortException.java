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

/// A generator, checker or sort that could not do its work. The message says what was wrong, with
/// which file, and what to do about it; [#kind] is for programs.
///
/// That a disk is full, a file too large or a name too long, Java tells by the system's words only.
/// They are known in English: in a process whose locale has others (`LC_MESSAGES`), the kind is
/// [Kind#IO].
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

  /// Buffers that the process may not have.
  static SortException noMemory(MemoryBudgetException refused) {
    return new SortException(
        Kind.MEMORY, "the process may not use so much memory: " + refused.getMessage(), refused);
  }

  /// Returns the kind of failure.
  public Kind kind() {
    return kind;
  }

  /// This, unless it is only how an operation ended whose thread was interrupted meanwhile.
  ///
  /// @throws InterruptedException if so
  SortException unlessInterrupted() throws InterruptedException {
    if (getCause() instanceof ClosedByInterruptException && Thread.interrupted()) {
      throw new InterruptedException(getMessage());
    }
    return this;
  }

  /// What a failed write to `path` means to the user.
  static SortException writing(Path path, IOException cause) {
    if (cause instanceof SortException known) {
      return known;
    }
    String reason = String.valueOf(cause.getMessage());
    if (reason.contains("No space left") || reason.contains("quota")) {
      return new SortException(
          Kind.DISK_FULL,
          "the disk became full while writing %s: free some space, or write elsewhere (%s)"
              .formatted(path, reason),
          cause);
    }
    if (reason.contains("File too large")) {
      return new SortException(
          Kind.OUTPUT,
          "%s may not become that large: allow it (ulimit -f), or write to another file system"
              .formatted(path),
          cause);
    }
    if (reason.contains("Too many open files")) {
      return new SortException(
          Kind.IO,
          ("%s could not be opened, since too many files are open: allow more (ulimit -n), or"
                  + " sort with fewer processors (parallel(), or --parallel of the command)")
              .formatted(path),
          cause);
    }
    if (reason.contains("File name too long")) {
      return new SortException(
          Kind.OUTPUT, "%s cannot be written: give it a shorter name".formatted(path), cause);
    }
    if (cause instanceof AccessDeniedException) {
      return new SortException(
          Kind.OUTPUT,
          path + " may not be written: its permissions, or those of its folder, forbid it",
          cause);
    }
    if (cause instanceof NoSuchFileException
        || isForbidden(cause)
        || reason.contains("Read-only file system")) {
      return new SortException(
          Kind.OUTPUT,
          "%s cannot be written: %s: write elsewhere".formatted(path, reason(cause)),
          cause);
    }
    return new SortException(
        Kind.IO, "%s could not be written: %s".formatted(path, reason(cause)), cause);
  }

  /// Whether the system refuses what nobody may do, or nobody but the owner; permissions are a
  /// reason of their own.
  static boolean isForbidden(IOException cause) {
    return String.valueOf(cause.getMessage()).contains("Operation not permitted");
  }

  /// Why nothing can be moved there.
  static String mountPoint(Path output) {
    return "%s cannot be replaced at once, because it is a mount point: name another output"
        .formatted(output);
  }

  /// What it means to the user that `made` could not be given the name of the output.
  static SortException replacing(Path output, Path made, IOException cause) {
    if (isForbidden(cause)) {
      return new SortException(
          Kind.OUTPUT,
          ("%s may not be replaced: it is another user's, in a folder where each may replace their"
                  + " own files only, or is immutable: name another output")
              .formatted(output),
          cause);
    }
    if (cause instanceof NoSuchFileException
        && Files.exists(OutputPaths.folder(output).toAbsolutePath())) {
      return new SortException(
          Kind.DATA,
          "%s, which was to become %s, was deleted by another program: sort again"
              .formatted(made, output),
          cause);
    }
    if (cause instanceof AtomicMoveNotSupportedException
        || String.valueOf(cause.getMessage()).contains("resource busy")) {
      return new SortException(Kind.OUTPUT, mountPoint(output), cause);
    }
    if (Files.isDirectory(output) || (Files.isDirectory(made) && Files.exists(output))) {
      return new SortException(
          Kind.OUTPUT,
          "%s was made by another program meanwhile: delete it, or name another output"
              .formatted(output),
          cause);
    }
    return writing(output, cause);
  }

  /// What a failed read of `path` means to the user.
  static SortException reading(Path path, IOException cause) {
    if (cause instanceof SortException known) {
      return known;
    }
    return new SortException(
        Kind.IO, "%s could not be read: %s".formatted(path, reason(cause)), cause);
  }

  /// Some exceptions have no message, and some no more than the file's name.
  private static String reason(IOException cause) {
    return switch (cause) {
      case ClosedByInterruptException e -> "its thread was interrupted";
      case ClosedChannelException e -> "another thread was interrupted, and closed it";
      case NoSuchFileException e -> "no such file or folder";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> cause.getMessage() == null ? cause.toString() : cause.getMessage();
    };
  }
}
