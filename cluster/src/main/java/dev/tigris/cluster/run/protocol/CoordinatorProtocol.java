// Over 400 lines: one state machine, whose phases are read together.
package dev.tigris.cluster.run.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The coordinator's half of the protocol of a run, in all of its attempts. It has no thread, clock
/// or I/O: each call tells what has happened and when, and returns what to do.
///
/// ```
///   STARTING -> DESCRIBING -> WIRING -> INITIALIZING -> RUNNING -> PREPARING -+
///      |            |           |            |             |           |      |
///      +------------+-----------+------------+-------------+-----------+      |
///                                            |                                v
///                                        ABORTING <------------------------ DECIDING
///                                            |                                |  |
///    STARTING of the next attempt, or OVER (failed)     OVER (undecided) <----+  |
///                                                                                v
///                                                               OVER <------ PUBLISHING
/// ```
///
/// Each phase but two waits until all workers have said its word. From `DECIDING` on there is no
/// way back, but that the decision is known not to be on the disk. `ABORTING` waits until no worker
/// can run a module any more.
///
/// Thread rule: one thread at a time.
public class CoordinatorProtocol {
  /// The phases of an attempt.
  public enum Phase {
    /// Workers are being started.
    STARTING,
    /// Workers describe the flow.
    DESCRIBING,
    /// Workers make their streams.
    WIRING,
    /// Workers make their modules, which may load for minutes: this has no limit.
    INITIALIZING,
    /// Modules run.
    RUNNING,
    /// Workers bring their outputs to the disk.
    PREPARING,
    /// The decision is being written.
    DECIDING,
    /// Workers give their outputs their names.
    PUBLISHING,
    /// Workers end their modules and delete their outputs.
    ABORTING,
    /// The run has its outcome.
    OVER
  }

  /// The state of one worker of the attempt.
  static final class Seat {
    final int worker;
    @Nullable Word word;
    long number;
    long heardNanos = NEVER;
    boolean isDead;
    boolean isKilled;
    boolean isAskedFor;
    boolean isNamed;
    List<String> unnamed = List.of();

    Seat(int worker) {
      this.worker = worker;
    }

    boolean hasSaid(Class<? extends Word> wanted) {
      return wanted.isInstance(word);
    }
  }

  private static final long NEVER = Long.MIN_VALUE;
  private static final int MILLI = 1_000_000;

  /// How many times the time to report first a worker has to give its outputs their names.
  private static final int NAMING_JOINS = 5;

  private final Limits limits;
  private final Map<String, String> fingerprint;
  private final List<CoordinatorAct> acts = new ArrayList<>();
  private final Set<Failure> failures = new LinkedHashSet<>();
  private final List<String> addresses = new ArrayList<>();
  private final List<ByteBuffer> results = new ArrayList<>();
  private Epoch epoch;
  private Phase phase = Phase.STARTING;
  private List<Seat> seats = List.of();
  private long phaseNanos;

  /// When the workers of the attempt were told to describe the flow.
  private long describingNanos;

  /// Whether the user wants the run to end with what it was given.
  private boolean isDraining;

  private @Nullable Outcome outcome;

  /// Why the attempt before this one was given up.
  private @Nullable Failure before;

  /// Makes the coordinator of a run.
  ///
  /// @param fingerprint what each worker must describe, by name
  public CoordinatorProtocol(RunId run, Limits limits, Map<String, String> fingerprint) {
    this.limits = limits;
    this.fingerprint = Map.copyOf(fingerprint);
    this.epoch = new Epoch(run, 1);
  }

  // -- What happens.

  /// Begins the first attempt.
  public final List<CoordinatorAct> start(long nowNanos) {
    begin(epoch, nowNanos);
    return taken();
  }

  private void begin(Epoch next, long nowNanos) {
    epoch = next;
    failures.clear();
    addresses.clear();
    results.clear();
    List<Seat> fresh = new ArrayList<>();
    for (int i = 0; i < limits.workers(); i++) {
      fresh.add(new Seat(i));
    }
    seats = fresh;
    enter(Phase.STARTING, nowNanos);
    acts.add(new CoordinatorAct.StartWorkers(epoch, limits.workers()));
  }

