// Over 400 lines: what makes a folder, finds those of the dead and deletes both has to agree.
package dev.tigris.sort;

import dev.tigris.os.FilePermissions;
import dev.tigris.os.Folders;
import dev.tigris.os.ScarceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// The folder beside an output in which a job makes it, and from where it is moved to its place
/// when it is complete:
///
/// ```
///   results/
///     sorted                          the output: appears at the end, at once
///     .sorted.tigris-4711-9f03ab12/   4711 is the process, the rest is random
///       lock                          locked as long as the job lives
///       unlocked                      instead of the lock, where the file system has none
///       probe                         for a moment: whether `sorted` can be replaced
///       output                        what becomes `sorted`
///       stopped                       what would have, when the process ends before
///       spill-0, spill-1, ...         what did not fit memory
///       plan                          what other processes of the sort are told
/// ```
///
/// However a job ends, it deletes its folder: when it fails, when it is cancelled, and when the
/// process is terminated by a signal that lets it. After a kill that does not, or a loss of power,
/// the folder stays, and the next job with the same output deletes it: the lock tells the folders
/// of the dead from those of the living. On a file system without locks there is no telling, and
/// folders of the dead stay: the job says so.
///
/// Other users may make such folders too, in `/tmp` for instance. Theirs are left alone, and no
/// link is followed: else a sort would delete, with its own user's rights, what they point at.
///
/// Thread rule: any thread.
final class TemporaryFolder implements AutoCloseable {
  /// The name that an output has in its folder.
  static final String OUTPUT = "output";

  private static final String LOCK = "lock";
  private static final String UNLOCKED = "unlocked";
  private static final String MARK = ".tigris-";

  /// Of a longer name only so many characters are part of the folder's: with four bytes each, they
  /// leave room for the rest of it in the 255 that a name may have.
  private static final int MOST_CHARACTERS = 50;

  /// The waits for a deleted file to be gone double up to this: a quarter of a second in all.
  private static final int MOST_WAIT_MILLIS = 128;

  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rwx------");

  // Process-wide, because both locks on files and the end of a process are: a second job of this
  // process must not even open the lock of the first, since closing it would release the lock.
  private static final Set<Path> LIVING = ConcurrentHashMap.newKeySet();

