package dev.tigris.testing.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What a process has printed so far. A thread reads it as it comes, so that the process never
/// waits for its reader.
final class Printed {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private byte[] bytes = new byte[1024];
  private int count;
  private int taken;
  private boolean hasEnded;

  /// Of a stream that nothing reads, or that goes to a file.
  static Printed nothing() {
    Printed printed = new Printed();
    printed.hasEnded = true;
    return printed;
  }

  /// Reads a stream to its end.
  static Printed from(InputStream stream, String name) {
    Printed printed = new Printed();
    Thread.ofPlatform().daemon().name(name).start(() -> printed.readAll(stream));
    return printed;
  }

  private void readAll(InputStream stream) {
    byte[] chunk = new byte[8192];
    try (stream) {
      for (int length = stream.read(chunk); length >= 0; length = stream.read(chunk)) {
        add(chunk, length);
      }
    } catch (IOException e) {
      // A process that is killed may take its stream with it: that is its end.
    } finally {
      end();
    }
  }

  private void add(byte[] chunk, int length) {
    lock.lock();
    try {
      if (count + length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, count + length));
      }
      System.arraycopy(chunk, 0, bytes, count, length);
      count += length;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      hasEnded = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Returns the next line; null at the end.
  ///
  /// @throws AssertionError if there is none in time
  @Nullable String nextLine(Duration patience, Object of) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (lineEnd() < 0 && !hasEnded) {
        if (left <= 0) {
          throw new AssertionError(
              "no line after %d ms of %s%nbut: %s".formatted(patience.toMillis(), of, this));
        }
        left = changed.awaitNanos(left);
      }
      return takeLine();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while it waits for a line of " + of, e);
    } finally {
      lock.unlock();
    }
  }

  /// Where the next line ends; below 0 if its end has not come.
  private int lineEnd() {
    for (int i = taken; i < count; i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private @Nullable String takeLine() {
    int end = lineEnd();
    if (end < 0) {
      end = count;
      if (taken >= end) {
        return null;
      }
    }
    String line = new String(bytes, taken, end - taken, StandardCharsets.UTF_8);
    taken = end + 1;
    return line;
  }

  /// Waits for the end, and returns all.
  ///
  /// @throws AssertionError if the end does not come in time
  String all(Duration patience, Object of) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (!hasEnded) {
        if (left <= 0) {
          throw new AssertionError(
              "the output of %s has no end: another process holds it%n%s".formatted(of, this));
        }
        left = changed.awaitNanos(left);
      }
      return toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while it reads the output of " + of, e);
    } finally {
      lock.unlock();
    }
  }

  /// All so far.
  @Override
  public String toString() {
    lock.lock();
    try {
      return new String(bytes, 0, count, StandardCharsets.UTF_8);
    } finally {
      lock.unlock();
    }
  }
}