  /// The workers of an attempt could not be started.
  public final List<CoordinatorAct> startFailed(Epoch which, String message, long nowNanos) {
    if (which.equals(epoch) && phase == Phase.STARTING) {
      abort(new Failure(Failure.Kind.START, Failure.NO_WORKER, message), nowNanos);
    }
    return taken();
  }

  /// The workers cannot be started, in no attempt. It is too late when all have joined.
  public final List<CoordinatorAct> refused(Epoch which, String message, long nowNanos) {
    if (which.equals(epoch) && phase == Phase.STARTING) {
      abort(new Failure(Failure.Kind.REFUSED, Failure.NO_WORKER, message), nowNanos);
      advance(nowNanos);
    }
    return taken();
  }

  /// Takes a report.
  public final List<CoordinatorAct> receive(Report report, long nowNanos) {
    int worker = report.worker();
    if (worker < 0 || worker >= limits.workers()) {
      return taken();
    }
    if (!isCurrent(report.epoch())) {
      answerOld(report);
      return taken();
    }
    Seat seat = seats.get(worker);
    if (report.number() <= seat.number) {
      return taken(); // doubled, or overtaken
    }
    seat.number = report.number();
    if (seat.word == null || !report.word().repeats(seat.word)) {
      seat.word = report.word();
    }
    if (phase != Phase.ABORTING) {
      seat.heardNanos = nowNanos;
    }
    Phase before = phase;
    hear(report.word(), nowNanos);
    advance(nowNanos);
    if (phase == before && epoch.equals(report.epoch())) {
      send(seat);
    }
    return taken();
  }

  /// An old attempt was aborted: what is left of it is told so.
  private void answerOld(Report report) {
    Epoch old = report.epoch();
    if (old.run().equals(epoch.run()) && old.attempt() < epoch.attempt()) {
      Order.Step step =
          isAborted(report.word())
              ? new Order.Step.Leave()
              : new Order.Step.Abort("attempt %d has followed".formatted(epoch.attempt()));
      acts.add(new CoordinatorAct.Send(report.worker(), new Order(old, report.number(), step)));
    }
  }

  private void hear(Word word, long nowNanos) {
    switch (word) {
      case Word.Failing(Failure failure) -> abort(failure, nowNanos);
      case Word.Failed(Failure failure) -> abort(failure, nowNanos);
      default -> {}
    }
  }

  /// The process of a worker is known to have ended.
  public final List<CoordinatorAct> died(Epoch which, int worker, String message, long nowNanos) {
    if (!which.equals(epoch) || worker < 0 || worker >= limits.workers()) {
      return taken();
    }
    Seat seat = seats.get(worker);
    if (!seat.isDead) {
      seat.isDead = true;
      if (phase == Phase.PUBLISHING) {
        nameFor(seat);
      } else {
        abort(new Failure(Failure.Kind.DIED, worker, message), nowNanos);
      }
      advance(nowNanos);
    }
    return taken();
  }

  /// The connection to what has started a worker, and would tell of its end, is lost. A worker that
  /// has not reported is not waited for: it holds nothing yet, and most likely has ended.
  public final List<CoordinatorAct> lost(Epoch which, int worker, String message, long nowNanos) {
    boolean isWorker = worker >= 0 && worker < limits.workers();
    if (which.equals(epoch) && isWorker && seats.get(worker).heardNanos == NEVER) {
      abort(new Failure(Failure.Kind.DIED, worker, message), nowNanos);
      advance(nowNanos);
    }
    return taken();
  }

  /// The user wants the run to end. It is too late when the decision is being written.
  public final List<CoordinatorAct> cancel(String message, long nowNanos) {
    if (phase != Phase.OVER) {
      abort(new Failure(Failure.Kind.CANCELLED, Failure.NO_WORKER, message), nowNanos);
      advance(nowNanos);
    }
    return taken();
  }

  /// The user wants the run to end with what it was given so far. It goes on as far as its modules
  /// run, and these get no more from outside. Has no effect when they have ended well.
  ///
  /// No attempt follows such a one that fails: it would begin anew, and end with nothing.
  public final List<CoordinatorAct> drain(long nowNanos) {
    if (!isDraining && (phase.compareTo(Phase.RUNNING) <= 0 || phase == Phase.ABORTING)) {
      isDraining = true;
      if (phase == Phase.RUNNING) {
        sendAll();
      }
    }
    return taken();
  }

