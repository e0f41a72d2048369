package dev.tigris.cluster.run.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A worker's half of the protocol of a run, in one attempt. It has no thread, clock or I/O: each
/// call tells what has happened and when, and returns what to do.
///
/// ```
///   JOINED -> DESCRIBED -> WIRED -> INITIALIZED -> RUNNING -> ENDED -> PREPARED -> PUBLISHED
///      |          |          |           |            |         |        |  |         |
///      +----------+----------+--FAILING, stopping-----+---------+--------+  |         +-> left
///                                    |                                      |
///                                 ABORTED -> left                           +-> kept, left
/// ```
///
/// **Lease.** It ends [Limits#hangNanos] after the worker has *sent* the last report that was
/// answered. A worker without a lease stops, unless it has voted: a voter keeps its outputs, since
/// the decision may have been made. The first answer may take as long as a start may: until then a
/// worker has nothing, and the coordinator may be connecting to many others.
///
/// Thread rule: one thread at a time.
public class WorkerProtocol {
  /// A report that was not answered yet.
  private record Sent(long number, long nanos) {}

  private final Epoch epoch;
  private final int worker;
  private final Limits limits;
  private final List<WorkerAct> acts = new ArrayList<>();

  /// At most one for each beat of a lease and each change of the word.
  private final ArrayDeque<Sent> unanswered = new ArrayDeque<>();

  private Word word;
  private long number;
  private long sentNanos;
  private long leasedNanos;
  private boolean isAnswered;
  private boolean isUnheard;
  private boolean hasLostStream;
  private boolean isStopping;
  private boolean isPublishing;
  private boolean hasLeft;

  /// The first report with the present word.
  private long wordNumber;

  /// The step that was given out last, so that a repeated order does nothing.
  private Class<?> taken = Order.Step.Wait.class;

  /// Makes a worker that has not reported yet.
  ///
  /// @param worker which worker, from 0
  /// @param address where others reach its streams
  public WorkerProtocol(Epoch epoch, int worker, String address, Limits limits, long nowNanos) {
    this.epoch = epoch;
    this.worker = worker;
    this.limits = limits;
    this.word = new Word.Joined(address);
    this.leasedNanos = nowNanos;
  }

  // -- From the coordinator, and from the clock.

  /// Begins. The first lease counts from here: to reach the coordinator may have taken long.
  public final List<WorkerAct> start(long nowNanos) {
    leasedNanos = nowNanos;
    report(nowNanos);
    return taken();
  }

  /// Takes an order.
  public final List<WorkerAct> receive(Order order, long nowNanos) {
    if (hasLeft || !isCurrent(order.epoch())) {
      return taken();
    }
    isAnswered = true;
    renew(order.answered(), nowNanos);
    switch (order.step()) {
      case Order.Step.Wait _ -> {}
      case Order.Step.Describe step -> begin(step, word instanceof Word.Joined, describe());
      case Order.Step.Wire step ->
          begin(step, word instanceof Word.Described, new WorkerAct.Wire(step.addresses()));
      case Order.Step.Initialize step ->
          begin(step, word instanceof Word.Wired, new WorkerAct.Initialize());
      case Order.Step.Run step -> run(step, nowNanos);
      case Order.Step.Drain step -> {
        run(new Order.Step.Run(), nowNanos);
        boolean _ = begin(step, word instanceof Word.Running, new WorkerAct.Drain());
      }
      case Order.Step.Prepare step ->
          begin(step, word instanceof Word.Ended, new WorkerAct.Prepare());
      case Order.Step.Publish step ->
          isPublishing |= begin(step, word instanceof Word.Prepared, new WorkerAct.Publish());
      case Order.Step.Abort(String reason) -> abort(reason);
      case Order.Step.Leave _ -> leaveIfOver();
    }
    return taken();
  }

  private void run(Order.Step.Run step, long nowNanos) {
    if (begin(step, word instanceof Word.Initialized, new WorkerAct.Run())) {
      say(new Word.Running(), nowNanos);
    }
  }

  private static WorkerAct describe() {
    return new WorkerAct.Describe();
  }

  /// Gives a step out, once, and only in the state that it belongs to.
  private boolean begin(Order.Step step, boolean isItsTime, WorkerAct act) {
    if (!isItsTime || isStopping || taken.equals(step.getClass())) {
      return false;
    }
    taken = step.getClass();
    acts.add(act);
    return true;
  }

