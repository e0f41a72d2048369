package dev.tigris.net.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;

/// Whether threads that exchange messages allocate for any of them. They do until everything is
/// loaded, linked and compiled, which happens at any time, and again for a while where the compiler
/// has guessed wrong: so what counts is the best stretch of [#STRETCH] messages in a row, of which
/// none is left out. What allocates for every message, or for one in thousands, shows in all of
/// them.
final class Allocations {
  /// Messages of a stretch, unless `-Dtigris.test.stretch` says otherwise.
  static final int LONG_STRETCH = 5_000;

  /// Messages of a stretch.
  static final int STRETCH = Integer.getInteger("tigris.test.stretch", LONG_STRETCH);

  /// A stretch begins every so many messages.
  private static final int STEP = STRETCH / 10;

  /// How many messages may go by until there is a stretch without an allocation.
  private static final int MOST_MESSAGES = 60_000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final AtomicInteger allocating;
  private final int mostMessages;

  /// Of so many threads.
  Allocations(int threads) {
    this(threads, MOST_MESSAGES);
  }

  /// Of so many threads, with at most so many messages.
  Allocations(int threads, int mostMessages) {
    this.allocating = new AtomicInteger(threads);
    this.mostMessages = mostMessages;
  }

  /// To be called by each of them, before its first message.
  Stretches ofThisThread() {
    return new Stretches();
  }

  /// The stretches of one thread.
  final class Stretches {
    /// What had been allocated where those began that are not over.
    private final long[] before = new long[STRETCH / STEP];

    private long fewest = Long.MAX_VALUE;
    private int messages;

    private Stretches() {
      before[0] = THREADS.getCurrentThreadAllocatedBytes();
    }

    /// A message has arrived.
    void message() {
      if (++messages % STEP != 0) {
        return;
      }
      long now = THREADS.getCurrentThreadAllocatedBytes();
      int begun = messages / STEP % before.length;
      if (messages >= STRETCH) {
        long bytes = now - before[begun];
        if (fewest > 0 && bytes == 0) {
          allocating.decrementAndGet();
        }
        fewest = Math.min(fewest, bytes);
      }
      before[begun] = now;
    }

    /// Whether all threads have been seen to allocate nothing, or this one has had its messages.
    boolean areOver() {
      return allocating.get() == 0 || messages >= mostMessages;
    }

    /// What was allocated in the best stretch.
    long fewestBytes() {
      return fewest;
    }
  }
}
