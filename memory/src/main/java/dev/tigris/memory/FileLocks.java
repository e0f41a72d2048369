package dev.tigris.memory;

import dev.tigris.os.FileDescriptors;
import dev.tigris.os.SystemException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/// The locks of a mapped file itself. The lock of the [Journal], which is another file, says which
/// mapping owns the file; that one is held as long as the mapping is. These are held for a moment:
///
/// - The *file's lock* (`flock(2)`). The process that makes the file holds it alone until the file
///   is mapped, and so does a flush of a [Mapping#DURABLE] mapping while it writes. A
///   [Mapping#SNAPSHOT] shares it while it reads. A process that opens the file for writing shares
///   it, while the file is empty until it is mapped.
/// - The *turnstile* (a lock of one byte far behind the file's end). A flush that finds the file's
///   lock taken holds the turnstile alone while it waits for that. A snapshot goes through the
///   turnstile, which it shares with others for a moment, before it asks for the file's lock. So
///   those that are reading are the only ones that a flush waits for, even if there is always one
///   that reads.
///
/// A snapshot holds nothing while it waits at the turnstile, and a flush never asks for the
/// turnstile while it holds the file's lock: no two wait for each other. (The maker of an empty
/// file may share its lock then. Linux gives a shared lock up when it cannot become an own one.)
///
/// The turnstile is there for fairness only. Where it is none, snapshots that overlap keep a flush
/// waiting: on macOS, where there are no locks of bytes, and on NFS, whose locks of a file are
/// locks of all its bytes on the server. Programs that lock the whole file by `fcntl(2)`, as
/// [java.nio.channels.FileChannel#lock] does, cover the turnstile, too. So a flush asks for the
/// file's lock whether it has the turnstile or not, and a snapshot passes if the lock that is in
/// its way is not of that one byte.
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

  /// The byte of the turnstile: no file is so long.
  static final long TURNSTILE_AT = 1L << 62;

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
    return await(() -> FileDescriptors.lock(descriptor, shared), deadline(patienceNanos), true);
  }

  /// As [#lock], for a lock without which nothing is safe.
  ///
  /// @throws SystemException also where the file system has no locks
  static boolean await(int descriptor, boolean shared, long patienceNanos) throws IOException {
    return await(() -> FileDescriptors.lock(descriptor, shared), deadline(patienceNanos), false);
  }

  /// Keeps snapshots from reading a file while a flush writes it. New ones wait until it has begun.
  static void lockForFlush(Path path, int descriptor) throws IOException {
    if (isAlone(descriptor)) {
      return;
    }
    try {
      if (await(() -> lockBehindTurnstile(descriptor), deadline(LONG_NANOS), true)) {
        return;
      }
    } finally {
      FileDescriptors.unlockByte(descriptor, TURNSTILE_AT);
    }
    throw new IOException(
        "%s was locked for more than %d seconds, so nothing was flushed: end the processes that read a snapshot of it, or hold its flock(2), or flush again"
            .formatted(path, LONG_NANOS / 1_000_000_000));
  }

  /// Asks for the turnstile, and for the file's lock in any case.
  private static boolean lockBehindTurnstile(int descriptor) throws SystemException {
    try {
      boolean _ = lockTurnstile(descriptor, false);
    } catch (SystemException e) {
      if (!e.isUnsupported()) {
        throw e;
      }
    }
    return FileDescriptors.lock(descriptor, false);
  }

  /// Keeps flushes from writing a file while a snapshot reads it, until the descriptor is closed.
  /// Those that wait already go first.
  static void lockForSnapshot(Path path, int descriptor) throws IOException {
    long deadline = deadline(LONG_NANOS);
    if (await(() -> isOpen(descriptor), deadline, true)
        && await(() -> FileDescriptors.lock(descriptor, true), deadline, true)) {
      return;
    }
    throw new IOException(
        "%s was locked for more than %d seconds, by a flush or by a program that holds its flock(2): try again"
            .formatted(path, LONG_NANOS / 1_000_000_000));
  }

  /// Goes through the turnstile, unless a flush holds it.
  private static boolean isOpen(int descriptor) throws SystemException {
    if (lockTurnstile(descriptor, true)) {
      FileDescriptors.unlockByte(descriptor, TURNSTILE_AT);
      return true;
    }
    return !FileDescriptors.isLockedByItself(descriptor, TURNSTILE_AT);
  }

  static boolean lockTurnstile(int descriptor, boolean shared) throws SystemException {
    return FileDescriptors.lockByte(descriptor, TURNSTILE_AT, shared);
  }

  /// Asks once for a lock.
  private interface Request {
    boolean isGranted() throws SystemException;
  }

  private static long deadline(long patienceNanos) {
    return System.nanoTime() + patienceNanos;
  }

  /// Asks for a lock until it is granted, or the time is over.
  ///
  /// @param orNone whether a file system without such locks is taken to have granted it
  private static boolean await(Request request, long deadline, boolean orNone) throws IOException {
    try {
      while (!request.isGranted()) {
        if (System.nanoTime() - deadline > 0) {
          return false;
        }
        pause();
      }
      return true;
    } catch (SystemException e) {
      if (orNone && e.isUnsupported()) {
        return true;
      }
      throw e;
    }
  }
}
