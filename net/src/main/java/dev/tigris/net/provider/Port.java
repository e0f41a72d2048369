package dev.tigris.net.provider;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A provider's half of a completion queue: what moves the messages of all its links. Nothing
/// moves but in a call: a provider needs no thread.
///
/// **Waiting.** The thread of a queue announces a wait ([#arm]), looks once more ([#progress]), and
/// then parks. It parks in one of three ways:
///
/// - until another thread calls [#wake], which is what [#park] does here: for providers whose peers
///   are threads of this process;
/// - until a file can be read: for ports that name their files ([#waitsByDescriptor]). One wait
///   serves all such ports of a queue, and [DescriptorPort] is the base class;
/// - in a way of the provider's own, by another [#park].
///
/// *This class may still change between minor versions.*
public abstract class Port implements AutoCloseable {
  /// How long a link that is closed, and [#close], waits for the peer to take the last messages and
  /// to close its side.
  public static final long LINGER_NANOS = 1_000_000_000L;

  /// Ends a wait of this port that another thread is in, if one is.
  private Runnable reminder = () -> {};

  /// Whether the owner was interrupted while it closed.
  private boolean interrupted;

  /// The thread that is in [#park]. It writes this, and then reads `woken`; a thread that wakes it
  /// writes `woken`, and then reads this: so one of them sees what the other has written.
  private volatile @Nullable Thread parked;

  private volatile boolean woken;

  /// Held by the thread that is in [#park], so that no other takes its place or its wake.
  private final ReentrantLock parking = new ReentrantLock();

  /// The only thread that may park still; null while any may.
  private volatile @Nullable Thread closing;

  /// Makes a port for the calling thread.
  protected Port() {}

  /// The end of a doorbell: links were rung, and what they have put off to be handed over together
  /// is. For providers that do so.
  public void flush() {}

  /// Does what can be done without waiting: sends, receives, and completes transfers.
  public abstract void progress();

  /// Whether parts of messages that are not complete have moved since this was last asked: then it
  /// is too early to [#park]. For providers that move long messages part by part.
  public boolean isMoving() {
    return false;
  }

  // ---- waiting

  /// Announces a wait: whatever comes from now on ends it. The owner calls this before each
  /// [#park], and calls [#progress] between the two. For providers whose peers have to know.
  ///
  /// @return false if there may be something to do at once, so that the thread must not park
  public boolean arm() {
    return true;
  }

  /// Takes the announcement back: no thread waits any more. Called by the thread that has waited.
  public void disarm() {}

  /// Waits until there may be something for [#progress] to do, or [#wake] was called since the last
  /// wait, or the time is over, or the thread is interrupted. It may return early. It may be called
  /// by another thread than the owner, one at a time, while the owner does not wait. With a time of
  /// 0 it waits for nothing, and takes a [#wake] that would end the next wait.
  @SuppressWarnings("ReferenceEquality") // a thread is itself
  public void park(long nanos) {
    Thread current = Thread.currentThread();
    parking.lock();
    try {
      Thread only = closing;
      if (only != null && only != current) {
        return;
      }
      parked = current;
      if (!woken) {
        LockSupport.parkNanos(this, nanos);
      }
      parked = null;
      woken = false; // the caller looks now for what it was woken for
    } finally {
      parking.unlock();
    }
  }

  /// Lets no thread but the calling one park from now on, and waits until another has left. That
  /// thread would take the wake of a peer that the calling one waits for, or wait for ever.
  private void keepOthersOut() {
    closing = Thread.currentThread();
    wake();
    parking.lock();
    try {
      woken = false; // that was for the other thread, and the caller looks now
    } finally {
      parking.unlock();
    }
  }

  /// Ends a [#park], or the next one. Any thread.
  public void wake() {
    woken = true;
    LockSupport.unpark(parked);
  }

  /// Whether a wait for this port can be a wait for files: then [#beginWait] names them, and a
  /// queue over several fabrics needs one wait for all such ports.
  public boolean waitsByDescriptor() {
    return false;
  }

  /// Begins a wait for files, in the thread that waits, which may be another than the owner. What
  /// the owner does until [#endWait] must not keep the files from ending the wait.
  ///
  /// @param files takes the descriptor of each file that can be read when there may be something
  ///     for [#progress] to do
  /// @return how long the wait may take at the most: 0 if there is something to do already,
  ///     `Long.MAX_VALUE` if it does not matter
  public long beginWait(IntConsumer files) {
    throw new UnsupportedOperationException("this port is not waited for by files");
  }

  /// Whether there is something to do after all. The waiting thread asks once, soon after
  /// [#beginWait]: it takes some time until a processor sees what another one has written.
  public boolean hasWork() {
    return false;
  }

  /// Ends a wait for files that [#beginWait] has begun, in the same thread.
  public void endWait() {}

  /// Names what ends a wait of this port that another thread is in, if one is.
  public void remindBy(Runnable endsWait) {
    reminder = endsWait;
  }

  /// Has a wait that another thread is in end: something is to be done sooner than it was to end,
  /// or the files to wait for are others.
  protected final void remind() {
    reminder.run();
  }

  /// Whether another thread may own this port from now on: nothing that it has belongs to the
  /// thread that has made it. The two threads see to it that one sees what the other has done.
  public boolean canChangeThread() {
    return false;
  }

  // ---- closing

  /// Closes it, with all its links closed. It may wait for up to a second for what links have sent
  /// last. A port that waits for longer than a moment calls [#postponeInterrupt] before.
  @Override
  public abstract void close();

  /// Does what is to be done, and waits, as long as links linger that the application has closed,
  /// and for [#LINGER_NANOS] at the most.
  protected final void awaitLingering(BooleanSupplier areLeft) {
    keepOthersOut();
    Deadline deadline = Deadline.in(LINGER_NANOS);
    for (long left = LINGER_NANOS;
        left > 0 && areLeft.getAsBoolean();
        left = deadline.leftNanos()) {
      progress();
      postponeInterrupt();
      if (areLeft.getAsBoolean() && arm()) {
        park(left);
      }
    }
    disarm();
  }

  /// Puts an interrupt of the calling thread off, which would end all its waits from now on.
  protected final void postponeInterrupt() {
    interrupted |= Thread.interrupted();
  }

  /// Whether there was one: the caller that closes it interrupts the thread again.
  public boolean hasPostponedInterrupt() {
    return interrupted;
  }
}