  /// Something that travels beside the orders has changed: sends them again while modules run.
  public final List<CoordinatorAct> repeat() {
    if (phase == Phase.RUNNING) {
      sendAll();
    }
    return taken();
  }

  /// The decision is on the disk, and so is its folder.
  public final List<CoordinatorAct> decided(Epoch which, long nowNanos) {
    if (which.equals(epoch) && phase == Phase.DECIDING) {
      publish(nowNanos);
      advance(nowNanos);
    }
    return taken();
  }

  /// The decision could not be written.
  ///
  /// @param isNone whether it is sure that there is none on the disk
  public final List<CoordinatorAct> notDecided(
      Epoch which, boolean isNone, String message, long nowNanos) {
    if (which.equals(epoch) && phase == Phase.DECIDING) {
      Failure failure = new Failure(Failure.Kind.DISK, Failure.NO_WORKER, message);
      if (isNone) {
        giveUp(failure, nowNanos);
      } else {
        end(new Outcome.Undecided(epoch.attempt(), failure), nowNanos);
      }
    }
    return taken();
  }

  /// A failure has come before the decision could be written: there is none.
  public final List<CoordinatorAct> undecidable(Epoch which, Failure failure, long nowNanos) {
    if (which.equals(epoch) && phase == Phase.DECIDING) {
      giveUp(failure, nowNanos);
    }
    return taken();
  }

  private void giveUp(Failure failure, long nowNanos) {
    enter(Phase.PREPARING, nowNanos);
    abort(failure, nowNanos);
    advance(nowNanos);
  }

  /// The outputs of a worker that does not answer have their names, but for some.
  ///
  /// @param unnamed says of each that has not, where it lies and why
  public final List<CoordinatorAct> named(
      Epoch which, int worker, List<String> unnamed, long nowNanos) {
    if (which.equals(epoch) && phase == Phase.PUBLISHING) {
      Seat seat = seats.get(worker);
      seat.isNamed = true;
      seat.unnamed = List.copyOf(unnamed);
      advance(nowNanos);
    }
    return taken();
  }

  /// Lets time pass; called each beat or more often.
  public final List<CoordinatorAct> tick(long nowNanos) {
    for (Seat seat : seats) {
      if (phase == Phase.OVER) {
        break;
      }
      if (phase == Phase.ABORTING) {
        killIfSlow(seat, nowNanos);
      } else if (phase != Phase.DECIDING && !seat.isDead && isSilent(seat, nowNanos)) {
        silent(seat, nowNanos);
      }
    }
    limit(nowNanos);
    advance(nowNanos);
    return taken();
  }

  /// Gives up what takes too long though all workers answer: a description that waits for
  /// something, or a disk that does not answer.
  private void limit(long nowNanos) {
    boolean isBegun = phase == Phase.DESCRIBING || phase == Phase.WIRING;
    if (isBegun && nowNanos - describingNanos > limits.joinNanos()) {
      int late = behind().getFirst();
      String message =
          "worker %d has not %s for %,d ms, though it answers: look where its description waits"
              .formatted(
                  late,
                  phase == Phase.DESCRIBING ? "described the flow" : "connected its streams",
                  limits.joinNanos() / MILLI);
      abort(new Failure(Failure.Kind.START, late, message), nowNanos);
    }
    long namingNanos = NAMING_JOINS * limits.joinNanos();
    if (phase == Phase.PUBLISHING && nowNanos - phaseNanos > namingNanos) {
      for (int late : behind()) {
        Seat seat = seats.get(late);
        seat.isNamed = true;
        seat.unnamed =
            List.of(
                "worker %d has not given its outputs their names for %,d ms"
                    .formatted(late, namingNanos / MILLI));
      }
    }
  }

  private boolean isSilent(Seat seat, long nowNanos) {
    return seat.heardNanos == NEVER
        ? nowNanos - phaseNanos > limits.joinNanos()
        : nowNanos - seat.heardNanos > limits.hangNanos();
  }

