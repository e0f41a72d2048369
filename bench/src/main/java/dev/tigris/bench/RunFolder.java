package dev.tigris.bench;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/// The folder of one run, for all that it writes besides its results:
///
/// ```
///   bench-work/
///     run-8324894123/     the number is random
///       .lock             locked as long as the run lives
///       ...               what its groups and their processes write
/// ```
///
/// A run deletes its folder when it ends, and when it is stopped by a signal that lets it ([Stop]).
/// What a killed one has left is deleted by the next run in the same place: the lock tells the
/// folders of the dead from those of the living.
///
/// A process has one at a time in a place, since whoever closes a file gives up all locks that the
/// process has on it.
public final class RunFolder implements Closeable {
  private static final String PREFIX = "run-";

  /// It is the first name of all, so that it is deleted last: a folder that is half empty is still
  /// known to be dead.
  private static final String LOCK = ".lock";

  private static final int DELETIONS = 3;

  private final Path path;
  private final FileChannel lock;

  private RunFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /// Makes one in a folder that exists, and deletes what dead runs have left there.
  static RunFolder in(Path place) throws IOException {
    deleteDead(place);
    Path made = Files.createTempDirectory(place, "." + PREFIX);
    Path path = place.resolve(String.valueOf(made.getFileName()).substring(1));
    FileChannel lock =
        FileChannel.open(
            made.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    boolean complete = false;
    try {
      lock.lock();
      // It gets its name when it is locked: before, another run would take it for a dead one.
      Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
      complete = true;
      return new RunFolder(path, lock);
    } finally {
      if (!complete) {
        lock.close();
        deleteAll(made);
      }
    }
  }

  private static void deleteDead(Path place) throws IOException {
    try (DirectoryStream<Path> runs = Files.newDirectoryStream(place, PREFIX + "*")) {
      for (Path run : runs) {
        if (Files.isDirectory(run, LinkOption.NOFOLLOW_LINKS)) {
          deleteIfDead(run);
        }
      }
    }
  }

  private static void deleteIfDead(Path run) {
    try (FileChannel lock = FileChannel.open(run.resolve(LOCK), StandardOpenOption.WRITE)) {
      if (lock.tryLock() != null) {
        deleteAll(run);
      }
    } catch (IOException | OverlappingFileLockException e) {
      // It is of another user, or is being deleted, or a process of the dead run still writes
      // there.
    }
  }

  /// Deletes a folder with all that is in it.
  public static void deleteAll(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) {
      throw new IOException("'%s' cannot be deleted: %s".formatted(folder, e.getMessage()), e);
    }
  }

  /// Where it is.
  Path path() {
    return path;
  }

  /// Deletes it with all that is in it. A process that was just killed may write one more file
  /// meanwhile.
  @Override
  public void close() throws IOException {
    try (lock) {
      for (int attempt = 1; attempt < DELETIONS; attempt++) {
        try {
          deleteAll(path);
          return;
        } catch (IOException e) {
          // once more
        }
      }
      deleteAll(path);
    }
  }
}
