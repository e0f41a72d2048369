// Over 400 lines: the promises of a run, and the world that they are kept in.
package dev.tigris.verify.runs;

import dev.tigris.cluster.run.protocol.CoordinatorProtocol;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.Outcome;
import dev.tigris.cluster.run.protocol.Recovery;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.cluster.run.protocol.Word;
import dev.tigris.verify.model.FaultSites;
import dev.tigris.verify.model.VirtualTime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A run in virtual time, from its first attempt to the last recovery. First anything may fail.
/// Then faults stop, and it has to come to an end.
///
/// Checked after each step:
///
/// - outputs of one attempt at most have their names;
/// - an output gets its name only if the decision of its attempt is on the disk;
/// - a decision is made only if each worker's output and note of that attempt are on its disk;
/// - a module runs only if those of all workers of its attempt have been initialized;
/// - modules of one attempt run at a time, but in a process that was paused beyond its lease;
/// - a run that ends well has the results of its attempt, and each output named or listed;
/// - a module that throws by itself is not tried again, and one whose stream had broken is;
/// - no attempt follows one that drained: it would end with nothing.
///
/// Checked at the end: no process is left; with a decision all outputs have their names, without
/// one none has; nothing is left under a temporary name.
///
/// | place | what happens |
/// | --- | --- |
/// | `network.loss` | a message never arrives |
/// | `network.duplicate` | it arrives again, maybe much later |
/// | `network.delay` | it arrives much later, and others overtake it |
/// | `network.cut` | nothing reaches one process, or comes from it, for a while |
/// | `worker.kill` | a process dies |
/// | `host.crash` | its host does, with what was not synced |
/// | `worker.pause`, `coordinator.pause` | a process stops for up to three hang limits |
/// | `worker.start`, `host.start` | one worker never starts, or none can |
/// | `worker.module` | a module throws |
/// | `worker.stream` | a stream between two workers breaks |
/// | `worker.other` | a worker describes another flow |
/// | `disk.prepare`, `disk.rename` | a disk is full, or a name is taken |
/// | `coordinator.kill` | the coordinator dies |
/// | `user.cancel` | the user has had enough |
/// | `user.drain` | the user wants the run to end with what it was given |
/// | `decide.kill.before`, `.in`, `.after` | the coordinator dies around its decision |
/// | `decide.fail.before`, `.in` | its disk fails, before the rename or later |
public final class RunSimulation {
  /// The set-up of a simulation.
  ///
  /// @param seed of all that is random
  /// @param limits of the run
  /// @param local whether all processes are on the coordinator's host: then it sees their deaths,
  ///     can kill them, and reaches their disks
  /// @param faults the probability of each place
  /// @param faultyNanos how long faults happen
  public record Plan(
      long seed, Limits limits, boolean local, Map<String, Double> faults, long faultyNanos) {
    /// A plan with its own map.
    public Plan {
      faults = Map.copyOf(faults);
    }
  }

  /// The events of a simulation, counted.
  ///
  /// @param outcome how it ended; null if the coordinator has not lived to say
  /// @param attempts how many attempts there were
  /// @param named how many outputs have their names in the end
  /// @param kept how many workers have kept outputs that they heard nothing of
  /// @param nanos how long it took
  /// @param events how many events there were
  /// @param struck how often each place struck
  public record Result(
      @Nullable Outcome outcome,
      int attempts,
      int named,
      int kept,
      long nanos,
      long events,
      Map<String, Long> struck) {
    /// A result with its own map.
    public Result {
      struck = Map.copyOf(struck);
    }
  }

  static final RunId RUN = new RunId(1, 2);
  static final Map<String, String> FINGERPRINT = Map.of("flow", "a", "java", "25");

  /// The message of a module that throws by itself.
  static final String ROOT = "a module has thrown";

  /// The message of a module that throws because a stream has broken.
  static final String ECHO = "a stream has broken";

  private static final long TRIP_NANOS = 1_000_000;

  /// How many hang limits an attempt may take when faults have ended.
  private static final int MOST_HANGS = 12;

  /// Up to so many workers, all disks are looked at after each step.
  private static final int FEW = 16;

  final Plan plan;
  final Parts parts;
  final VirtualTime time = new VirtualTime();
  final FaultSites sites;
  int kept;
  private final SimulatedCoordinator coordinator;
  private final List<SimulatedDisk> disks = new ArrayList<>();

  /// The processes, by worker.
  private final List<List<SimulatedWorker>> workers = new ArrayList<>();

