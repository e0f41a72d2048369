// Over 400 lines: polling, waiting and signalling have one state, which is kept small for polling.
package dev.tigris.net;

import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.os.CheckReturnValue;
import dev.tigris.os.WaitSource;
import dev.tigris.os.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where the descriptors of any number of interfaces come back when they are complete.
///
/// Messages move while its thread posts, rings and takes completions: there is no thread behind it.
/// So a thread that has posted something should come back here before long.
///
/// Conserved: descriptors posted = those that [#poll] returned + those that are out; and no more
/// are out than the depths of the attached interfaces add up to, which bounds the queue.
///
/// A queue can serve several fabrics: [Fabric#attach].
///
/// Thread rule: the thread that made it, or has claimed it since ([#claim]), except for [#wake].
public final class CompletionQueue implements AutoCloseable {
  /// For how long [#await] asks again and again before it parks the thread, unless told otherwise.
  /// To be woken up costs the operating system about as much.
  public static final long DEFAULT_SPIN_NANOS = 50_000;

  private static final int POLLS_BETWEEN_CLOCKS = 16;

  /// Longer than a round trip: on a busy machine, a thread that yields gets the processor back only
  /// milliseconds later.
  private static final long YIELD_AFTER_NANOS = 15_000;

  /// A yield that takes longer has given a time slice away, to a thread that has nothing to do with
  /// the peer: none follows for a while. A thread that parks gets it back as soon as it needs it.
  private static final long LONG_YIELD_NANOS = 1_000_000;

  private static final long WITHOUT_YIELD_NANOS = 1_000_000_000;

  /// While a long message arrives, and at the most: for a peer may send its parts so slowly that
  /// [#wake] would never be heard.
  private static final long LONGEST_SPIN_NANOS = 1_000_000;

  private static final VarHandle OWNER = owner();

  /// Null while it belongs to no thread. Read without order: only a thread itself makes it that
  /// thread, or something else again.
  private @Nullable Thread owner = Thread.currentThread();

  private final Fabric fabric;

  /// The ports, by the fabric that each belongs to.
  private final Map<Fabric, Port> ports = new HashMap<>();

  /// The only one, or all of them. Written by the owner, and read by the threads that wake it.
  private volatile Port port;

  private final WakeRequest wake = new WakeRequest();

  /// How the owner waits.
  private final Waiter waiter = new Waiter(new Source(), List.of());

  /// What the wait has found that the owner is in, or was in last; taken by [#await].
  private @Nullable Descriptor found;

  private final long spinNanos;

  /// The descriptors that are complete and were not taken yet: a ring that is made larger before an
  /// interface that needs it is attached, never while messages move. What was taken stays in its
  /// slot until that is used again; an interface that is closed has let go of the memory already.
  private @Nullable Descriptor[] completed = new @Nullable Descriptor[64];

  private int completedHead;
  private int completedTail;

  /// The end of those that may be taken: what completes when it is posted is returned after its
  /// doorbell, which wakes the peer.
  private int rungTail;

  private final List<VirtualInterface> attached = new ArrayList<>();
  private VirtualInterface[] unrung = new VirtualInterface[8];
  private int unrungCount;
  private boolean closed;

  /// Whether a connection has ended on which nothing was posted, and no [#awaitOrEnd] was told.
  private boolean hasEnded;

  /// Whether the wait that the owner is in, or was in last, is for such an end, too.
  private boolean isForEnds;

  /// Since when there are no yields, if that is not long ago.
  private long longYield = System.nanoTime() - WITHOUT_YIELD_NANOS;

  /// Whether a thread waits to signal.
  private volatile boolean signalling;

  /// Whether a signal came, and nothing was moved since: what it came for is there still, and a
  /// port may tell of it only once. Written by the thread that signals, before `signalling`.
  private boolean unpolled;

  CompletionQueue(Fabric fabric, Port port, long spinNanos) {
    this.fabric = fabric;
    this.port = port;
    this.spinNanos = spinNanos;
    ports.put(fabric, port);
    port.remindBy(this::remind);
  }

