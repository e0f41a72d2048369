// Over 400 lines: one protocol of waiting, with the argument for it.
package dev.tigris.flow;

import dev.tigris.os.WaitSource;
import dev.tigris.os.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Makes one thread wait for its streams, and lets other threads wake it.
///
/// **What for.** A module's thread waits for input or for credit, and is woken only for what it
/// waits for; a module that waits for input is left alone by its receivers' credits.
///
/// **The protocol.** The sleeper raises `waiting`, looks once more whether there is something to
/// do, and parks. The waker makes something to do (by a release store in its stream), reads
/// `waiting`, and unparks the sleeper if it is raised. Were the waker's store always visible before
/// its read, one of the two would always see the other. Making it so takes a full fence for every
/// water, which costs more than all the rest of a hand-over. So the waker has none: its read may
/// run ahead of its store, both may miss each other, and the sleeper is not woken.
///
/// That does no harm, for three reasons. The sleeper's side has its fence, and a store leaves a
/// processor's store buffer in well under a microsecond; the sleeper yields between raising the
/// flag and its last look (or pauses for as long), which takes longer, so in practice its last look
/// finds the water. Only
/// the last of several waters can be missed, since the next one's read comes after. And when it
/// happens all the same, as the memory model allows, the sleeper wakes by itself: it parks for
/// [#FIRST_PARK_NANOS] at first, and twice as long each time, up to [#LONGEST_PARK_NANOS]. So the
/// fence is paid by the thread that has nothing to do, and a wrong guess costs a bounded delay,
/// never a hang.
///
/// Ordering: `waiting` is raised by a volatile store, partner of the waker's opaque read; the work
/// itself is published by the streams' own release and acquire (jcstress: `WakeUpTest` checks that
/// a wait always ends).
///
/// **A mover.** If the thread has streams that a [Mover] moves, it polls the mover at each look,
/// and parks in it. Wakers then call [Mover#wake], which ends a park that is about to begin, too.
/// Before it parks, it looks for a time that [LookTime] has.
///
/// Thread rule: one thread waits; any thread may wake or stop it.
final class Parker implements WaitSource {
  /// The thing that a thread waits for. Callers keep one and use it again: a module that is faster
  /// than its neighbours waits about once for each water.
  interface Condition {
    boolean isMet();

    /// Returns what the thread waits for, in words for a message.
    String description();
  }

  static final long FIRST_PARK_NANOS = 500_000;
  static final long LONGEST_PARK_NANOS = 10_000_000;

  /// Waits for nothing.
  private static final int NOTHING = 0;

  /// Waits for a water, or for the end of a stream.
  static final int INPUT = 1;

  /// Waits for credit.
  static final int CREDIT = 2;

  /// Waits for an operation of the engine.
  static final int OPERATION = 3;

  /// How long the last waits say that spinning is worth while.
  private static final int SPIN = 4;

  /// How often to yield before parking. Two modules that wait for each other by turns would
  /// otherwise park and wake each other once for every window; those that wait long, or with
  /// others that want the processor, soon stop to try.
  private static final int YIELDS = 5;

  /// Waits for nothing, and is with files.
  static final int FILES = 6;

  private static final int LONGEST_SPIN = 64;
  private static final int FEWEST_YIELDS = 4;

  /// About 100 microseconds where no other thread wants the processor.
  private static final int MOST_YIELDS = 256;

  /// A park that ends sooner than this would have been better spent yielding: to wake a thread
  /// takes the waker some microseconds, and the thread some tens of them.
  private static final long SHORT_PARK_NANOS = 200_000;

  /// About a microsecond, in place of a yield where those are not for the other end.
  private static final int PAUSES = 32;

