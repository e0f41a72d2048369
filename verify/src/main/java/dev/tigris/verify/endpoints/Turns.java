package dev.tigris.verify.endpoints;

import dev.tigris.verify.model.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Threads that take turns: one runs at a time, until it waits. Which one is next follows from a
/// seed, and virtual time passes only while none can run. So a run of code that waits, and is
/// woken, can be repeated.
///
/// ```text
///            wake, or the time is over             chosen by chance
///   WAITING ---------------------------> READY ----------------------> RUNNING
///      ^                                                                  |
///      +------------------------------------------------------------------+  await
/// ```
///
/// The thread that gives its turn up chooses the next one, and lets events happen meanwhile.
///
/// Where shipped code waits for another thread in a way that this class knows nothing of (it joins
/// a thread that it has interrupted, or takes a lock that another one gives up when it is woken),
/// that thread is [#free]d: it takes no turns any more, and ends while the other one waits for it.
final class Turns {
  /// How long a thread may take to run after it was woken.
  private static final long MOST_LATENCY_NANOS = 20_000;

  private static final long FOREVER_NANOS = 3_000_000_000_000L;

  private final VirtualTime time;
  private final SplittableRandom random;
  private final long limitNanos;
  private final Map<Thread, Turn> turns = new ConcurrentHashMap<>();
  private final List<Turn> all = new ArrayList<>();
  private final List<Turn> ready = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Throwable failure;

  /// @param limitNanos when the run is given up
  Turns(VirtualTime time, long seed, long limitNanos) {
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.limitNanos = limitNanos;
  }

  /// Ends a thread that was killed.
  static final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed() {
      super("it was killed", null, false, false);
    }
  }

  /// One thread.
  static final class Turn {
    private final String name;
    private @Nullable Thread thread;
    private volatile boolean hasTurn;
    private volatile boolean isFree;
    private boolean isWaiting;
    private boolean isWoken;
    private boolean isKilled;
    private long waits;
    private long stoppedUntil;

    private Turn(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /// A thread that shipped code makes, and ends in its own ways.
  private static final class TurnThread extends Thread {
    private final Turns turns;
    private final Turn turn;

    TurnThread(Turns turns, String name, Runnable task) {
      super(null, null, name, 0, false);
      this.turns = turns;
      this.turn = new Turn(name);
      this.task = task;
      setDaemon(true);
    }

    private final Runnable task;

    @Override
    public void start() {
      turns.add(turn, this);
      super.start();
    }

    @Override
    public void run() {
      turns.run(turn, task);
    }

    @Override
    public void interrupt() {
      turns.free(turn);
      super.interrupt();
    }
  }

  /// Makes a thread for shipped code, which is not started.
  Thread thread(String name, Runnable task) {
    return new TurnThread(this, name, task);
  }

  /// Starts a thread, whose turn comes.
  Turn start(String name, Runnable task) {
    Turn turn = new Turn(name);
    Thread thread = Thread.ofVirtual().name(name).unstarted(() -> run(turn, task));
    add(turn, thread);
    thread.start();
    return turn;
  }

  private void add(Turn turn, Thread thread) {
    turn.thread = thread;
    turns.put(thread, turn);
    all.add(turn);
    ready.add(turn);
  }

  private void run(Turn turn, Runnable task) {
    try {
      park(turn);
      if (!turn.isKilled) {
        task.run();
      }
    } catch (Killed e) {
      // as it was asked to
    } catch (Throwable e) {
      if (!turn.isFree) {
        fail(e);
      }
    } finally {
      turns.remove(Thread.currentThread());
      if (!turn.isFree) {
        boolean _ = all.remove(turn);
        give(next());
      }
    }
  }

  /// Lets the threads run until all have ended. Any thread that takes no turns.
  ///
  /// @throws Throwable what one of them has failed by
  void run() throws Throwable {
    give(next());
    over.await();
    Throwable why = failure;
    if (why != null) {
      throw why;
    }
  }

  /// Returns the turn of the calling thread.
  Turn mine() {
    return Objects.requireNonNull(turns.get(Thread.currentThread()), "the thread takes no turns");
  }

  /// Whether a thread takes no turns any more.
  boolean isFree() {
    return mine().isFree;
  }

  /// Waits until the thread is woken, or the time is over. It may return early.
  void await(long nanos) {
    Turn me = mine();
    if (me.isFree) {
      return;
    }
    if (!me.isWoken && !me.isKilled) {
      me.isWaiting = true;
      long number = ++me.waits;
      time.after(
          Math.min(nanos, FOREVER_NANOS),
          () -> {
            if (me.waits == number) {
              makeReady(me);
            }
          });
      Turn next = next();
      if (next != me) { // a turn is itself
        give(next);
        park(me);
      }
    }
    me.isWoken = false;
    if (me.isKilled && !me.isFree) {
      me.isKilled = failure != null; // once, so that it can clean up; at the end of a run always
      throw new Killed();
    }
  }

  /// Has a thread run soon.
  void wake(Turn turn) {
    if (!turn.isWoken && !turn.isFree) {
      turn.isWoken = true;
      long number = turn.waits;
      time.after(
          random.nextLong(MOST_LATENCY_NANOS),
          () -> {
            if (turn.waits == number) {
              makeReady(turn);
            }
          });
    }
  }

  /// Ends a thread at its next wait, or the one that it is in.
  void kill(Turn turn) {
    turn.isKilled = true;
    turn.stoppedUntil = 0;
    makeReady(turn);
  }

  /// Lets a thread not run for a while.
  void stop(Turn turn, long nanos) {
    turn.stoppedUntil = Math.max(turn.stoppedUntil, time.nowNanos() + nanos);
  }

  /// Lets a thread run on its own: it waits for nothing any more.
  void free(Turn turn) {
    if (!turn.isFree) {
      boolean _ = all.remove(turn);
      boolean _ = ready.remove(turn);
      turn.waits++;
      turn.isFree = true;
      LockSupport.unpark(turn.thread);
    }
  }

  private void makeReady(Turn turn) {
    if (!turn.isWaiting || turn.isFree) {
      return;
    }
    long left = turn.stoppedUntil - time.nowNanos();
    if (left > 0) {
      long number = turn.waits;
      time.after(
          left,
          () -> {
            if (turn.waits == number) {
              makeReady(turn);
            }
          });
      return;
    }
    turn.isWaiting = false;
    turn.waits++;
    ready.add(turn);
  }

  /// Chooses the next thread; null if none is left.
  private @Nullable Turn next() {
    while (ready.isEmpty() && !all.isEmpty()) {
      if (failure == null && time.nowNanos() > limitNanos) {
        fail(new AssertionError("it does not come to an end: " + all));
      } else if (!time.step()) {
        fail(new AssertionError("all wait for ever: " + all));
      }
    }
    if (ready.isEmpty()) {
      return null;
    }
    int index = random.nextInt(ready.size());
    Turn last = ready.removeLast();
    return index == ready.size() ? last : ready.set(index, last);
  }

  private void give(@Nullable Turn next) {
    if (next == null) {
      over.countDown();
    } else {
      next.hasTurn = true;
      LockSupport.unpark(next.thread);
    }
  }

  private void park(Turn me) {
    while (!me.hasTurn && !me.isFree) {
      LockSupport.park(this);
    }
    me.hasTurn = false;
  }

  /// Ends the run: all threads are killed, whenever they wait.
  void fail(Throwable why) {
    if (failure == null) {
      failure = why;
      for (Turn turn : List.copyOf(all)) {
        kill(turn);
      }
    } else {
      failure.addSuppressed(why);
    }
  }
}