  private final Map<Integer, Set<SimulatedWorker>> running = new TreeMap<>();

  /// The workers whose modules were initialized, by attempt.
  private final Map<Integer, Set<Integer>> initialized = new TreeMap<>();

  private final Set<Integer> hopeless = new HashSet<>();
  private int attempts;

  /// The attempt that was to end with what it was given; 0 if none was.
  private int drainedAttempt;

  private int alive;
  private @Nullable Epoch decision;
  private boolean isDecisionSynced;

  private RunSimulation(Plan plan, Parts parts) {
    this.plan = plan;
    this.parts = parts;
    this.sites = new FaultSites(plan.seed());
    plan.faults().forEach(sites::set);
    for (int i = 0; i < plan.limits().workers(); i++) {
      disks.add(new SimulatedDisk());
      workers.add(new ArrayList<>());
    }
    this.coordinator = new SimulatedCoordinator(this);
  }

  /// Runs a simulation to its end.
  ///
  /// @throws AssertionError with the seed, if a promise is broken
  public static Result run(Plan plan, Parts parts) {
    RunSimulation simulation = new RunSimulation(plan, parts);
    try {
      return simulation.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed %d, at %,d ms: %s%n  %s%n  %s%n  decision %s, synced %s"
              .formatted(
                  plan.seed(),
                  simulation.time.nowNanos() / 1_000_000,
                  e.getMessage(),
                  simulation.coordinator,
                  simulation.first(),
                  simulation.decision,
                  simulation.isDecisionSynced),
          e);
    }
  }

  private String first() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < Math.min(FEW, disks.size()); i++) {
      all.append(workers.get(i)).append(' ').append(disks.get(i)).append("\n  ");
    }
    return all.toString();
  }

  private Result run() {
    coordinator.start();
    time.after(plan.faultyNanos(), this::heal);
    Limits limits = plan.limits();
    long limit =
        plan.faultyNanos()
            + (limits.attempts() + 1) * (2 * limits.joinNanos() + MOST_HANGS * limits.hangNanos());
    boolean isLeaving = false;
    while (!sites.isCalm() || alive > 0 || coordinator.isAlive()) {
      if (!time.step()) {
        throw new AssertionError("nothing happens any more");
      }
      if (disks.size() <= FEW) {
        checkDisks();
      }
      if (!isLeaving && coordinator.outcome() != null) {
        isLeaving = true;
        coordinator.after(3 * limits.hangNanos(), coordinator::die);
      }
      if (time.nowNanos() > limit) {
        throw new AssertionError("it does not come to an end");
      }
    }
    recover();
    checkEnd();
    int named = (int) disks.stream().filter(disk -> disk.named() != null).count();
    return new Result(
        coordinator.outcome(),
        attempts,
        named,
        kept,
        time.nowNanos(),
        time.happened(),
        sites.struck());
  }

  /// Ends all faults.
  private void heal() {
    sites.calm();
    coordinator.resume();
    workers.forEach(of -> List.copyOf(of).forEach(SimulatedWorker::heal));
  }

  SplittableRandom random() {
    return sites.random();
  }

  /// Returns a time up to a bound. The shortest and the longest are as likely as all others: that
  /// is where promises break.
  long anyNanos(long most) {
    return switch (random().nextInt(4)) {
      case 0 -> 0;
      case 1 -> most;
      default -> random().nextLong(most + 1);
    };
  }

  // -- The network.

  void send(SimulatedWorker from, Report report) {
    deliver(from, () -> coordinator.receive(report));
  }

  /// Sends an order to all processes of a worker, some of which may be of another attempt.
  void send(int worker, Order order) {
    workers.get(worker).forEach(to -> deliver(to, () -> to.receive(order)));
  }

  private void deliver(SimulatedWorker worker, Runnable arrive) {
    if (worker.isCut() || sites.strikes("network.loss")) {
      return;
    }
    long hangNanos = plan.limits().hangNanos();
    long nanos = TRIP_NANOS + random().nextLong(TRIP_NANOS);
    if (sites.strikes("network.delay")) {
      nanos += random().nextLong(3 * hangNanos);
    }
    if (sites.strikes("network.duplicate")) {
      time.after(nanos + random().nextLong(2 * hangNanos), arrive);
    }
    time.after(nanos, arrive);
  }

  // -- Processes.

  void startWorkers(Epoch epoch) {
    for (int i = 0; i < disks.size(); i++) {
      int index = i;
      if (!sites.strikes("worker.start")) {
        long nanos = anyNanos(plan.limits().joinNanos() / 2);
        time.after(nanos, () -> startWorker(epoch, index));
      }
    }
  }

  private void startWorker(Epoch epoch, int index) {
    if (!coordinator.isAlive()) {
      return; // that was its parent
    }
    var worker = new SimulatedWorker(this, epoch, index, disks.get(index));
    workers.get(index).add(worker);
    alive++;
    worker.start();
  }

  void kill(Epoch epoch, int worker) {
    if (plan.local()) {
      List.copyOf(workers.get(worker)).stream()
          .filter(each -> each.epoch.equals(epoch))
          .forEach(SimulatedProcess::die);
    }
  }

  void stopWorkers(Epoch epoch) {
    for (int i = 0; plan.local() && i < disks.size(); i++) {
      kill(epoch, i);
      disks.get(i).discard(epoch);
    }
  }

  void workerDied(SimulatedWorker worker, boolean hasLeft) {
    alive--;
    workers.get(worker.index).remove(worker);
    if (!hasLeft) {
      breakStreamsOf(worker);
    }
    if (plan.local()) {
      time.after(
          random().nextLong(1, 100 * TRIP_NANOS),
          () -> coordinator.workerDied(worker.epoch, worker.index));
    }
  }

  /// Lets some of the others see that a process has ended.
  void breakStreamsOf(SimulatedWorker worker) {
    for (SimulatedWorker other :
        List.copyOf(running.getOrDefault(worker.epoch.attempt(), Set.of()))) {
      if (other != worker && random().nextBoolean()) {
        time.after(random().nextLong(1, 100 * TRIP_NANOS), () -> other.lostStreamIfRunning());
      }
    }
  }

  void coordinatorDied() {
    if (plan.local()) {
      for (List<SimulatedWorker> of : workers) {
        for (SimulatedWorker worker : of) {
          time.after(random().nextLong(1, 100 * TRIP_NANOS), worker::coordinatorDied);
        }
      }
    }
    if (random().nextBoolean()) { // a user is quick
      time.after(random().nextLong(2 * plan.limits().hangNanos()), this::recover);
    }
  }

  // -- Disks.

  /// Writes the decision.
  ///
  /// @param sure whether it is on the disk afterwards; else maybe
  void writeDecision(Epoch epoch, boolean sure) {
    if (decision != null) {
      throw new AssertionError("%s is decided after %s".formatted(epoch, decision));
    }
    if (sure || random().nextBoolean()) {
      decision = epoch;
      isDecisionSynced = sure;
    }
  }

  /// Gives an output its name.
  ///
  /// @return where it is, if it cannot get it
  List<String> name(SimulatedDisk disk, Epoch epoch, int worker) {
    if (!isDecisionSynced || !epoch.equals(decision)) {
      throw new AssertionError(
          "worker %d names its output of %s without a decision".formatted(worker, epoch));
    }
    if (sites.strikes("disk.rename")) {
      if (!parts.keepsWhatCannotBeRenamed()) {
        disk.discard(epoch);
      }
      return List.of("host %d".formatted(worker));
    }
    return disk.name(epoch) ? List.of() : List.of("host %d lost it".formatted(worker));
  }

  List<String> nameFor(Epoch epoch, int worker) {
    return plan.local()
        ? name(disks.get(worker), epoch, worker)
        : List.of("host %d".formatted(worker));
  }

  /// Does as `tigris recover` does, on all hosts.
  private void recover() {
    if (coordinator.isAlive()) {
      throw new AssertionError("the lock of the run is held");
    }
    isDecisionSynced = decision != null;
    for (int i = 0; i < disks.size(); i++) {
      SimulatedDisk disk = disks.get(i);
      for (int attempt : disk.noted()) {
        Epoch prepared = new Epoch(RUN, attempt);
        if (parts.recovers(Recovery.of(decision, prepared) == Recovery.PUBLISH)) {
          List<String> _ = name(disk, prepared, i);
        } else {
          disk.discard(prepared);
        }
      }
    }
  }

  // -- Promises.

  /// A worker is another than before: it runs modules, or does not.
  void checkRunning(SimulatedWorker worker) {
    Set<SimulatedWorker> of =
        running.computeIfAbsent(worker.epoch.attempt(), _ -> new LinkedHashSet<>());
    if (!worker.runsModules()) {
      of.remove(worker);
      return;
    }
    of.add(worker);
    running.forEach(
        (attempt, others) -> {
          if (attempt != worker.epoch.attempt() && !others.isEmpty()) {
            throw new AssertionError(
                "modules of attempt %d run beside those of %s: %s"
                    .formatted(attempt, worker.epoch, others.iterator().next()));
          }
        });
  }

  /// The modules of a worker have been initialized.
  void initialized(SimulatedWorker worker) {
    boolean _ =
        initialized.computeIfAbsent(worker.epoch.attempt(), _ -> new HashSet<>()).add(worker.index);
  }

  /// A worker lets its modules run.
  void checkInitialized(SimulatedWorker worker) {
    Set<Integer> ready = initialized.getOrDefault(worker.epoch.attempt(), Set.of());
    if (ready.size() < plan.limits().workers()) {
      throw new AssertionError(
          "modules of %s run before those of others are initialized".formatted(worker));
    }
  }

  /// The coordinator hears a report.
  void heard(Report report, Epoch current) {
    if (report.epoch().equals(current)
        && report.word() instanceof Word.Failing(Failure failure)
        && failure.message().equals(ROOT)) {
      hopeless.add(current.attempt());
    }
  }

  /// The user wants the run to end with what it was given.
  void drained(Epoch epoch, CoordinatorProtocol.Phase phase) {
    boolean isOpen =
        phase.compareTo(CoordinatorProtocol.Phase.RUNNING) <= 0
            || phase == CoordinatorProtocol.Phase.ABORTING;
    if (drainedAttempt == 0 && isOpen) {
      drainedAttempt = epoch.attempt();
    }
  }

  /// The coordinator begins an attempt.
  void checkRetry(Epoch epoch) {
    attempts = epoch.attempt();
    if (drainedAttempt > 0 && attempts > drainedAttempt) {
      throw new AssertionError("%s follows one that drained".formatted(epoch));
    }
    if (hopeless.contains(attempts - 1)) {
      throw new AssertionError("it is tried again though a module has thrown by itself");
    }
    if (decision != null) {
      throw new AssertionError("%s begins after the decision of %s".formatted(epoch, decision));
    }
  }

  /// The coordinator begins to write the decision.
  void checkVotes(Epoch epoch) {
    for (int i = 0; i < disks.size(); i++) {
      if (!disks.get(i).isPrepared(epoch)) {
        throw new AssertionError("worker %d has not prepared its output of %s".formatted(i, epoch));
      }
    }
  }

  void checkOutcome(Outcome outcome) {
    switch (outcome) {
      case Outcome.Done(int attempt, List<ByteBuffer> results, List<String> unnamed, _) -> {
        Epoch epoch = new Epoch(RUN, attempt);
        for (ByteBuffer each : results) {
          if (!StandardCharsets.UTF_8.decode(each.duplicate()).toString().equals("" + epoch)) {
            throw new AssertionError("results of another attempt than " + epoch);
          }
        }
        long missing = disks.stream().filter(disk -> !epoch.equals(disk.named())).count();
        if (results.size() != disks.size() || missing > unnamed.size()) {
          throw new AssertionError(
              "%d results, %d outputs without a name, and %d listed"
                  .formatted(results.size(), missing, unnamed.size()));
        }
      }
      case Outcome.Failed(_, Failure failure) -> {
        if (decision != null || disks.stream().anyMatch(disk -> disk.named() != null)) {
          throw new AssertionError("it has failed, and outputs have their names");
        }
        if (failure.kind() == Failure.Kind.MODULE && failure.message().equals(ECHO)) {
          throw new AssertionError("a lost peer was taken for a module that throws");
        }
      }
      case Outcome.Undecided _ -> {}
    }
  }

  private void checkDisks() {
    Epoch one = null;
    for (SimulatedDisk disk : disks) {
      Epoch named = disk.named();
      if (named != null) {
        if (one != null && !one.equals(named)) {
          throw new AssertionError("outputs of %s and of %s".formatted(one, named));
        }
        one = named;
      }
    }
  }

  private void checkEnd() {
    checkDisks();
    for (int i = 0; i < disks.size(); i++) {
      SimulatedDisk disk = disks.get(i);
      boolean isRight = decision == null ? disk.named() == null : decision.equals(disk.named());
      if (!isRight || disk.noted().iterator().hasNext()) {
        throw new AssertionError("after recovery, host %d: %s".formatted(i, disk));
      }
    }
  }
}