  private static final boolean SPINS = Runtime.getRuntime().availableProcessors() > 1;
  private static final VarHandle WAITING;
  private static final VarHandle EVENTS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      WAITING = lookup.findVarHandle(Parker.class, "waiting", int.class);
      EVENTS = lookup.findVarHandle(Parker.class, "events", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("UnusedVariable") // read and written by WAITING
  private volatile int waiting;

  @SuppressWarnings("UnusedVariable") // written by EVENTS
  private volatile int events;

  private volatile boolean stopped;
  private volatile boolean dropped;

  /// Whose parker this is, in a flow; and who is a module of that flow, and so should wait at its
  /// own.
  private @Nullable Thread owner;

  private final Predicate<Thread> isModule;

  /// Lets others go on, where one thread runs all modules by turns; null where a wait parks.
  private final @Nullable Runnable others;

  /// Why the owner would wait in vain now; null if it would not.
  private @Nullable String vain;

  private volatile @Nullable Thread sleeper;

  /// Set once, by the owner.
  private volatile @Nullable Mover mover;

  /// How long to look before parking in the mover; set with it.
  private @Nullable LookTime lookTime;

  /// Asked by [#wake()], and not heard by a park yet.
  private volatile boolean woken;

  private final Waiter waiter = new Waiter(this, List.of());

  // Of the wait that the thread is in.
  private int awaitedWhat;
  private @Nullable Condition awaited;
  private long nextParkNanos;

  /// Whether a wait is counted now; only for the owner.
  private boolean isWaiting;

  /// In how many times with files the owner is, one within the other.
  private int filesDepth;

  private final long madeNanos = System.nanoTime();

  /// What its thread keeps for itself, apart from what wakers read: [#SPIN], [#YIELDS], and how
  /// long it has waited, by what it waited for, or was with files. While it waits, that counter has
  /// what there is to add to the age of this object, less one, which is negative: so a reader of
  /// this one number never misses a wait, and counts none twice.
  private final Counters own = new Counters(FILES + 1);

  /// Makes a parker for streams without a flow, at which any thread may wait.
  Parker() {
    this(_ -> false, null);
  }

  /// Makes a parker for a module of a flow.
  ///
  /// @param isModule tells whether a thread belongs to that flow
  /// @param others what is called as long as a wait is not over, in an engine without threads
  Parker(Predicate<Thread> isModule, @Nullable Runnable others) {
    this.isModule = isModule;
    this.others = others;
    own.set(SPIN, LONGEST_SPIN);
    own.set(YIELDS, FEWEST_YIELDS);
  }

  /// Makes this thread the one that waits here.
  void begin() {
    owner = Thread.currentThread();
  }

  /// Ends the time of the thread that waits here.
  void leave() {
    owner = null;
  }

  /// Makes a wait throw with this reason, until [#mayWait]. Only the owner calls this.
  void refuseWaits(String reason) {
    vain = reason;
  }

  /// Lets this mover move what the owner's streams carry. Only the owner calls this.
  ///
  /// @throws IllegalArgumentException if the owner has another one
  void use(Mover moves) {
    if (mover != null && !moves.equals(mover)) {
      throw new IllegalArgumentException(
          "a module has streams of two movers: let its kinds of streams share one for each thread");
    }
    if (mover == null) {
      lookTime = new LookTime(System::nanoTime, Thread::yield);
      mover = moves;
    }
  }

  /// Moves what can be moved. Only the owner calls this.
  void move() {
    Mover moves = mover;
    if (moves != null) {
      moves.poll();
    }
  }

  /// Tells the mover that the module is called. Only the owner calls this.
  void beginCall(boolean isLong) {
    Mover moves = mover;
    if (moves != null) {
      moves.beginCall(isLong);
    }
  }

  /// Tells the mover that the call is over. Only the owner calls this.
  void endCall() {
    Mover moves = mover;
    if (moves != null) {
      moves.endCall();
    }
  }

  private boolean isMet(Condition condition) {
    move();
    return condition.isMet();
  }

  private void unpark() {
    Mover moves = mover;
    if (moves == null) {
      LockSupport.unpark(sleeper);
    } else {
      moves.wake();
    }
  }

  /// Returns whether the caller is the thread that waits here.
  boolean isOfCaller() {
    return Thread.currentThread().equals(owner);
  }

  /// Returns whether a wait would throw now. Only the owner calls this.
  boolean isWaitRefused() {
    return vain != null;
  }

  /// Allows waiting from now on. Only the owner calls this.
  void mayWait() {
    vain = null;
  }

  /// Wakes the sleeper if it waits for this. Costs one read of a flag that rarely changes when it
  /// does not.
  void wake(int what) {
    if ((int) WAITING.getOpaque(this) == what && WAITING.compareAndSet(this, what, NOTHING)) {
      unpark();
    }
  }

  /// Makes this wait, and every later one, end with a [CancellationException].
  void stop() {
    stopped = true;
    signal();
    unpark();
  }

  /// Makes this wait, and every later one, end with an [EndOfStreamException].
  void drop() {
    dropped = true;
    unpark();
  }

  /// Returns whether [#stop] was called. Any thread.
  boolean isStopped() {
    return stopped;
  }

  /// Returns whether [#drop] was called. Any thread.
  boolean isDropped() {
    return dropped;
  }

  /// Counts an event that the owner looks after between two calls of its module: an operation, a
  /// receiver that has ended, a stream that has failed. Wakes the owner, whatever it waits for.
  void signal() {
    EVENTS.getAndAdd(this, 1);
    wake(INPUT);
    wake(CREDIT);
    wake(OPERATION);
  }

  /// Returns how many events there were.
  int events() {
    return events;
  }

  /// Returns how long its thread has waited here, in nanoseconds; only for that thread.
  long waitedNanos() {
    return own.get(INPUT) + own.get(CREDIT);
  }

  /// Returns how long its thread has waited here for this, or was with files, in nanoseconds; a
  /// wait that is not over counts, too. For any thread, give or take a moment.
  long waitedNanos(int what) {
    long waited = own.get(what);
    return waited >= 0 ? waited : waited + ageNanos() + 1;
  }

  private long ageNanos() {
    return System.nanoTime() - madeNanos;
  }

  /// Waits until a condition is met.
  ///
  /// @param what [#INPUT], [#CREDIT] or [#OPERATION]
  /// @throws CancellationException if [#stop] was called
  /// @throws EndOfStreamException if [#drop] was called
  /// @throws StreamException if the thread was interrupted, with [InterruptedException] as cause
  void await(int what, Condition condition) {
    if (others != null) {
      letOthersGoOn(others, condition);
      return;
    }
    if (spins(condition)) {
      return;
    }
    if (filesDepth > 0) {
      yieldLookOrPark(what, condition);
      return;
    }
    own.add(what, -ageNanos() - 1);
    isWaiting = true;
    try {
      yieldLookOrPark(what, condition);
    } finally {
      isWaiting = false;
      own.set(what, waitedNanos(what));
    }
  }

  private void yieldLookOrPark(int what, Condition condition) {
    LookTime looks = lookTime;
    if (looks == null) {
      yieldOrPark(what, condition);
    } else {
      lookOrPark(looks, what, condition);
    }
  }

  /// Begins a time with files. Only the owner calls this.
  void beginFiles() {
    if (filesDepth++ == 0 && !isWaiting) {
      own.add(FILES, -ageNanos() - 1);
    }
  }

  /// Ends a time with files. Only the owner calls this.
  void endFiles() {
    if (--filesDepth == 0 && !isWaiting) {
      own.set(FILES, waitedNanos(FILES));
    }
  }

  /// Meanwhile the calling thread is that of other modules.
  private void letOthersGoOn(Runnable goOn, Condition condition) {
    Thread mine = owner;
    while (!isMet(condition)) {
      refuseToGoOn(condition);
      owner = null;
      try {
        goOn.run();
      } finally {
        owner = mine;
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // yielding is a step between spinning and parking
  private void yieldOrPark(int what, Condition condition) {
    long yields = own.get(YIELDS);
    for (long i = 0; i < yields; i++) {
      Thread.yield();
      if (isMet(condition)) {
        return;
      }
    }
    boolean isShort = park(what, condition) < SHORT_PARK_NANOS;
    own.set(
        YIELDS, isShort ? Math.min(MOST_YIELDS, 2 * yields) : Math.max(FEWEST_YIELDS, yields / 2));
  }

  private void lookOrPark(LookTime looks, int what, Condition condition) {
    looks.begin();
    while (looks.goesOn()) {
      if (isMet(condition)) {
        looks.found();
        return;
      }
    }
    looks.parked(park(what, condition));
  }

  /// Parks until a condition is met, and returns for how many nanoseconds.
  private long park(int what, Condition condition) {
    long parkedSince = System.nanoTime();
    awaitedWhat = what;
    awaited = condition;
    nextParkNanos = FIRST_PARK_NANOS;
    sleeper = Thread.currentThread();
    try {
      boolean met = false;
      while (!met) {
        met = waiter.await(Long.MAX_VALUE);
      }
    } finally {
      sleeper = null;
      awaited = null;
    }
    return System.nanoTime() - parkedSince;
  }

  @Override
  public boolean poll() {
    return isMet(condition());
  }

  /// Raises the flag that wakers read. The yield, or the pause, gives what a waker has just written
  /// the time to be seen by the look that follows.
  @Override
  @SuppressWarnings("ThreadPriorityCheck") // see above
  public boolean arm(WaitSource host) {
    waiting = awaitedWhat;
    if (condition().isMet()) {
      return false;
    }
    if (mover == null) {
      Thread.yield();
    } else {
      for (int i = 0; i < PAUSES; i++) {
        Thread.onSpinWait();
      }
    }
    return true;
  }

  @Override
  public void disarm() {
    waiting = NOTHING;
  }

  @Override
  public void park(long nanos) {
    if (woken) {
      woken = false;
      return;
    }
    refuseToGoOn(condition());
    Mover moves = mover;
    if (moves == null) {
      LockSupport.parkNanos(this, Math.min(nanos, nextParkNanos));
    } else {
      moves.await(Math.min(nanos, nextParkNanos));
    }
    nextParkNanos = Math.min(2 * nextParkNanos, LONGEST_PARK_NANOS);
  }

  /// Ends a park, whatever the thread waits for.
  @Override
  public void wake() {
    woken = true;
    unpark();
  }

  private Condition condition() {
    return Objects.requireNonNull(awaited);
  }

  /// Spins for as long as it has paid off lately.
  private boolean spins(Condition condition) {
    if (!SPINS) {
      return isMet(condition);
    }
    long spin = own.get(SPIN);
    for (long i = 0; i < spin; i++) {
      if (isMet(condition)) {
        own.set(SPIN, Math.min(LONGEST_SPIN, 2 * spin));
        return true;
      }
      Thread.onSpinWait();
    }
    own.set(SPIN, Math.max(1, spin / 2));
    return false;
  }

  private void refuseToGoOn(Condition condition) {
    if (stopped) {
      throw new CancellationException("the flow is being stopped");
    }
    if (dropped) {
      throw new EndOfStreamException("the module was dropped");
    }
    if (isOfCaller()) {
      if (vain != null) {
        throw new IllegalStateException(
            "waiting for %s would never end: %s".formatted(condition.description(), vain));
      }
    } else if (isModule.test(Thread.currentThread())) {
      throw new IllegalStateException(
          ("waiting for %s, at an end of the stream that belongs to another module: a module puts"
                  + " on the streams that it is given, and takes from its inputs")
              .formatted(condition.description()));
    }
    if (Thread.interrupted()) {
      throw new StreamException(
          "interrupted while waiting for " + condition.description(), new InterruptedException());
    }
  }
}
