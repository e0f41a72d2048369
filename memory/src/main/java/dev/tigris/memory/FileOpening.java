package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.SystemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One attempt to open a file for a [FileMapping]: makes the file if it is missing, completes a
/// flush that was interrupted, makes it long enough, and gives it blocks on the disk. What it has
/// made is gone again if it fails.
///
/// The maker of a file holds its lock alone (`flock(2)`) until the file is mapped. All others wait
/// for that lock before they look at the file. Another process may get the lock first, between the
/// making and the locking: it shares the lock of an empty file until it has mapped that. So a file
/// that was made in vain is deleted only by a process that has its lock alone, and none that
/// another process has mapped, or is about to, is deleted.
///
/// Thread rule: one thread.
final class FileOpening {
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

  private final Path file;
  private final Mapping mapping;
  private final long leastBytes;
  private final boolean writable;

  private Path path;
  private int descriptor = -1;
  private @Nullable Journal journal;
  private @Nullable FileChannel channel;

  /// Whether this attempt has made the file, and whether no other process can have mapped it since.
  private boolean isMade;

  private boolean isOurs;

  /// Whether no store can find the disk full.
  private boolean isReserved;

  private FileOpening(Path file, Mapping mapping, long leastBytes) {
    this.file = file;
    this.path = file;
    this.mapping = mapping;
    this.leastBytes = leastBytes;
    this.writable = mapping.writesToFile();
  }

  /// Maps a file. A file that is missing or shorter than `leastBytes` is filled with zeros up to
  /// that length.
  static FileMapping open(Path file, Mapping mapping, long leastBytes, Pool pool)
      throws IOException {
    while (true) {
      FileOpening opening = new FileOpening(file, mapping, leastBytes);
      try {
        if (opening.begin() && opening.prepare()) {
          return opening.map(pool);
        }
      } catch (Throwable e) { // whatever it is, the file must not stay this process's
        opening.undo(e);
        throw e;
      }
      opening.closeAll(new IOException("the file was replaced"));
      FileLocks.pause();
    }
  }

  /// Opens the file. Returns false if another process has replaced it meanwhile.
  private boolean begin() throws IOException {
    if (mapping == Mapping.DURABLE) {
      Journal.requireRoomFor(target(file)); // before it is made
    }
    try {
      if (writable && leastBytes > 0) {
        makeIfMissing();
      }
      path = file.toRealPath(); // so that one file has one journal
    } catch (NoSuchFileException e) {
      throw missing(file, writable);
    }
    if (!Files.isRegularFile(path)) {
      throw new IOException(path + " is not a regular file, and cannot be mapped");
    }
    try {
      if (!isMade) {
        descriptor = FileDescriptors.open(path, writable);
      }
      isOurs = isMade && FileLocks.tryToLock(descriptor, false) && size() == 0;
      if (writable && !isOurs) {
        awaitMaker();
      }
    } catch (SystemException e) {
      if (Files.notExists(path)) {
        return false; // its maker has failed, and deleted it
      }
      throw e;
    }
    if (mapping == Mapping.DURABLE) {
      journal = Journal.own(path);
      channel = channel(path, descriptor, true);
    } else {
      Journal.requireNone(path);
    }
    return isStillThere();
  }

  /// Waits for the process that makes the file, if there is one. An empty file stays locked, since
  /// its maker might delete it otherwise.
  private void awaitMaker() throws IOException {
    if (!FileLocks.lock(descriptor, true, FileLocks.SHORT_NANOS)) {
      throw new IOException(
          path + " is being made or flushed by another process: try again when it is done");
    }
    if (size() > 0) {
      FileDescriptors.unlock(descriptor);
    }
  }

  /// Whether the name leads to the file that was opened: another process may have converted it.
  private boolean isStillThere() throws IOException {
    return isNameOf(path, descriptor);
  }

  /// Whether a name leads to the file behind a descriptor.
  static boolean isNameOf(Path path, int descriptor) throws IOException {
    try {
      Object opened =
          Files.readAttributes(FileDescriptors.name(descriptor), BasicFileAttributes.class)
              .fileKey();
      return Objects.equals(
          opened, Files.readAttributes(path, BasicFileAttributes.class).fileKey());
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /// Completes an interrupted flush, and makes the file long enough. Returns false if the file was
  /// replaced or deleted meanwhile.
  private boolean prepare() throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new ClosedByInterruptException();
    }
    if (writable && size() == 0) {
      // Before it has anything: the process that made it may have died before.
      Journal.syncFolder(path);
    }
    Journal owned = journal;
    FileChannel writing = channel;
    if (owned != null && writing != null && owned.hasRecord()) {
      FileLocks.lockForFlush(path, descriptor);
      boolean _ = owned.apply(writing);
    }
    if (writable && extend() && owned != null) {
      // A journal on the disk is of no use if a crash takes the size of its file.
      FileDescriptors.sync(descriptor);
    }
    if (size() == 0) {
      throw new IOException(path + " is empty: give the bytes that it shall have");
    }
    // Again: without locks its maker may have deleted it until it had a size.
    return isStillThere();
  }