  /// Lets time pass; called each beat or more often, and before anything else when the process was
  /// stopped for a while.
  public final List<WorkerAct> tick(long nowNanos) {
    if (hasLeft) {
      return taken();
    }
    if (hasNoLease(nowNanos)) {
      loseLease(
          "worker %d has not heard the coordinator for %,d ms: raise the hang limit if their hosts are that busy"
              .formatted(worker, leaseNanos() / 1_000_000));
    }
    if (!hasLeft && nowNanos - sentNanos >= limits.beatNanos()) {
      report(nowNanos);
    }
    return taken();
  }

  /// Something that travels beside the reports has changed.
  public final List<WorkerAct> repeat(long nowNanos) {
    if (!hasLeft) {
      report(nowNanos);
    }
    return taken();
  }

  /// Hears that the coordinator's process has ended: there is no lease any more.
  public final List<WorkerAct> coordinatorDied() {
    isUnheard = true;
    if (!hasLeft) {
      loseLease("worker %d has lost the coordinator, whose process has ended".formatted(worker));
    }
    return taken();
  }

  private void loseLease(String why) {
    isUnheard = true;
    if (isPublishing && word instanceof Word.Prepared) {
      return; // it goes on giving names
    }
    if (word instanceof Word.Prepared && !isStopping && keepsPrepared()) {
      acts.add(new WorkerAct.Keep());
      leave();
      return;
    }
    if (!leaveIfOver() && !isStopping) {
      fail(new Failure(Failure.Kind.UNHEARD, worker, why));
    }
  }

  // -- From what was given out.

  /// The flow was described.
  public final List<WorkerAct> described(Map<String, String> fingerprint, long nowNanos) {
    return sayAfter(Word.Joined.class, new Word.Described(fingerprint), nowNanos);
  }

  /// The streams are there.
  public final List<WorkerAct> wired(long nowNanos) {
    return sayAfter(Word.Described.class, new Word.Wired(), nowNanos);
  }

  /// The modules are there, and have been through `init`.
  public final List<WorkerAct> initialized(long nowNanos) {
    return sayAfter(Word.Wired.class, new Word.Initialized(), nowNanos);
  }

  /// The modules have ended well.
  public final List<WorkerAct> ended(ByteBuffer results, long nowNanos) {
    return sayAfter(Word.Running.class, new Word.Ended(results), nowNanos);
  }

  /// The outputs and their note are on the disk.
  public final List<WorkerAct> prepared(long nowNanos) {
    return sayAfter(Word.Ended.class, new Word.Prepared(), nowNanos);
  }

  /// The outputs have their names, but for some.
  ///
  /// @param unnamed says of each that has not, where it lies and why
  /// @param unclosed says which streams have failed as they were closed
  public final List<WorkerAct> published(
      List<String> unnamed, List<String> unclosed, long nowNanos) {
    List<WorkerAct> next =
        sayAfter(Word.Prepared.class, new Word.Published(unnamed, unclosed), nowNanos);
    if (!isUnheard) {
      return next;
    }
    acts.addAll(next);
    boolean _ = leaveIfOver();
    return taken();
  }

  private List<WorkerAct> sayAfter(Class<? extends Word> before, Word next, long nowNanos) {
    if (!hasLeft && !isStopping && before.isInstance(word)) {
      say(next, nowNanos);
    }
    return taken();
  }

  /// A stream to another process has broken. A module that throws from now on may do so because of
  /// that.
  public final void lostStream() {
    hasLostStream = true;
  }

  /// A step could not be done, or a module has thrown. Has no effect after the vote, or when the
  /// modules have been stopped: nothing would stop them a second time.
  public final List<WorkerAct> failed(Failure.Kind kind, String message, long nowNanos) {
    if (!hasLeft && !isStopping && !isAborted() && !hasVoted()) {
      boolean isEcho = kind == Failure.Kind.MODULE && isEchoOfLostStream(hasLostStream);
      fail(new Failure(isEcho ? Failure.Kind.LOST_PEER : kind, worker, message));
      report(nowNanos);
    }
    return taken();
  }