  private void silent(Seat seat, long nowNanos) {
    if (phase == Phase.PUBLISHING) {
      nameFor(seat);
      return;
    }
    boolean isNew = seat.heardNanos == NEVER;
    long limitNanos = isNew ? limits.joinNanos() : limits.hangNanos();
    String message =
        "worker %d has %s for %,d ms%s"
            .formatted(
                seat.worker,
                isNew ? "not reported" : "said nothing",
                limitNanos / MILLI,
                isNew ? "" : ": raise the hang limit if its host is that busy");
    abort(
        new Failure(isNew ? Failure.Kind.START : Failure.Kind.SILENT, seat.worker, message),
        nowNanos);
    kill(seat);
  }

  private void killIfSlow(Seat seat, long nowNanos) {
    if (!isFenced(seat, nowNanos) && nowNanos - phaseNanos > limits.fenceNanos()) {
      kill(seat);
    }
  }

  private void kill(Seat seat) {
    if (!seat.isKilled) {
      seat.isKilled = true;
      acts.add(new CoordinatorAct.Kill(epoch, seat.worker));
    }
  }

  // -- From phase to phase.

  private void advance(long nowNanos) {
    switch (phase) {
      case STARTING -> enterIf(all(Word.Joined.class), Phase.DESCRIBING, nowNanos);
      case DESCRIBING -> {
        if (all(Word.Described.class)) {
          Failure difference = difference();
          if (difference != null) {
            abort(difference, nowNanos);
          } else {
            enterIf(true, Phase.WIRING, nowNanos);
          }
        }
      }
      case WIRING -> enterIf(all(Word.Wired.class), Phase.INITIALIZING, nowNanos);
      case INITIALIZING -> enterIf(areReady(seats), Phase.RUNNING, nowNanos);
      case RUNNING -> enterIf(all(Word.Ended.class), Phase.PREPARING, nowNanos);
      case PREPARING -> {
        if (hasAllVotes(seats)) {
          decide(nowNanos);
        }
      }
      case PUBLISHING -> {
        if (seats.stream().allMatch(seat -> seat.isNamed || seat.hasSaid(Word.Published.class))) {
          succeed(nowNanos);
        }
      }
      case ABORTING -> {
        if (seats.stream().allMatch(seat -> isFenced(seat, nowNanos))) {
          conclude(nowNanos);
        }
      }
      case DECIDING, OVER -> {}
    }
  }

  private boolean all(Class<? extends Word> wanted) {
    return seats.stream().allMatch(seat -> seat.hasSaid(wanted));
  }

  private void enterIf(boolean isTime, Phase next, long nowNanos) {
    if (isTime) {
      keep(next);
      enter(next, nowNanos);
      sendAll();
    }
  }

  /// Keeps what workers have said, which their next words do not repeat.
  private void keep(Phase next) {
    for (Seat seat : seats) {
      if (next == Phase.DESCRIBING && seat.word instanceof Word.Joined(String address)) {
        addresses.add(address);
      }
      if (next == Phase.PREPARING && seat.word instanceof Word.Ended(ByteBuffer counted)) {
        results.add(counted);
      }
    }
  }

  private @Nullable Failure difference() {
    for (Seat seat : seats) {
      if (seat.word instanceof Word.Described(Map<String, String> other)
          && !other.equals(fingerprint)) {
        Set<String> names = new TreeSet<>(fingerprint.keySet());
        names.addAll(other.keySet());
        for (String name : names) {
          if (!Objects.equals(fingerprint.get(name), other.get(name))) {
            return new Failure(
                Failure.Kind.FINGERPRINT,
                seat.worker,
                "worker %d differs from the coordinator in %s: it has %s, and not %s"
                    .formatted(seat.worker, name, other.get(name), fingerprint.get(name)));
          }
        }
      }
    }
    return null;
  }

  private void abort(Failure failure, long nowNanos) {
    if (phase == Phase.ABORTING) {
      failures.add(failure);
    } else if (mayAbortIn(phase)) {
      failures.add(failure);
      enter(Phase.ABORTING, nowNanos);
      sendAll();
    }
  }

  private void decide(long nowNanos) {
    enter(Phase.DECIDING, nowNanos);
    acts.add(new CoordinatorAct.Decide(epoch));
    if (!awaitsDecision()) {
      publish(nowNanos);
    }
  }

