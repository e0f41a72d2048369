package dev.tigris.cluster;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/// A thread that moves the messages of modules while these compute. It looks at the movers that are
/// lent about once a millisecond, and takes one over whose module has been in one call since the
/// last look, or that has much to send. It goes on without a pause as long as something moves.
/// While nothing was lent for a while, it sleeps until something is.
///
/// A module that computes for a microsecond at a time is never disturbed, and costs nothing here.
///
/// Thread rule: any thread, except for [#run].
final class StandIn implements Runnable {
  /// The result of a look at a mover.
  enum Look {
    /// It is not lent.
    NOT_LENT,
    /// It was lent too short a time ago, or nothing moved.
    NOTHING,
    /// Something moved.
    MOVED
  }

  /// Between two looks.
  private static final long PAUSE_NANOS = 1_000_000;

  /// So many looks without a mover that is lent, and the thread sleeps.
  private static final int MOST_IDLE_LOOKS = 16;

  private final List<QueueMover> movers = new CopyOnWriteArrayList<>();

  /// Said before the last look of one that goes to sleep.
  private volatile boolean isAsleep;

  private volatile boolean isClosed;

  /// Guarded by this object's lock.
  private boolean isStarted;

  private final Thread thread =
      Thread.ofPlatform().daemon().name("tigris-exchange-helper").unstarted(this);

  /// Adds a mover, before it is lent for the first time.
  void add(QueueMover mover) {
    movers.add(mover);
    synchronized (this) {
      if (!isStarted && !isClosed) {
        isStarted = true;
        thread.start();
      }
    }
  }

  void remove(QueueMover mover) {
    movers.remove(mover);
  }

  /// A mover is lent now.
  void lent() {
    if (isAsleep) {
      isAsleep = false;
      LockSupport.unpark(thread);
    }
  }

  /// Ends the thread, which finishes its step.
  void close() {
    boolean mustJoin;
    synchronized (this) {
      isClosed = true;
      mustJoin = isStarted;
    }
    LockSupport.unpark(thread);
    if (mustJoin) {
      Requests.awaitEnd(thread);
    }
  }

  @Override
  public void run() {
    int idle = 0;
    while (!isClosed) {
      Look best = look();
      idle = best == Look.NOT_LENT ? idle + 1 : 0;
      if (idle >= MOST_IDLE_LOOKS) {
        isAsleep = true;
        if (look() == Look.NOT_LENT && !isClosed) {
          LockSupport.park(this);
        }
        isAsleep = false;
        idle = 0;
      } else if (best != Look.MOVED) {
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
  }

  private Look look() {
    Look best = Look.NOT_LENT;
    for (QueueMover mover : movers) {
      Look its = mover.help();
      best = its.compareTo(best) > 0 ? its : best;
    }
    return best;
  }
}
