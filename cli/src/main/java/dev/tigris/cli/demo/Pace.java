package dev.tigris.cli.demo;

import java.util.concurrent.locks.LockSupport;

/// Spaces events at a steady rate by absolute deadlines. A late wake-up delays one event, not all
/// that follow, so that the rate is the same on a busy machine.
///
/// A long pause is not made up for completely. At most [#CATCH_UP_NANOS] worth of events may follow
/// each other at once, so that over any time `t` there are at most `(t + CATCH_UP_NANOS) / period`
/// of them.
///
/// Thread rule: one thread.
final class Pace {
  /// Longer than a thread of a busy machine usually waits for a processor.
  static final long CATCH_UP_NANOS = 20_000_000;

  private final long periodNanos;
  private long due;

  /// @param ratePerSecond the events a second; infinity for no waits
  /// @param start the time of [System#nanoTime] from which deadlines count
  Pace(double ratePerSecond, long start) {
    this.periodNanos = Math.round(1e9 / ratePerSecond);
    this.due = start;
  }

  /// Waits until the next event is due, and returns when that was.
  long awaitNext() throws InterruptedException {
    long now = System.nanoTime();
    due = Math.max(due, now - CATCH_UP_NANOS) + periodNanos;
    while (now < due) {
      LockSupport.parkNanos(this, due - now);
      if (Thread.interrupted()) {
        throw new InterruptedException("while keeping pace");
      }
      now = System.nanoTime();
    }
    return due;
  }
}
