package dev.tigris.os;

import java.util.List;

/// The one loop by which a thread waits for several sources at once: arm, look once more, park, and
/// look again. What is to be done comes before the announcement and is found by the second look, or
/// comes after it and ends the park, so no wake-up is lost.
///
/// Spinning and yielding come before, and are the business of each kind of waiting: how long they
/// pay depends on what is waited for.
///
/// Thread rule: one thread waits; any thread may [WaitSource#wake] a source.
public final class Waiter {
  private final WaitSource host;
  private final WaitSource[] others;

  /// Makes one. The order is that in which the sources are polled, after the host.
  ///
  /// @param host the source that parks the thread
  public Waiter(WaitSource host, List<WaitSource> others) {
    this.host = host;
    this.others = others.toArray(WaitSource[]::new);
  }

  /// Waits until a source says that the wait is over, or the time is over. Allocates nothing.
  ///
  /// @return whether a source has said so
  public boolean await(long nanos) {
    long start = System.nanoTime();
    try {
      while (true) {
        boolean armed = arm();
        if (poll()) {
          return true;
        }
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          return false;
        }
        if (armed) {
          host.park(left);
          if (poll()) { // before another announcement, which costs system calls in some sources
            return true;
          }
        }
      }
    } finally {
      host.disarm();
      for (WaitSource each : others) {
        each.disarm();
      }
    }
  }

  /// Arms all sources up to the first that may have something to do.
  private boolean arm() {
    if (!host.arm(host)) {
      return false;
    }
    for (WaitSource each : others) {
      if (!each.arm(host)) {
        return false;
      }
    }
    return true;
  }

  /// Polls all sources, also after one has said that the wait is over: each may have work to do.
  private boolean poll() {
    boolean over = host.poll();
    for (WaitSource each : others) {
      over |= each.poll();
    }
    return over;
  }
}
