package dev.tigris.os.disk;

import dev.tigris.os.IoUring;
import dev.tigris.os.SystemException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// An operation on a file has failed. The message names the file, the position and the cause.
public final class DiskException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient Path file;
  private final int error;

  private DiskException(String message, Path file, int error, @Nullable Throwable cause) {
    super(message, cause);
    this.file = file;
    this.error = error;
  }

  /// An operation that the system refuses.
  static DiskException of(DiskOperation operation, int error) {
    Path path = operation.requireFile().path();
    String what =
        switch (operation.kind()) {
          case READ, WRITE ->
              "could not %s %d bytes at %d of %s%s"
                  .formatted(
                      operation.kind() == DiskOperation.Kind.READ ? "read" : "write",
                      operation.memory().byteSize(),
                      operation.position(),
                      path,
                      operation.transferred() == 0
                          ? ""
                          : ", of which %d are done".formatted(operation.transferred()));
          case SYNC ->
              "could not force %s to the disk, and some of what was written may be lost: write it"
                      .formatted(path)
                  + " again to another file";
        };
    return new DiskException(
        "%s (%s)%s".formatted(what, SystemException.describe(error), SystemException.advice(error)),
        path,
        error,
        null);
  }

  /// An operation on a file whose sync has failed before.
  static DiskException afterFailedSync(Path path, DiskException first) {
    return new DiskException(
        "%s is not written to any more, because an earlier sync of it has failed: write it again to another file"
            .formatted(path),
        path,
        first.error,
        first);
  }

  /// Returns the file.
  public Path file() {
    return file;
  }

  /// Returns the system's number of the error, as in [SystemException].
  public int error() {
    return error;
  }

  /// Returns whether it was cancelled by the program.
  public boolean isCancelled() {
    return error == -IoUring.CANCELED;
  }

  /// Returns whether the disk, or a quota, has no room.
  public boolean isForWantOfRoom() {
    return new SystemException("", error).isForWantOfRoom();
  }
}
