// Over 400 lines: one queue, how it is lent, and how its streams are moved and left.
package dev.tigris.cluster;

import dev.tigris.flow.Mover;
import dev.tigris.flow.StreamException;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Moves all streams of one thread, over one completion queue that serves each fabric they use. The
/// queue is there as long as the thread has streams.
///
/// **Leaving.** A stream whose end has left stays here until the other end has confirmed that all
/// is over. The thread waits for that only when it leaves its last stream. So a module that ends
/// one of several outputs goes on with the others.
///
/// **Lending.** While the module is in a call that may take long, or something that it has put has
/// not left, a [StandIn] may move the messages, in short steps. The module's thread takes all back
/// for each call on one of its streams ([#enter], [#exit]).
///
/// Thread rule: the thread that made it, except for [#wake] and [#help].
final class QueueMover implements Mover {
  /// So many completions at most are taken before the module's other work has its turn.
  private static final int MOST_AT_ONCE = 256;

  /// So many looks in a row a thread may skip.
  private static final int MOST_SKIPPED = 3;

  private static final long LINGER_NANOS = 10_000_000;

  /// So much that was put and has not left is worth a helper at once.
  private static final long MUCH_UNSENT_BYTES = 256 << 10;

  /// So often the owner looks again for the queue that a helper has, before it lets other threads
  /// have the processor.
  private static final int SPINS = 100;

  private static final VarHandle TURNS;