  private FileMapping map(Pool pool) throws IOException {
    if (mapping == Mapping.SHARED) {
      isReserved = new FileBlocks(path, descriptor).reserveAll();
    }
    FileMapping made =
        new FileMapping(path, mapping, descriptor, channel, journal, isReserved, pool);
    if (writable) {
      FileDescriptors.unlock(descriptor);
    } else {
      FileDescriptors.close(descriptor); // the pages are mapped, and no flush comes
    }
    return made;
  }

  private long size() throws IOException {
    return FileDescriptors.size(descriptor);
  }

  /// Closes what was opened, and deletes what was made.
  private void undo(Throwable cause) {
    try {
      if (isMade && mayDelete()) {
        Files.deleteIfExists(path);
        Journal own = journal;
        if (own != null) {
          own.deleteIfFresh();
        }
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    closeAll(cause);
  }

  /// Whether no other process has mapped the file that this attempt has made, or is about to. One
  /// that is shares the lock of the empty file.
  private boolean mayDelete() throws IOException {
    return (isOurs || (FileLocks.isAlone(descriptor) && size() == 0)) && isStillThere();
  }

  private void closeAll(Throwable cause) {
    closeQuietly(channel, cause);
    closeQuietly(journal, cause);
    if (descriptor >= 0) {
      FileDescriptors.close(descriptor);
    }
  }

  private static void closeQuietly(@Nullable AutoCloseable closeable, Throwable cause) {
    try {
      if (closeable != null) {
        closeable.close();
      }
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  static NoSuchFileException missing(Path file, boolean writable) throws IOException {
    Path target = target(file);
    Path folder = target.getParent();
    String subject =
        target.equals(file.toAbsolutePath()) ? "its" : "it is a link, and its target's";
    String reason =
        folder != null && Files.notExists(folder)
            ? subject + " folder does not exist: make that first"
            : writable
                ? "the file does not exist: say how many bytes a new one has"
                : "the file does not exist, and a PRIVATE mapping or a SNAPSHOT makes none";
    return new NoSuchFileException(file.toString(), null, reason);
  }

  /// Follows symbolic links, as many as Linux follows.
  private static Path target(Path file) throws IOException {
    Path at = file.toAbsolutePath();
    for (int links = 0; links < 40 && Files.isSymbolicLink(at); links++) {
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  /// Opens the file behind a descriptor, even if its name leads to another file by now.
  static FileChannel channel(Path path, int descriptor, boolean writable) throws IOException {
    Set<StandardOpenOption> options =
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
            : Set.of(StandardOpenOption.READ);
    try {
      return FileChannel.open(FileDescriptors.name(descriptor), options);
    } catch (FileSystemException e) {
      throw new IOException("could not open %s: %s".formatted(path, e.getReason()), e);
    }
  }

  /// Makes and opens a missing file if the disk has room for it.
  private void makeIfMissing() throws IOException {
    if (Files.exists(file)) {
      return;
    }
    Path made = target(file); // a new file takes no link's place
    Path folder = made.getParent();
    if (folder != null && Files.isDirectory(folder)) {
      FileBlocks.requireRoom(folder, leastBytes, leastBytes);
    }
    try {
      descriptor = FileDescriptors.make(made);
      path = made;
      isMade = true;
    } catch (FileAlreadyExistsException e) {
      // Another process was quicker.
    }
  }

  /// Makes the file at least `leastBytes` long, and returns whether it was shorter. The new part
  /// gets blocks on the disk, so that a full disk is found here and not by a later store.
  private boolean extend() throws IOException {
    long before = size();
    if (before >= leastBytes) {
      return false;
    }
    FileBlocks.requireRoom(path, leastBytes - before, leastBytes);
    try {
      if (FileDescriptors.reserve(descriptor, before, leastBytes - before)) {
        return true;
      }
      try (FileChannel writing = channel(path, descriptor, true)) {
        for (long size = before; size < leastBytes; size = writing.size()) { // others may, too
          ByteBuffer zeros = ZEROS.duplicate();
          zeros.limit((int) Math.min(zeros.capacity(), leastBytes - size));
          int _ = writing.write(zeros, size);
        }
      }
      return true;
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      // One that others may have mapped stays as long as it has become.
      throw new IOException(
          "no room on the disk for a file of %d bytes: %s".formatted(leastBytes, e.getMessage()),
          e);
    }
  }
}
