package dev.tigris.net.provider;

/// A provider's half of a completion queue: what moves the messages of all its links. Nothing
/// moves but in a call: a provider needs no thread.
public abstract class Port implements AutoCloseable {
  /// How long a link that is closed, and [#close], waits for the peer to take the last messages and
  /// to close its side.
  public static final long LINGER_NANOS = 1_000_000_000L;

  /// Ends a [#park] that another thread is in, if one is.
  private Runnable reminder = () -> {};

  /// Whether the owner was interrupted while it closed.
  private boolean interrupted;

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

  /// Sees to it that [#park] hears of whatever comes from now on. The owner calls it before every
  /// wait, for those whose waiting has to be announced.
  ///
  /// @return false if there may be something to do at once, so that nobody should wait
  public boolean arm() {
    return true;
  }

  /// Waits until there may be something for [#progress] to do, or [#wake] is called, or the time is
  /// over; may return early for no reason. Called when [#arm] has agreed. It may be
  /// called by another thread than the owner, one at a time, while the owner does not wait.
  ///
  /// @return whether [#wake] was called; each call of that ends one wait only
  public abstract boolean park(long nanos);

  /// Names what ends a [#park] that another thread is in, if one is.
  public void remindBy(Runnable endsWait) {
    reminder = endsWait;
  }

  /// Has a wait that another thread is in end: something is to be done sooner than it was to end.
  /// Called by the owner.
  protected final void remind() {
    reminder.run();
  }

  /// Ends a [#park], or the next one. Any thread.
  public abstract void wake();

  /// The request that [#wake] makes, for a wait that does not [#park].
  public abstract WakeRequest wakeRequest();

  /// Whether another thread may own this port from now on: nothing that it has belongs to the
  /// thread that has made it. The two threads see to it that one sees what the other has done.
  public boolean canChangeThread() {
    return false;
  }

  /// Closes it, with all its links closed. It may wait for up to a second for what links have sent
  /// last. Who waits for longer than a moment calls [#postponeInterrupt] before.
  @Override
  public abstract void close();

  /// Puts an interrupt of the calling thread off, which would end all its waits from now on.
  protected final void postponeInterrupt() {
    interrupted |= Thread.interrupted();
  }

  /// Whether there was one: the caller that closes it interrupts the thread again.
  public boolean hasPostponedInterrupt() {
    return interrupted;
  }
}
