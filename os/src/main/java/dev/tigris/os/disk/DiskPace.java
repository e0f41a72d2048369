package dev.tigris.os.disk;

import java.util.concurrent.TimeUnit;

/// The rate of a disk that is made slower than it is: a bucket of tokens, one for each byte, that
/// has room for none. For tests, benches and demonstrations. Files with one pace share its rate.
///
/// An operation waits in its queue until its bytes would have been transferred, and is begun then.
///
/// Thread rule: the thread of the queue.
public final class DiskPace {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long bytesPerSecond;
  private long busyUntil;
  private boolean hasBegun;

  /// Makes one.
  ///
  /// @param bytesPerSecond 0 for a disk that does not answer
  public DiskPace(long bytesPerSecond) {
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "%d bytes a second: give a rate, or 0 for none".formatted(bytesPerSecond));
    }
    this.bytesPerSecond = bytesPerSecond;
  }

  /// Takes tokens for some bytes, and returns when they are there; never is the largest number.
  long take(long bytes, long nowNanos) {
    if (bytesPerSecond == 0) {
      return Long.MAX_VALUE;
    }
    long start = hasBegun && busyUntil - nowNanos > 0 ? busyUntil : nowNanos;
    hasBegun = true;
    busyUntil = start + (long) (bytes * NANOS / bytesPerSecond);
    return busyUntil;
  }
}
