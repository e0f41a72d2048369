package dev.tigris.net;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;

/// Whether threads that exchange messages allocate for each of them. They do until everything is
/// loaded, linked and compiled, which happens at any time, and again for a while where the compiler
/// has guessed wrong: so messages are counted in windows, and what counts is the best one. Memory
/// for every message, or every hundredth, shows in all windows.
final class Allocations {
  /// Messages that arrive in a window.
  private static final int WINDOW = 500;

  /// How many windows may go by until there is one without an allocation.
  private static final int MOST_WINDOWS = 60;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final AtomicInteger allocating;

  /// Of so many threads.
  Allocations(int threads) {
    this.allocating = new AtomicInteger(threads);
  }

  /// To be called by each of them, before its first message.
  Windows ofThisThread() {
    return new Windows();
  }

  /// The windows of one thread.
  final class Windows {
    private long before = THREADS.getCurrentThreadAllocatedBytes();
    private long fewest = Long.MAX_VALUE;
    private int messages;

    /// A message has arrived.
    void message() {
      if (++messages % WINDOW != 0) {
        return;
      }
      long now = THREADS.getCurrentThreadAllocatedBytes();
      if (fewest > 0 && now == before) {
        allocating.decrementAndGet();
      }
      fewest = Math.min(fewest, now - before);
      before = now;
    }

    /// Whether all threads have been seen to allocate nothing, or this one has used up its windows.
    boolean areOver() {
      return allocating.get() == 0 || messages >= MOST_WINDOWS * WINDOW;
    }

    /// What was allocated in the best window.
    long fewestBytes() {
      return fewest;
    }
  }
}