  private void publish(long nowNanos) {
    enter(Phase.PUBLISHING, nowNanos);
    sendAll();
    seats.stream().filter(seat -> seat.isDead).forEach(this::nameFor);
  }

  private void nameFor(Seat seat) {
    if (!seat.isAskedFor && !seat.hasSaid(Word.Published.class)) {
      seat.isAskedFor = true;
      acts.add(new CoordinatorAct.NameFor(epoch, seat.worker));
    }
  }

  private void succeed(long nowNanos) {
    List<String> unnamed = new ArrayList<>();
    List<Failure> unclosed = new ArrayList<>();
    for (Seat seat : seats) {
      if (seat.word instanceof Word.Published(List<String> left, List<String> failed)) {
        unnamed.addAll(left);
        if (!seat.isNamed) { // else its streams found their outputs named by others
          failed.forEach(each -> unclosed.add(new Failure(Failure.Kind.DISK, seat.worker, each)));
        }
      } else {
        unnamed.addAll(seat.unnamed);
      }
    }
    end(new Outcome.Done(epoch.attempt(), results, unnamed, unclosed), nowNanos);
    sendAll();
  }

  /// No worker of the attempt can run a module any more.
  private void conclude(long nowNanos) {
    Failure cause = cause();
    acts.add(new CoordinatorAct.StopWorkers(epoch));
    if (cause.kind().isRetried() && epoch.attempt() < limits.attempts() && !isLast(isDraining)) {
      before = cause;
      begin(epoch.next(), nowNanos);
    } else {
      end(new Outcome.Failed(epoch.attempt(), cause), nowNanos);
    }
  }

  /// A module that throws breaks the streams to others, whose reports may come first: the failure
  /// that another attempt would meet again counts. So does the loss of a process, before that of
  /// its streams. Of several the first one counts.
  private Failure cause() {
    return failures.stream().min(Comparator.comparingInt(CoordinatorProtocol::order)).orElseThrow();
  }

  private static int order(Failure failure) {
    if (!failure.kind().isRetried()) {
      return 0;
    }
    return failure.kind() == Failure.Kind.LOST_PEER ? 2 : 1;
  }

  private void enter(Phase next, long nowNanos) {
    phase = next;
    phaseNanos = nowNanos;
    if (next == Phase.DESCRIBING) {
      describingNanos = nowNanos;
    }
  }

  private void end(Outcome how, long nowNanos) {
    enter(Phase.OVER, nowNanos);
    outcome = how;
    acts.add(new CoordinatorAct.Over(how));
  }

  // -- Orders.

  private void sendAll() {
    seats.stream().filter(seat -> !seat.isDead).forEach(this::send);
  }

  private void send(Seat seat) {
    Order.Step step = step(seat);
    if (step != null) {
      acts.add(new CoordinatorAct.Send(seat.worker, new Order(epoch, seat.number, step)));
    }
  }

  private Order.@Nullable Step step(Seat seat) {
    return switch (phase) {
      case STARTING -> new Order.Step.Wait();
      case DESCRIBING -> new Order.Step.Describe();
      case WIRING -> new Order.Step.Wire(addresses);
      case INITIALIZING -> new Order.Step.Initialize();
      case RUNNING -> isDraining ? new Order.Step.Drain() : new Order.Step.Run();
      case PREPARING, DECIDING -> new Order.Step.Prepare();
      case PUBLISHING -> new Order.Step.Publish();
      case ABORTING -> abortion(seat, cause().message());
      case OVER ->
          switch (outcome) {
            case Outcome.Done _ ->
                seat.hasSaid(Word.Published.class)
                    ? new Order.Step.Leave()
                    : new Order.Step.Publish();
            case Outcome.Failed(_, Failure failure) -> abortion(seat, failure.message());
            case Outcome.Undecided _ -> null; // voters keep what they have, for recovery
            case null -> null;
          };
    };
  }

  private static Order.Step abortion(Seat seat, String reason) {
    return isAborted(seat.word) ? new Order.Step.Leave() : new Order.Step.Abort(reason);
  }

  private static boolean isAborted(@Nullable Word word) {
    return word instanceof Word.Aborted || word instanceof Word.Failed;
  }