  static {
    try {
      TURNS = MethodHandles.lookup().findVarHandle(QueueMover.class, "turns", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final StandIn helper;

  /// How often this was lent and taken back: odd while it is lent. Written by the owner.
  @SuppressWarnings("UnusedVariable") // read and written by TURNS
  private volatile int turns;

  /// Whether the module is in a call for which this is lent. Only for the owner.
  private boolean isLending;

  /// How many calls on streams the owner is in, for which it has taken all back.
  private int depth;

  /// Whether the queue stays with its thread: one of its fabrics cannot do without.
  private boolean staysHere;

  private boolean isKnownToHelper;

  /// How many bytes were put and have not left.
  private long unsentBytes;

  /// Whether that was much when this was lent last; for the helper.
  private volatile boolean hasMuchUnsent;

  /// The turn that the helper has seen last. Only for the helper.
  private int seenTurn;

  /// The failure that the helper met while it moved messages; for the owner.
  private @Nullable RuntimeException failure;

  /// How many looks in a row were skipped.
  private int skipped;

  private final List<InterfaceStream> streams = new ArrayList<>();
  private final Set<Fabric> served = new HashSet<>();
  private final Thread owner = Thread.currentThread();
  private int inUse;
  private @Nullable CompletionQueue queue;

  /// The queue as others see it. Held while one wakes it or closes it, so that a late wake-up finds
  /// no closed queue.
  private final Object wakeLock = new Object();

  private @Nullable CompletionQueue wakeable;

  /// Asked by [#wake] while there is no queue.
  private volatile boolean isWoken;

  /// Parks the thread for so many nanoseconds, or until it is woken, while there is no queue.
  private final LongConsumer parks;

  QueueMover(StandIn helper, LongConsumer parks) {
    this.helper = helper;
    this.parks = parks;
  }

  // -- Lending.

  @Override
  public void beginCall(boolean isLong) {
    if (queue == null || staysHere || !(isLong || unsentBytes > 0)) {
      return;
    }
    if (!isKnownToHelper) {
      isKnownToHelper = true;
      helper.add(this);
    }
    isLending = true;
    lend();
  }

  @Override
  public void endCall() {
    if (isLending) {
      if (!staysHere) {
        reclaim();
      }
      isLending = false;
    }
  }

  /// Lets the helper have the queue, which is the key to all else.
  ///
  /// Ordering: the queue's release and claim hand over what either thread has written. The store to
  /// `turns` is volatile, partner of that to [StandIn]'s `isAsleep`: a helper that goes to sleep
  /// sees that this is lent, or the owner that it sleeps.
  private void lend() {
    CompletionQueue its = queue;
    if (its == null || staysHere) {
      return;
    }
    boolean isMuch = unsentBytes >= MUCH_UNSENT_BYTES;
    if (isMuch != hasMuchUnsent) {
      hasMuchUnsent = isMuch;
    }
    try {
      its.release();
    } catch (UnsupportedOperationException e) {
      staysHere = true;
      return;
    }
    turns = turn() + 1 | 1;
    helper.lent();
  }

  /// Takes the queue back from the helper, which may be in a step.
  @SuppressWarnings("ThreadPriorityCheck") // the helper may need this processor for its step
  private void reclaim() {
    CompletionQueue its = queue;
    for (int i = 0; its != null && !its.claim(); i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    TURNS.setOpaque(this, turn() + 1 & -2); // only how soon a helper sees it depends on that
  }

  private int turn() {
    return (int) TURNS.getOpaque(this);
  }

  /// Takes all back for a call on a stream. Calls of other threads have no effect: the helper is in
  /// the middle of its step then.
  void enter() {
    if (isLending && isOwner() && depth++ == 0 && !staysHere) {
      reclaim();
    }
  }

  /// Ends what [#enter] has begun.
  void exit() {
    if (isLending && isOwner() && --depth == 0) {
      lend();
    }
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself
  private boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  /// Moves messages for a module that computes, for a short time. Called by the helper.
  StandIn.Look help() {
    int turn = turns;
    if (turn % 2 == 0) {
      return StandIn.Look.NOT_LENT;
    }
    boolean isYoung = turn != seenTurn && !hasMuchUnsent;
    seenTurn = turn;
    CompletionQueue its = queue;
    if (isYoung || its == null || !its.claim()) {
      return StandIn.Look.NOTHING;
    }
    try {
      boolean hasMoved = failure == null && (moveOnce(false) || its.isMoving());
      return hasMoved ? StandIn.Look.MOVED : StandIn.Look.NOTHING;
    } catch (RuntimeException e) {
      failure = e;
      return StandIn.Look.NOTHING;
    } finally {
      its.release();
    }
  }

  /// Posts what there is to send, hands it over, takes what has come, and answers that. Returns
  /// whether something has come.
  private boolean moveOnce(boolean mayConnect) {
    advance(mayConnect);
    if (mayConnect && maySkip()) {
      return false;
    }
    for (int i = 0; i < streams.size(); i++) {
      streams.get(i).rung();
    }
    if (!drain()) {
      return false;
    }
    advance(mayConnect);
    for (int i = 0; i < streams.size(); i++) {
      InterfaceStream stream = streams.get(i);
      stream.rung();
      stream.ring();
    }
    return true;
  }

  /// Whether a busy module has enough to do, so that its thread need not look at the connections
  /// this time: over `tcp`, a look is a system call.
  private boolean maySkip() {
    boolean isInHurry = skipped == MOST_SKIPPED;
    for (int i = 0; i < streams.size() && !isInHurry; i++) {
      isInHurry = streams.get(i).isInHurry();
    }
    skipped = isInHurry ? 0 : skipped + 1;
    return !isInHurry;
  }

  /// Whether a helper moves what was put and has not left, as far as is known.
  boolean isHelped() {
    return !staysHere;
  }

  /// Notes that bytes were put, or, where it is negative, that they have left.
  void unsent(long bytes) {
    unsentBytes += bytes;
  }

  // -- Streams.

  /// Returns the queue, which serves this fabric.
  CompletionQueue queue(Fabric fabric) {
    CompletionQueue its = queue;
    if (its == null) {
      its = fabric.completionQueue(0); // the worker has spun before it waits here
      queue = its;
      synchronized (wakeLock) {
        wakeable = its;
      }
      served.add(fabric);
    } else if (served.add(fabric)) {
      fabric.attach(its);
    }
    return its;
  }

  /// Adds a stream of this thread.
  void add(InterfaceStream stream) {
    streams.add(stream);
    inUse++;
  }

  /// Leaves a stream. If it was the last one, waits until all that were left are over.
  ///
  /// @throws StreamException if the other end of one was lost meanwhile
  void leave(InterfaceStream stream) {
    if (!stream.isOver()) {
      stream.advance(true);
    }
    inUse--;
    if (inUse == 0) {
      try {
        linger();
      } finally {
        closeQueue();
      }
    }
  }

  private void linger() {
    boolean interrupted = false;
    StreamException lost = null;
    while (!streams.isEmpty()) {
      for (InterfaceStream left : List.copyOf(streams)) {
        if (!left.isOver() && left.isGivenUp()) {
          left.abort();
        }
        if (left.isOver()) {
          streams.remove(left);
          StreamException why = left.lossAfterLeaving();
          lost = lost == null ? why : lost;
        }
      }
      interrupted |= Thread.interrupted(); // or the wait would not be one
      if (!streams.isEmpty()) {
        poll();
        if (!streams.stream().allMatch(InterfaceStream::isOver)) { // nothing else ends the wait
          await(LINGER_NANOS);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (lost != null) {
      throw lost;
    }
  }

  /// Closes the queue if no stream came of the first one that was to be opened.
  void closeIfUnused() {
    if (inUse == 0 && streams.isEmpty()) {
      closeQueue();
    }
  }

  private void closeQueue() {
    CompletionQueue its = queue;
    if (its == null) {
      return;
    }
    synchronized (wakeLock) {
      wakeable = null;
    }
    queue = null;
    served.clear();
    unsentBytes = 0;
    staysHere = false;
    if (isKnownToHelper) {
      isKnownToHelper = false;
      helper.remove(this);
    }
    its.close();
  }

  @Override
  public void poll() {
    enter();
    try {
      RuntimeException failed = failure;
      if (failed != null) {
        failure = null;
        throw failed;
      }
      boolean _ = moveOnce(true);
    } catch (NetException e) {
      throw new StreamException("messages cannot be moved: " + e.getMessage(), e);
    } finally {
      exit();
    }
  }

  private void advance(boolean mayConnect) {
    for (int i = 0; i < streams.size(); i++) {
      InterfaceStream stream = streams.get(i);
      try {
        stream.noticeEnd();
        stream.advance(mayConnect);
      } catch (RuntimeException e) {
        stream.lose(e);
      }
    }
  }

  /// Rings, and takes what has completed. Returns whether anything has. It looks at the connections
  /// once: over `tcp`, each look is a system call.
  private boolean drain() {
    CompletionQueue its = queue;
    Descriptor descriptor = its == null ? null : its.poll();
    if (its == null || descriptor == null) {
      return false;
    }
    for (int taken = 1; descriptor != null; taken++) {
      take(descriptor);
      descriptor = taken < MOST_AT_ONCE ? its.pollFound() : null;
    }
    return true;
  }

  private static void take(Descriptor descriptor) {
    if (!(descriptor.attachment() instanceof Completion completion)) {
      throw new IllegalStateException("a descriptor came back that no stream has posted");
    }
    InterfaceStream stream = completion.stream();
    try {
      completion.completed(descriptor);
    } catch (RuntimeException e) { // of this stream alone: what came was wrong, or memory is short
      stream.lose(e);
    }
  }

  @Override
  public void await(long nanos) {
    CompletionQueue its = queue;
    if (its == null) {
      if (!isWoken) {
        parks.accept(nanos);
      }
      isWoken = false;
      return;
    }
    if (isWoken) { // before there was a queue
      isWoken = false;
      return;
    }
    enter();
    try {
      for (int i = 0; i < streams.size(); i++) {
        streams.get(i).letGo();
      }
      Descriptor descriptor = its.awaitOrEnd(nanos);
      if (descriptor != null) {
        take(descriptor);
      }
    } finally {
      exit();
    }
  }

  @Override
  public void wake() {
    synchronized (wakeLock) {
      CompletionQueue its = wakeable;
      if (its != null) {
        its.wake();
        return;
      }
    }
    isWoken = true;
    LockSupport.unpark(owner);
  }
}
