package dev.tigris.message.call;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Completes the futures of calls, on virtual threads: what depends on a future may wait, even for
/// another call of the same client, and neither the client's thread nor another future may wait for
/// that.
///
/// ```text
///   over --somebody waits for it--> a thread of its own
///     '----nobody does----------> queue --> the one thread that completes all that is in it
/// ```
///
/// That one thread is held up by whoever begins to depend on a future just when it completes that.
/// So the client's thread looks after it: if it has taken nothing for a while, another one goes on
/// with the queue.
///
/// Thread rule: [#add], [#start] and [#close] the client's.
final class Completions {
  /// How long the thread of the queue may be held up.
  static final long PATIENCE_NANOS = 1_000_000;

  /// A call that is over.
  interface Ended {
    /// Whether somebody depends on its future by now.
    boolean isAwaited();

    /// Completes its future. What depends on that may wait.
    void complete();
  }

  private final Executor threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("tigris-call").factory());

  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();

  /// Whether a thread will see what is added to the queue.
  private final AtomicBoolean isAwake = new AtomicBoolean();

  /// How many have been taken out of the queue.
  private final AtomicLong taken = new AtomicLong();

  // ---- the client's thread
  private boolean isClosed;
  private long seenTaken;
  private long seenAt;

  /// A call is over that has a future.
  void add(Ended call) {
    if (isClosed || call.isAwaited()) {
      threads.execute(call::complete);
    } else {
      ended.add(call);
    }
  }

  /// Has all completed that was added.
  ///
  /// @return after how many nanoseconds it is to be called again, at the latest
  long start(long now) {
    if (ended.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long its = taken.get();
    boolean isNew = !isAwake.getAndSet(true);
    if (isNew || its != seenTaken) {
      seenTaken = its;
      seenAt = now;
    }
    if (isNew || now - seenAt >= PATIENCE_NANOS) {
      seenAt = now;
      threads.execute(this::completeAll);
    }
    return PATIENCE_NANOS;
  }

  private void completeAll() {
    do {
      for (Ended next = ended.poll(); next != null; next = ended.poll()) {
        taken.incrementAndGet();
        next.complete();
      }
      isAwake.set(false);
    } while (!ended.isEmpty() && !isAwake.getAndSet(true));
  }

  /// Ends the looking after the queue: each future has a thread of its own from now on.
  void close() {
    isClosed = true;
    for (Ended next = ended.poll(); next != null; next = ended.poll()) {
      threads.execute(next::complete);
    }
  }
}