  static {
    try {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(TemporaryFolder::deleteAllLiving, "tigris-sort-cleaner"));
    } catch (IllegalStateException e) {
      // The process is ending already. If it does before the job, the next sort deletes the folder.
    }
  }

  private final Path folder;

  /// Null where the file system has no locks.
  private final @Nullable FileChannel lockFile;

  private boolean closed;

  /// A folder that was made, and its lock; null where the file system has none.
  private record Made(Path folder, @Nullable FileChannel lock) {}

  /// Makes a new folder, and deletes what dead jobs with the same output have left.
  TemporaryFolder(Path output) throws SortException {
    Path named = OutputPaths.folder(output).toAbsolutePath();
    Path parent;
    String prefix = prefix(output);
    try {
      // One name for it, through whatever links others come to it: the living are known by theirs.
      parent = named.toRealPath();
      Made made = null;
      while (made == null) {
        byte[] random = new byte[4];
        ThreadLocalRandom.current().nextBytes(random);
        made =
            makeLocked(
                parent.resolve(
                    prefix
                        + ProcessHandle.current().pid()
                        + "-"
                        + HexFormat.of().formatHex(random)));
      }
      this.folder = made.folder;
      this.lockFile = made.lock;
    } catch (IOException e) {
      throw SortException.writing(named, e);
    }
    try {
      deleteDead(parent, prefix, folder);
    } catch (IOException e) {
      // A folder that may be written but not listed: leftovers stay, and nothing else is wrong.
      System.getLogger("dev.tigris.sort")
          .log(System.Logger.Level.DEBUG, "could not look for leftovers in " + parent, e);
    }
  }

  private static String prefix(Path output) {
    return "." + beginning(String.valueOf(output.getFileName())) + MARK;
  }

  /// Deletes what dead jobs with an output have left, and makes no folder.
  ///
  /// @param output in a folder of this user
  static void deleteDead(Path output) throws IOException {
    Path parent = OutputPaths.folder(output).toRealPath();
    deleteDead(parent, prefix(output), parent);
  }

  private static String beginning(String name) {
    boolean isLong = name.codePointCount(0, name.length()) > MOST_CHARACTERS;
    return isLong ? name.substring(0, name.offsetByCodePoints(0, MOST_CHARACTERS)) : name;
  }

  /// Makes the folder with its lock. Returns null if another process took it for a dead one
  /// meanwhile.
  private static @Nullable Made makeLocked(Path folder) throws IOException {
    LIVING.add(folder);
    Made made = null;
    try {
      if (isPosix(folder)) {
        // For its owner only: what is in it may be about to replace a file that others may not
        // read.
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNERS));
      } else {
        Files.createDirectory(folder);
      }
      made = lock(folder);
      return made;
    } catch (IOException e) {
      OutputPaths.deleteQuietly(folder.resolve(LOCK));
      OutputPaths.deleteQuietly(folder.resolve(UNLOCKED));
      OutputPaths.deleteQuietly(folder);
      throw e;
    } finally {
      if (made == null) {
        LIVING.remove(folder);
      }
    }
  }

  /// Locks a folder that was just made. Returns null if another process has locked or deleted it.
  private static @Nullable Made lock(Path folder) throws IOException {
    Path lock = folder.resolve(LOCK);
    FileChannel channel;
    try {
      channel = FileChannel.open(lock, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (NoSuchFileException e) {
      return null;
    }
    boolean held = false;
    try {
      held = channel.tryLock() != null && Files.exists(lock);
      return held ? new Made(folder, channel) : null;
    } catch (IOException e) {
      if (!channel.isOpen()) {
        throw e; // interrupted
      }
      return unlocked(folder, e);
    } finally {
      if (!held) {
        channel.close();
      }
    }
  }

  /// Marks a folder whose file system has no locks. Other processes delete only a folder whose lock
  /// they get, or an empty one: this one has no lock and is never empty. Returns null if another
  /// process, which does get locks, has deleted it before.
  private static @Nullable Made unlocked(Path folder, IOException refused) throws IOException {
    try {
      Files.createFile(folder.resolve(UNLOCKED));
      Files.deleteIfExists(folder.resolve(LOCK));
      if (!Files.exists(folder.resolve(UNLOCKED))) {
        return null;
      }
    } catch (NoSuchFileException e) {
      return null;
    }
    warn(
        "the file system of %s has no locks (%s): if this process is killed, delete that folder yourself, since the next run cannot tell that it is not in use"
            .formatted(folder, refused.getMessage()));
    return new Made(folder, null);
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private static void deleteDead(Path parent, String prefix, Path own) throws IOException {
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(
            parent, path -> String.valueOf(path.getFileName()).startsWith(prefix))) {
      for (Path folder : folders) {
        if (!LIVING.contains(folder) && isFolder(folder) && haveOneOwner(folder, own)) {
          deleteIfDead(folder);
        }
      }
    }
  }

  private static boolean isFolder(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean haveOneOwner(Path folder, Path own) {
    try {
      return Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
    } catch (IOException e) {
      return false; // it was deleted meanwhile
    }
  }

  private static void deleteIfDead(Path folder) {
    try {
      try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE)) {
        if (channel.tryLock() == null) {
          return;
        }
        empty(folder, TemporaryFolder::sleep);
      }
      delete(folder, TemporaryFolder::sleep);
    } catch (NoSuchFileException e) {
      OutputPaths.deleteQuietly(folder); // without a lock: only if it is empty
    } catch (OverlappingFileLockException | IOException e) {
      System.getLogger("dev.tigris.sort")
          .log(System.Logger.Level.DEBUG, "could not look into " + folder, e);
    }
  }

  /// Deletes as much of what is in it as it can. The lock goes last, so that a folder that is half
  /// empty is still known to be dead.
  private static void empty(Path folder, IntConsumer wait) throws IOException {
    IOException failure = null;
    for (Path file : list(folder)) {
      try {
        if (isFolder(file)) {
          empty(file, wait);
          delete(file, wait);
        } else if (!file.endsWith(LOCK)) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    Files.deleteIfExists(folder.resolve(LOCK));
  }

  /// Lists a folder. A directory stream takes two descriptors; where the process has used up its
  /// own there is none but that of the lock, and a `File` takes one. But that finds no folder whose
  /// name Java cannot spell.
  private static List<Path> list(Path folder) throws IOException {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        all.add(file);
      }
      return all;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    } catch (IOException e) {
      String[] names = folder.toFile().list();
      if (names == null) {
        throw e;
      }
      for (String name : names) {
        all.add(folder.resolve(name));
      }
      return all;
    }
  }

  /// Deletes a folder that was emptied. File systems in user space and NFS keep a file that is
  /// deleted while it is open, under another name in its folder, until a moment after it is closed.
  ///
  /// @param wait waits for so many milliseconds
  static void delete(Path emptied, IntConsumer wait) throws IOException {
    for (int millis = 1; true; millis *= 2) {
      try {
        Files.deleteIfExists(emptied);
        return;
      } catch (IOException e) {
        if (millis > MOST_WAIT_MILLIS) {
          throw e;
        }
        wait.accept(millis);
      }
    }
  }

  /// Sleeps; an interrupt waits until afterwards.
  private static void sleep(int millis) {
    boolean interrupted = Thread.interrupted();
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void deleteAllLiving() {
    for (Path folder : LIVING) {
      try {
        // Out of reach of a thread that is about to move it to its place: before, whole, or never.
        Files.move(
            folder.resolve(OUTPUT), folder.resolve("stopped"), StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        // There is none, or none any more.
      }
      // The job's threads still run, and may make one more file while the others are deleted.
      for (int attempt = 0; attempt < 3 && Files.exists(folder); attempt++) {
        try {
          empty(folder, _ -> {}); // what is open does not go while it is waited for here
          Files.deleteIfExists(folder);
        } catch (IOException e) {
          System.getLogger("dev.tigris.sort")
              .log(System.Logger.Level.DEBUG, "could not delete " + folder, e);
        }
      }
    }
  }

  /// Returns the folder.
  Path path() {
    return folder;
  }

  /// Returns a file, or folder, in it.
  Path resolve(String name) {
    return folder.resolve(name);
  }

  /// Moves a file or folder of it to its final place, at once, replacing a file that is there. The
  /// permissions of that stay, and to whom it belongs.
  ///
  /// @param forced whether it returns when the new name is on the disk
  void publish(String name, Path output, boolean forced) throws SortException {
    Path parent = OutputPaths.folder(output).toAbsolutePath();
    Path made = folder.resolve(name);
    if (forced) {
      forceFolder(parent, made); // a disk that fails is found before anything is replaced
    }
    try {
      FilePermissions.copy(output, made);
      Files.move(made, output, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw SortException.replacing(output, made, e);
    }
    if (forced) {
      forcePublished(parent, output);
    }
  }

  /// An interrupt waits: a job that has replaced its output may not say that it was stopped.
  private static void forcePublished(Path parent, Path output) throws SortException {
    try {
      boolean _ = Folders.sync(parent, output);
    } catch (ScarceException e) {
      warn(
          output
              + " is complete, and its folder could not be opened to be forced to the disk: "
              + e);
    } catch (IOException e) {
      throw new SortException(
          SortException.Kind.IO,
          "%s is complete and in its place, but its folder could not be forced to the disk (%s). After a crash of the machine the old file may be there, or none"
              .formatted(output, e.getMessage()),
          e);
    }
  }

  /// Forces a folder's entries to the disk, where the file system can do that.
  ///
  /// @param within a file or folder in it that was made by this user
  static void forceFolder(Path folder, Path within) throws SortException {
    try {
      boolean _ = Folders.sync(folder, within);
    } catch (ScarceException e) {
      // There is no descriptor for it. That of the output is closed soon.
    } catch (IOException e) {
      throw SortException.writing(folder, e);
    }
  }

  /// Deletes the folder with all that is in it.
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      emptyAndUnlock();
      delete(folder, TemporaryFolder::sleep);
    } catch (NoSuchFileException e) {
      // Where its own folder is still there the process is ending, and deleteAllLiving was quicker.
      if (Files.notExists(folder.resolveSibling("."))) {
        String where = "the folder that held " + folder + " was moved or deleted during the work";
        warn(
            where
                + ": if it was moved, delete the temporary folder in it, which is no longer needed");
      }
    } catch (IOException e) {
      warn(
          "cannot delete the temporary folder "
              + folder
              + ", which is no longer needed: delete it ("
              + e
              + ")");
    } finally {
      LIVING.remove(folder);
    }
  }

  private static void warn(String message) {
    System.getLogger("dev.tigris.sort").log(System.Logger.Level.WARNING, message);
  }

  private void emptyAndUnlock() throws IOException {
    try (lockFile) {
      empty(folder, TemporaryFolder::sleep);
      return;
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      // There may have been no descriptor left to list it by. Now that of the lock is.
    }
    empty(folder, TemporaryFolder::sleep);
  }
}