  private static VarHandle owner() {
    try {
      return MethodHandles.lookup().findVarHandle(CompletionQueue.class, "owner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Serves another fabric, too.
  void serve(Fabric other, Port its) {
    requireNoSignal();
    its.remindBy(this::remind);
    ports.put(other, its);
    if (port instanceof PortGroup group) {
      group.add(its);
    } else {
      PortGroup group = new PortGroup(port, its);
      group.remindBy(this::remind);
      port = group;
    }
  }

  /// Gives the queue up, with all of its interfaces: until a thread has claimed it, only [#claim]
  /// and [#wake] may be called.
  ///
  /// @throws IllegalStateException if a signal is pending, or the queue is closed
  /// @throws UnsupportedOperationException if a provider cannot go on with another thread: `uring`
  ///     and `libfabric` cannot
  public void release() {
    requireOwner();
    requireOpen();
    requireNoSignal();
    if (!port.canChangeThread()) {
      throw new UnsupportedOperationException(
          "a provider of this queue stays with the thread that made it: use one that does not");
    }
    OWNER.setRelease(this, (Thread) null); // pairs with the acquire of claim()
  }

  /// Claims a queue that belongs to no thread. Any thread.
  ///
  /// @return whether it belongs to the calling thread now
  @CheckReturnValue
  @SuppressWarnings("ReferenceEquality") // a thread is itself
  public boolean claim() {
    Thread current = Thread.currentThread();
    // Acquire: the calling thread sees what the one that has released it has done.
    return owner == current || OWNER.compareAndSet(this, (Thread) null, current);
  }

  /// Whether parts of messages that are not complete have moved since this was last asked: then it
  /// is worthwhile to [#poll] again soon.
  public boolean isMoving() {
    requireOwner();
    return port.isMoving();
  }

  /// Rings the doorbells that wait, moves what can be moved, and returns a descriptor that has
  /// completed, or null if there is none. Does not wait. Of a queue that is closed it returns what
  /// was completed by that.
  @CheckReturnValue
  public @Nullable Descriptor poll() {
    requireOwner();
    if (completedHead == rungTail) {
      move();
      if (completedHead == rungTail) {
        return null;
      }
    }
    return next();
  }

  /// Returns the next of the descriptors that the last [#poll] has found complete, or null if it
  /// has
  /// returned all of them. Rings no doorbell, and moves nothing: so a program that takes all that
  /// has come does not look in vain once more at every connection.
  @CheckReturnValue
  public @Nullable Descriptor pollFound() {
    requireOwner();
    return completedHead == rungTail ? null : next();
  }

  private Descriptor next() {
    Descriptor next = Objects.requireNonNull(completed[completedHead++ & (completed.length - 1)]);
    next.virtualInterface().returned(next);
    return next;
  }

  /// Rings the doorbells that wait, and moves what can be moved if nothing is complete.
  private void move() {
    if (!closed) {
      if (unpolled) {
        unpolled = false;
      }
      ringDoorbells();
      if (completedHead == completedTail) {
        port.progress();
      }
    }
    rungTail = completedTail;
  }

  /// A descriptor is complete.
  void completed(Descriptor descriptor) {
    if (completedTail - completedHead == completed.length) {
      throw new IllegalStateException("more completions than descriptors were posted");
    }
    int slot = completedTail++ & (completed.length - 1);
    if (completed[slot] != descriptor) { // see Transfer
      completed[slot] = descriptor;
    }
  }

  /// A connection has ended without a completion.
  void endedSilently() {
    hasEnded = true;
  }

  /// Waits for a completion: [#await(long)] with a duration.
  @CheckReturnValue
  public @Nullable Descriptor await(Duration timeout) {
    return await(Fabric.nanos(timeout));
  }

  /// Waits until a descriptor has completed: it polls for a while, then parks the thread. What it
  /// returns is the object that was posted. The end of a connection completes what is posted on
  /// that. If nothing is, it ends no wait but [#awaitOrEnd].
  ///
  /// Methods that move messages take times in nanoseconds, so that no object is needed for a call.
  /// [#await(Duration)] takes a [Duration], as the methods that make connections do.
  ///
  /// @return null if none did within `timeoutNanos`, or after [#wake], or if the thread is
  ///     interrupted, which it then still is
  /// @throws IllegalStateException while a signal is pending, or if the queue is closed and nothing
  ///     is left in it
  @CheckReturnValue
  public @Nullable Descriptor await(long timeoutNanos) {
    isForEnds = false;
    return awaitAny(timeoutNanos);
  }

  /// Waits for a completion as [#await(long)] does, and for the end of a connection on which
  /// nothing is posted: for a program that looks at the states of its interfaces between its waits.
  /// Such an end ends one call of this method: the current one or, if it was noticed between two
  /// of them, the next. Several ends may end the same one.
  ///
  /// @return null as for [#await(long)], and when a connection has ended without a completion
  /// @throws IllegalStateException while a signal is pending, or if the queue is closed and nothing
  ///     is left in it
  @CheckReturnValue
  public @Nullable Descriptor awaitOrEnd(long timeoutNanos) {
    isForEnds = true;
    Descriptor ready = awaitAny(timeoutNanos);
    if (ready == null) {
      hasEnded = false; // an end stays for the next wait if a completion was found
    }
    return ready;
  }

  private @Nullable Descriptor awaitAny(long timeoutNanos) {
    requireNoSignal();
    Descriptor ready = poll();
    if (ready != null) {
      return ready;
    }
    requireOpen();
    if (timeoutNanos <= 0 || isEnded()) {
      return null;
    }
    long start = System.nanoTime();
    long now = start;
    while (true) {
      // A caller that asks for no spinning has looked before, and a part of a message may follow.
      ready = spinNanos > 0 || port.isMoving() ? spin(now, timeoutNanos - (now - start)) : null;
      if (ready != null) {
        return ready;
      }
      long left = timeoutNanos - (System.nanoTime() - start);
      if (left <= 0 || isEnded() || Thread.currentThread().isInterrupted() || !waiter.await(left)) {
        return null;
      }
      ready = found;
      found = null;
      if (ready != null
          || isEnded()
          || wake.take()) { // a request stays for the next wait if one was found
        return ready;
      }
      now = System.nanoTime();
    }
  }

  /// Whether the end of a connection ends the wait.
  private boolean isEnded() {
    return isForEnds && hasEnded;
  }

  /// The ports of a queue, as what a thread waits for.
  private final class Source implements WaitSource {
    /// Ends the wait when a descriptor has completed, when a connection has ended without one if
    /// it is for that, after [CompletionQueue#wake], when the thread is interrupted, and while it
    /// is too early to park.
    @Override
    public boolean poll() {
      found = CompletionQueue.this.poll();
      return found != null
          || isEnded()
          || wake.isAsked()
          || Thread.currentThread().isInterrupted()
          || port.isMoving();
    }

    @Override
    public boolean arm(WaitSource host) {
      return port.arm();
    }

    @Override
    public void disarm() {
      port.disarm();
    }

    @Override
    public void park(long nanos) {
      port.park(nanos);
    }

    @Override
    public void wake() {
      port.wake();
    }
  }

  /// Polls until a descriptor has completed, the time is over, nothing has moved for a while, or
  /// it was asked to end.
  private @Nullable Descriptor spin(long start, long timeoutNanos) {
    long idleSince = start;
    boolean yields = false;
    for (int polls = 1; ; polls++) {
      Descriptor ready = poll();
      if (ready != null) {
        return ready;
      }
      if (polls % POLLS_BETWEEN_CLOCKS == 0) {
        long now = System.nanoTime();
        if (now - start >= timeoutNanos
            || isEnded()
            || wake.isAsked()
            || Thread.currentThread().isInterrupted()) {
          return null;
        }
        if (now - idleSince >= spinNanos) {
          if (now - start >= LONGEST_SPIN_NANOS || !port.isMoving()) {
            return null;
          }
          idleSince = now;
        }
        yields = now - idleSince >= YIELD_AFTER_NANOS && now - longYield >= WITHOUT_YIELD_NANOS;
      }
      if (yields) {
        yields = yieldBriefly();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /// Returns whether it was brief.
  @SuppressWarnings("ThreadPriorityCheck") // yielding is a step between spinning and parking
  private boolean yieldBriefly() {
    long start = System.nanoTime();
    Thread.yield();
    long now = System.nanoTime();
    if (now - start < LONG_YIELD_NANOS) {
      return true;
    }
    longYield = now;
    return false;
  }

  /// Ends an [#await], or the next one: also if a descriptor completed at the same time, and has
  /// ended this one. Any thread.
  public void wake() {
    wake.ask();
    port.wake();
  }

  /// The event handle, for threads that wait for other things too: calls `signal` once, from a
  /// thread of its own, as soon as there may be something to poll for, or after [#wake]. Until then
  /// this queue may be polled and posted to, and not waited for.
  ///
  /// Something that is ready already is signalled too: so ask for a signal first, and then poll
  /// until nothing is left.
  ///
  /// @throws IllegalStateException if a signal is pending already, or the queue is closed
  public void signalOnce(Runnable signal) {
    Objects.requireNonNull(signal);
    requireOwner();
    requireOpen();
    requireNoSignal();
    ringDoorbells();
    boolean armed = port.arm() && !unpolled;
    signalling = true;
    if (!armed || completedHead != completedTail) {
      remind();
    }
    try {
      Thread.ofVirtual().name("tigris-net-signal").start(() -> waitAndSignal(signal));
    } catch (Throwable e) { // there may be no room for another thread
      endSignalling();
      throw e;
    }
  }

  void requireNoSignal() {
    if (signalling) {
      throw new IllegalStateException(
          "a signal is pending: poll() until it comes, or ask for it by wake()");
    }
  }

  private void waitAndSignal(Runnable signal) {
    try {
      if (!wake.take()) {
        port.park(Long.MAX_VALUE);
        boolean _ = wake.take();
      }
    } finally { // a thread that waits for the signal must not do so for ever: it may come early
      endSignalling();
      signal.run();
    }
  }

  private void endSignalling() {
    port.disarm();
    unpolled = true;
    signalling = false;
  }

  /// The owner's doorbell may have completed something, which wakes no thread by itself.
  void remind() {
    if (signalling) {
      port.wake();
    }
  }

  /// The fabric that made it.
  public Fabric fabric() {
    return fabric;
  }

  /// Closes the interfaces that are left, and the queue. It may wait for up to a second for what
  /// was sent last to leave this process. Where a provider fails, the rest is closed all the same.
  @Override
  public void close() {
    requireOwner();
    if (closed) {
      return;
    }
    boolean interrupted = Thread.interrupted(); // such a thread could not sleep while it waits
    Closing closing = new Closing();
    for (VirtualInterface left : List.copyOf(attached)) {
      closing.attempt(left::close);
    }
    closed = true;
    port.wake(); // a thread that waits to signal has nothing to wait for
    closing.attempt(port::close);
    ports.keySet().forEach(each -> each.closed(this));
    if (interrupted || port.hasPostponedInterrupt()) {
      Thread.currentThread().interrupt();
    }
    closing.finish();
  }

  Port port() {
    requireOpen();
    return port;
  }

  /// The port of a fabric.
  ///
  /// @throws IllegalArgumentException if the queue does not serve it
  Port port(Fabric of) {
    requireOpen();
    Port its = ports.get(of);
    if (its == null) {
      throw new IllegalArgumentException(
          "the completion queue belongs to another fabric: attach it to this one, too");
    }
    return its;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the completion queue is closed");
    }
  }

  void attach(VirtualInterface made) {
    attached.add(made);
    int depths = 0;
    for (VirtualInterface each : attached) {
      depths += each.attributes().sendDepth() + each.attributes().receiveDepth();
    }
    if (depths > completed.length) {
      makeRoomFor(depths);
    }
  }

  private void makeRoomFor(int depths) {
    @Nullable Descriptor[] larger =
        new @Nullable Descriptor[Integer.highestOneBit(depths - 1) << 1];
    int size = completedTail - completedHead;
    for (int i = 0; i < size; i++) {
      larger[i] = completed[(completedHead + i) & (completed.length - 1)];
    }
    completed = larger;
    rungTail -= completedHead;
    completedHead = 0;
    completedTail = size;
  }

  void requireOnly(VirtualInterface link) {
    requireOwner();
    if (attached.size() != 1 || !attached.contains(link)) {
      throw new IllegalArgumentException(
          "the completion queue serves %d interfaces: make one for this alone"
              .formatted(attached.size()));
    }
    if (link.outstanding() > 0) {
      throw new IllegalArgumentException(
          "the interface has %d descriptors posted: wait for them first"
              .formatted(link.outstanding()));
    }
  }

  void closed(VirtualInterface left) {
    if (left.outstanding() == 0) {
      attached.remove(left);
    }
  }

  /// Notes whose doorbell is to be rung; returns whether those before had to be for that.
  boolean unrung(VirtualInterface posted) {
    boolean full = unrungCount == unrung.length;
    if (full) {
      ringDoorbells();
      remind();
    }
    if (unrung[unrungCount] != posted) { // see Transfer
      unrung[unrungCount] = posted;
    }
    unrungCount++;
    return full;
  }

  private void ringDoorbells() {
    for (int i = 0; i < unrungCount; i++) {
      unrung[i].rung();
    }
    unrungCount = 0;
    port.flush();
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself
  void requireOwner() {
    Thread its = owner;
    if (Thread.currentThread() != its) {
      throw new WrongThreadException(
          its == null
              ? "the completion queue belongs to no thread: claim() it first"
              : "the completion queue belongs to " + its + ": only wake() may be called by others");
    }
  }

  @Override
  public String toString() {
    Thread its = owner;
    String left = its == null || its.isAlive() ? "" : ", which has ended";
    return "CompletionQueue[%s, of %s%s]"
        .formatted(fabric.provider(), its, closed ? ", closed" : left);
  }
}
