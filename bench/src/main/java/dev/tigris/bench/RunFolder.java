package dev.tigris.bench;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.Stream;

/// The folder of one run, for all that it writes besides its results:
///
/// ```
///   bench-work/
///     tigris-bench-5f0c.lock     locked as long as the run lives; the number is random, and longer
///     tigris-bench-5f0c/         what its groups and their processes write
/// ```
///
/// A run deletes its folder when it ends, and when it is stopped by a signal that lets it ([Stop]).
/// What a killed one has left is deleted by the next run in the same place, which may hold the
/// files of others too. So a folder is deleted only beside a lock that is not held and that says
/// what it is ([#MARK]). The lock comes first and goes last: there is never a folder without it.
///
/// A process has one at a time in a place, since closing a file gives up all locks that the process
/// has on it.
public final class RunFolder implements Closeable {
  private static final String PREFIX = "tigris-bench-";
  private static final String LOCK = ".lock";

  /// What is in a lock. A run that was killed before it wrote that has an empty one, and no folder.
  static final String MARK =
      "If no tigris bench runs, the next one deletes this file and the folder of its name.\n";

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
    while (true) {
      Path path = place.resolve(PREFIX + UUID.randomUUID());
      // SYNC, so that a loss of power leaves no folder beside a lock without its mark.
      FileChannel lock =
          FileChannel.open(
              lockOf(path),
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.WRITE,
              StandardOpenOption.SYNC);
      boolean complete = false;
      try {
        lock.lock();
        // Before it was locked, another run may have deleted it as that of a dead one.
        if (Files.exists(lockOf(path))) {
          lock.write(ByteBuffer.wrap(MARK.getBytes(StandardCharsets.US_ASCII)));
          Files.createDirectory(path);
          complete = true;
          return new RunFolder(path, lock);
        }
      } finally {
        if (!complete) {
          Files.deleteIfExists(lockOf(path));
          lock.close();
        }
      }
    }
  }

  private static Path lockOf(Path folder) {
    return folder.resolveSibling(folder.getFileName() + LOCK);
  }

  private static void deleteDead(Path place) throws IOException {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(place, PREFIX + "*" + LOCK)) {
      for (Path lock : locks) {
        if (Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
          String name = String.valueOf(lock.getFileName());
          deleteIfDead(place.resolve(name.substring(0, name.length() - LOCK.length())));
        }
      }
    }
  }

  private static void deleteIfDead(Path folder) {
    try (FileChannel lock =
        FileChannel.open(
            lockOf(folder),
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
      if (lock.tryLock() == null) {
        return;
      }
      byte[] content = Channels.newInputStream(lock).readNBytes(MARK.length() + 1);
      if (new String(content, StandardCharsets.US_ASCII).equals(MARK)) {
        delete(folder);
      } else if (content.length == 0 && Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
        Files.delete(lockOf(folder));
      }
    } catch (IOException | OverlappingFileLockException e) {
      // It is of another user, or was just deleted, or a process of the dead run still writes
      // there.
    }
  }

  /// Deletes a run's folder and then its lock. A process that was just killed may write one more
  /// file meanwhile.
  private static void delete(Path folder) throws IOException {
    for (int attempt = 1; Files.exists(folder, LinkOption.NOFOLLOW_LINKS); attempt++) {
      try {
        deleteAll(folder);
      } catch (IOException e) {
        if (attempt == DELETIONS) {
          throw e;
        }
      }
    }
    Files.deleteIfExists(lockOf(folder));
  }

  /// Deletes a folder with all that is in it.
  public static void deleteAll(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /// Where it is.
  Path path() {
    return path;
  }

  /// Deletes it with all that is in it. What cannot be deleted, the next run tries to.
  @Override
  public void close() throws IOException {
    try (lock) {
      delete(path);
    }
  }
}