  /// The modules have ended, the streams are closed, and all outputs are deleted.
  public final List<WorkerAct> stopped(long nowNanos) {
    if (isStopping && !hasLeft) {
      isStopping = false;
      say(
          word instanceof Word.Failing(Failure failure)
              ? new Word.Failed(failure)
              : new Word.Aborted(),
          nowNanos);
      if (isUnheard) {
        boolean _ = leaveIfOver();
      }
    }
    return taken();
  }

  // -- Rules, each of which the simulator takes out to see that it is needed.

  /// Returns whether a message is of this attempt: no other one has an effect.
  boolean isCurrent(Epoch other) {
    return epoch.equals(other);
  }

  /// Returns whether the lease has run out.
  boolean hasNoLease(long nowNanos) {
    return isUnheard || nowNanos - leasedNanos > leaseNanos();
  }

  /// Returns from when a lease counts: from the report that was answered, and not from the answer,
  /// which may be old.
  long leasedFrom(long reportNanos, long orderNanos) {
    return reportNanos;
  }

  /// Returns whether a voter without a lease keeps its outputs.
  boolean keepsPrepared() {
    return true;
  }

  /// Returns whether a module's failure follows from a broken stream.
  boolean isEchoOfLostStream(boolean hasBroken) {
    return hasBroken;
  }

  // -- Inside.

  private long leaseNanos() {
    return isAnswered ? limits.hangNanos() : Math.max(limits.hangNanos(), limits.joinNanos());
  }

  private void renew(long answered, long nowNanos) {
    while (!unanswered.isEmpty() && unanswered.getFirst().number() <= answered) {
      Sent sent = unanswered.removeFirst();
      leasedNanos = Math.max(leasedNanos, leasedFrom(sent.nanos(), nowNanos));
    }
    if (answered >= wordNumber) { // what is long has come: each report with it has a higher number
      word = word.heard();
    }
  }

  private boolean hasVoted() {
    return word instanceof Word.Prepared || word instanceof Word.Published;
  }

  private boolean isAborted() {
    return word instanceof Word.Aborted || word instanceof Word.Failed;
  }

  private void abort(String reason) {
    if (!isStopping && !isAborted() && !isPublishing) {
      isStopping = true;
      acts.add(new WorkerAct.Stop(reason));
    }
  }

  private void fail(Failure failure) {
    word = new Word.Failing(failure);
    isStopping = true;
    acts.add(new WorkerAct.Stop(failure.message()));
  }

  private boolean leaveIfOver() {
    boolean isOver = word instanceof Word.Published || isAborted();
    if (isOver) {
      leave();
    }
    return isOver;
  }

  private void leave() {
    hasLeft = true;
    acts.add(new WorkerAct.Leave());
  }

  private void say(Word next, long nowNanos) {
    word = next;
    wordNumber = number + 1;
    report(nowNanos);
  }

  private void report(long nowNanos) {
    number++;
    sentNanos = nowNanos;
    while (!unanswered.isEmpty() && nowNanos - unanswered.getFirst().nanos() > limits.hangNanos()) {
      unanswered.removeFirst(); // an answer would be too late
    }
    unanswered.addLast(new Sent(number, nowNanos));
    acts.add(new WorkerAct.Send(new Report(epoch, worker, number, word)));
  }

  private List<WorkerAct> taken() {
    List<WorkerAct> all = List.copyOf(acts);
    acts.clear();
    return all;
  }

  // -- For those who watch.

  /// Returns its attempt.
  public final Epoch epoch() {
    return epoch;
  }

  /// Returns how far it has come.
  public final Word word() {
    return word;
  }

  /// Returns whether it is ending its modules and deleting its outputs.
  public final boolean isStopping() {
    return isStopping;
  }

  /// Returns whether nothing is expected of it any more.
  public final boolean hasLeft() {
    return hasLeft;
  }

  /// Checks what must always hold.
  public final void checkInvariants() {
    if (isStopping && isPublishing) {
      throw new IllegalStateException("worker %d deletes what it names".formatted(worker));
    }
    if (isPublishing && !hasVoted()) {
      throw new IllegalStateException("worker %d names what it has not prepared".formatted(worker));
    }
    if (unanswered.size() > number) {
      throw new IllegalStateException("worker %d waits for more than it sent".formatted(worker));
    }
  }

  @Override
  public String toString() {
    @Nullable String more = isStopping ? ", stopping" : hasLeft ? ", left" : "";
    return "worker %d of attempt %d (%s%s)".formatted(worker, epoch.attempt(), word, more);
  }
}
