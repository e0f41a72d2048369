package dev.tigris.memory;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.SystemException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/// The lock of a mapped file itself (`flock(2)`): the process that makes the file holds it alone,
/// and so does a flush of a [Mapping#DURABLE] mapping. A [Mapping#SNAPSHOT] holds it together with
/// others while the file is read. It is held for a moment only. The lock of the [Journal] is the
/// one that says who owns a file.
///
/// A lock belongs to the open file, and ends with the process. There is no call that waits for one
/// with a limit, so it is asked for again and again.
///
/// Thread rule: any thread.
final class FileLocks {
  /// How long a mapping waits for what another one does for a moment.
  static final long SHORT_NANOS = 500_000_000;

  /// How long a flush waits for a snapshot, and a snapshot for a flush: as long as it takes to read
  /// or write tens of gigabytes.
  static final long LONG_NANOS = 60_000_000_000L;

  private static final long PAUSE_NANOS = 1_000_000;

  private FileLocks() {}

  static void pause() throws ClosedByInterruptException {
    if (Thread.currentThread().isInterrupted()) {
      throw new ClosedByInterruptException();
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  /// Locks a file if no other descriptor has it. Returns false otherwise, and where the file system
  /// has no locks.
  static boolean tryToLock(int descriptor, boolean shared) throws SystemException {
    try {
      return FileDescriptors.lock(descriptor, shared);
    } catch (SystemException e) {
      if (e.isUnsupported()) {
        return false;
      }
      throw e;
    }
  }

  /// Locks a file alone if no other descriptor has it. Where the file system has no locks, none
  /// has.
  static boolean isAlone(int descriptor) throws SystemException {
    try {
      return FileDescriptors.lock(descriptor, false);
    } catch (SystemException e) {
      if (e.isUnsupported()) {
        return true;
      }
      throw e;
    }
  }

  /// Waits for a lock, and returns false if it does not come in time. Where the file system has no
  /// locks, there is nothing to wait for.
  static boolean lock(int descriptor, boolean shared, long patienceNanos) throws IOException {
    try {
      return await(descriptor, shared, patienceNanos);
    } catch (SystemException e) {
      if (e.isUnsupported()) {
        return true;
      }
      throw e;
    }
  }

  /// As [#lock], for a lock without which nothing is safe.
  ///
  /// @throws SystemException also where the file system has no locks
  static boolean await(int descriptor, boolean shared, long patienceNanos) throws IOException {
    long start = System.nanoTime();
    while (!FileDescriptors.lock(descriptor, shared)) {
      if (System.nanoTime() - start > patienceNanos) {
        return false;
      }
      pause();
    }
    return true;
  }

  /// Keeps snapshots from reading a file while a flush writes it.
  static void lockForFlush(Path path, int descriptor) throws IOException {
    if (!lock(descriptor, false, LONG_NANOS)) {
      throw new IOException(
          "a process reads a snapshot of %s for more than %d seconds, so nothing was flushed: end it, or flush again"
              .formatted(path, LONG_NANOS / 1_000_000_000));
    }
  }
}
