package dev.tigris.message.protocol;

/// Estimates how long a round trip takes, and from that how long to wait for an answer (RFC 6298).
/// A packet that was sent twice tells nothing, because its acknowledgement may be that of either
/// (Karn's rule); the caller leaves such packets out.
final class RoundTrips {
  private final long leastNanos;
  private final long mostNanos;
  private long smoothed;
  private long variation;
  private long waitNanos;

  RoundTrips(long leastNanos, long mostNanos) {
    this.leastNanos = leastNanos;
    this.mostNanos = mostNanos;
    this.waitNanos = leastNanos;
  }

  void sample(long nanos) {
    if (smoothed == 0) {
      smoothed = Math.max(1, nanos);
      variation = nanos / 2;
    } else {
      variation += (Math.abs(smoothed - nanos) - variation) / 4;
      smoothed = Math.max(1, smoothed + (nanos - smoothed) / 8);
    }
    restore();
  }

  /// Nothing has come: the next answer is waited for twice as long.
  void backOff() {
    waitNanos = waitNanos > mostNanos / 2 ? mostNanos : 2 * waitNanos;
  }

  /// Something has come: the wait is what the estimate says.
  void restore() {
    waitNanos =
        smoothed == 0 ? leastNanos : Math.clamp(smoothed + 4 * variation, leastNanos, mostNanos);
  }

  /// How long to wait for an answer.
  long waitNanos() {
    return waitNanos;
  }

  /// How long a round trip takes; what the shortest wait is, before one was measured.
  long tripNanos() {
    return smoothed == 0 ? leastNanos : smoothed;
  }
}