  // -- Rules, each of which the simulator takes out to see that it is needed.

  /// Returns whether a message is of this attempt: no other one has an effect.
  boolean isCurrent(Epoch other) {
    return epoch.equals(other);
  }

  /// Returns whether a worker of an attempt that is given up runs no module any more, whatever it
  /// has heard: it has said so, its process is known to have ended, its lease has run out, or
  /// it has never had one.
  boolean isFenced(Seat seat, long nowNanos) {
    return seat.isDead
        || isAborted(seat.word)
        || seat.heardNanos == NEVER
        || nowNanos - seat.heardNanos > limits.fencedAfterNanos();
  }

  /// Returns whether modules may run: those of all workers have been through `init`.
  boolean areReady(List<Seat> workers) {
    return workers.stream().allMatch(seat -> seat.hasSaid(Word.Initialized.class));
  }

  /// Returns whether all have voted in this attempt.
  boolean hasAllVotes(List<Seat> voters) {
    return voters.stream().allMatch(seat -> seat.hasSaid(Word.Prepared.class));
  }

  /// Returns whether no attempt follows one that drains, or does not.
  boolean isLast(boolean drains) {
    return drains;
  }

  /// Returns whether outputs get their names only when the decision is on the disk.
  boolean awaitsDecision() {
    return true;
  }

  /// Returns whether an attempt may be given up: not from the moment on when the decision may be on
  /// the disk.
  boolean mayAbortIn(Phase at) {
    return at.compareTo(Phase.DECIDING) < 0;
  }

  // -- For those who watch.

  /// Returns the present attempt.
  public final Epoch epoch() {
    return epoch;
  }

  /// Returns why the attempt before this one was given up; null if this is the first.
  public final @Nullable Failure failureBefore() {
    return before;
  }

  /// Returns the phase of the attempt.
  public final Phase phase() {
    return phase;
  }

  /// Returns whether the run is to end with what it was given so far.
  public final boolean isDraining() {
    return isDraining;
  }

  /// Returns the workers for which the phase waits; none in phases that wait for something else.
  public final List<Integer> behind() {
    Class<? extends Word> awaited =
        switch (phase) {
          case STARTING -> Word.Joined.class;
          case DESCRIBING -> Word.Described.class;
          case WIRING -> Word.Wired.class;
          case INITIALIZING -> Word.Initialized.class;
          case RUNNING -> Word.Ended.class;
          case PREPARING -> Word.Prepared.class;
          case PUBLISHING -> Word.Published.class;
          case DECIDING, ABORTING, OVER -> null;
        };
    return seats.stream()
        .filter(seat -> awaited != null && !seat.hasSaid(awaited) && !seat.isNamed)
        .map(seat -> seat.worker)
        .toList();
  }

  /// Returns what a worker of the present attempt has said last; null if nothing.
  public final @Nullable Word word(int worker) {
    return seats.get(worker).word;
  }

  /// Returns how the run has ended; null if it has not.
  public final @Nullable Outcome outcome() {
    return outcome;
  }

  private List<CoordinatorAct> taken() {
    List<CoordinatorAct> all = List.copyOf(acts);
    acts.clear();
    return all;
  }

  /// Checks what must always hold.
  public final void checkInvariants() {
    if ((phase == Phase.OVER) != (outcome != null)) {
      throw new IllegalStateException("phase %s, outcome %s".formatted(phase, outcome));
    }
    if (phase == Phase.ABORTING && failures.isEmpty()) {
      throw new IllegalStateException("attempt %s is given up for nothing".formatted(epoch));
    }
    if (epoch.attempt() > limits.attempts()) {
      throw new IllegalStateException(
          "attempt %d of %d".formatted(epoch.attempt(), limits.attempts()));
    }
    boolean isPast = phase.compareTo(Phase.PREPARING) >= 0 && phase.compareTo(Phase.ABORTING) < 0;
    if (isPast && results.size() != limits.workers()) {
      throw new IllegalStateException(
          "%d results of %d workers".formatted(results.size(), limits.workers()));
    }
  }

  @Override
  public String toString() {
    return "coordinator of %s (%s)".formatted(epoch, outcome == null ? phase : outcome);
  }
}
