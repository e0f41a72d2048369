package dev.tigris.flow;

import java.util.function.LongSupplier;

/// How long a thread that moves its own streams looks for what it waits for before it parks. The
/// other end is in another process, on another processor most of the time.
///
/// To wake a parked thread takes 60 microseconds, in which a window of small waters would have come
/// and gone several times. So the thread looks for about as long before it parks: then a wait never
/// takes much more than twice as long as the better choice. Where parks turn out to be long, it
/// looks for a shorter time, down to [#LEAST_NANOS].
///
/// Meanwhile it yields, for the other end may need this processor. A yield also lets threads run
/// that have nothing to do with either end, each for a time slice of milliseconds; to a thread that
/// was parked the processor comes back sooner. So after one long yield there is none for a while.
///
/// Thread rule: one thread.
final class LookTime {
  static final long MOST_NANOS = 50_000;
  static final long LEAST_NANOS = 3_000;

  /// Longer than the way there and back between two processors.
  static final long YIELD_AFTER_NANOS = 15_000;

  /// A yield that takes longer has given a time slice away.
  static final long LONG_YIELD_NANOS = 500_000;

  static final long WITHOUT_YIELD_NANOS = 1_000_000_000;

  /// A park that ends sooner would have been better spent looking.
  static final long SHORT_PARK_NANOS = 200_000;

  private static final int LOOKS_BETWEEN_CLOCKS = 8;

  private final LongSupplier clock;
  private final Runnable yield;

  private long most = MOST_NANOS;

  /// Zero where the other end was found to run on this processor.
  private long yieldAfter = YIELD_AFTER_NANOS;

  private long longYield;
  private int looks;
  private long start;
  private boolean yields;

  /// Makes one.
  ///
  /// @param yield lets other threads have the processor
  LookTime(LongSupplier clock, Runnable yield) {
    this.clock = clock;
    this.yield = yield;
    this.longYield = clock.getAsLong() - WITHOUT_YIELD_NANOS;
  }

  /// Begins a wait.
  void begin() {
    looks = 0;
    yields = false;
  }

  /// Called after a look in vain. Returns whether to look once more, after a moment.
  boolean goesOn() {
    if (looks++ % LOOKS_BETWEEN_CLOCKS == 0) {
      long now = clock.getAsLong();
      if (looks == 1) {
        start = now;
      }
      long nanos = now - start;
      if (nanos >= most) {
        return false;
      }
      yields = nanos >= yieldAfter && now - longYield >= WITHOUT_YIELD_NANOS;
    }
    if (yields) {
      yieldOnce();
    } else {
      Thread.onSpinWait();
    }
    return true;
  }

  private void yieldOnce() {
    long before = clock.getAsLong();
    yield.run();
    long now = clock.getAsLong();
    if (now - before >= LONG_YIELD_NANOS) {
      longYield = now;
      yields = false;
    }
  }

  /// The last look was not in vain.
  void found() {
    most = Math.min(MOST_NANOS, 2 * most);
    yieldAfter = yields ? 0 : YIELD_AFTER_NANOS;
  }

  /// The thread has parked, for so long.
  void parked(long nanos) {
    most =
        nanos < SHORT_PARK_NANOS ? Math.min(MOST_NANOS, 2 * most) : Math.max(LEAST_NANOS, most / 2);
  }

  /// Returns how long it looks at the most, at present.
  long mostNanos() {
    return most;
  }
}
