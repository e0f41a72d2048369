// Over 400 lines: one thread, all that it is told, and all that it does.
package dev.tigris.cluster.run;

import dev.tigris.cluster.Reach;
import dev.tigris.cluster.run.protocol.CoordinatorAct;
import dev.tigris.cluster.run.protocol.CoordinatorProtocol;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.Outcome;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.Word;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Results;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Drives the coordinator's half of the protocol of a run: gives it the messages, deaths and time
/// that there are, and does what it wants done. One thread does all of it, but for the deaths of
/// processes and calls of the user, which are handed over to it.
///
/// Thread rule: [#run] is the thread; [#cancel], [#drain], [#graph] and [#progress] are for any.
final class Coordinator implements Runnable {
  private static final System.Logger LOG = System.getLogger(Coordinator.class.getName());
  private static final byte[] NOTHING = {};
  private static final Duration LEAVING = Duration.ofMillis(2);
  private static final Duration MAP_PATIENCE = Duration.ofSeconds(2);

  /// The part of the hang limit that one worker may keep the coordinator, which answers all others.
  private static final int MAP_PART = 4;

  private static final Duration END_PATIENCE = Duration.ofSeconds(5);

  /// Longer than any hang limit: a link that is silent for so long is of no use.
  private static final Duration LINK_PATIENCE = Duration.ofMinutes(5);

  private final Launch launch;
  private final RunFolder folder;
  private final Network network;
  private final Function<Host.Deaths, Host> hosts;
  private final CompletableFuture<Ending> over = new CompletableFuture<>();
  private final CoordinatorProtocol protocol;
  private final byte[] description;
  private final ConcurrentLinkedQueue<Consumer<Loop>> calls = new ConcurrentLinkedQueue<>();
  private final long startNanos = System.nanoTime();

  // Read by other threads.
  private volatile @Nullable ControlLink link;
  private final Map<Integer, List<RunProgress.Replica>> replicas = new ConcurrentHashMap<>();
  private final Map<Integer, List<RunProgress.Edge>> edges = new ConcurrentHashMap<>();
  private final Map<Integer, Results> told = new ConcurrentHashMap<>();
  private final Map<Integer, Reach> reaches = new ConcurrentHashMap<>();
  private volatile RunProgress.Phase phase = RunProgress.Phase.STARTING;
  private volatile int attempt = 1;
  private volatile List<Integer> behind = List.of();
  private volatile long endedNanos;

  /// The replicas of the present attempt.
  private volatile RunTeam team;

  Coordinator(Launch launch, RunFolder folder, Network network, Function<Host.Deaths, Host> hosts) {
    this.launch = launch;
    this.folder = folder;
    this.network = network;
    this.hosts = hosts;
    this.team = new RunTeam(launch.flow(), launch.limits().workers());
    this.protocol =
        new CoordinatorProtocol(
            launch.run(),
            launch.limits(),
            launch.code().with(launch.arguments(), launch.flow()).parts());
    this.description =
        Frame.bytes(
            out -> {
              Wire.writeText(out, launch.program());
              launch.arguments().write(out);
            });
  }

  // -- For any thread.

  void cancel() {
    call(loop -> loop.perform(protocol.cancel("the run was cancelled", System.nanoTime())));
  }

  void drain() {
    call(loop -> loop.perform(protocol.drain(System.nanoTime())));
  }

  /// Begins to resize a stage.
  CompletableFuture<Void> resize(String stage, int count) {
    return change(promised -> team.resize(stage, count, promised));
  }

  /// Begins to tap a reservoir.
  CompletableFuture<Void> tap(TapOrder order) {
    String why = order.refusal(graph());
    return why == null
        ? change(promised -> team.tap(order, promised))
        : CompletableFuture.failedFuture(new IllegalStateException(why));
  }

  /// Lets a guest take part.
  CompletableFuture<Void> join(GuestOrder order) {
    return change(promised -> team.join(order, promised));
  }

  /// Lets a guest leave.
  CompletableFuture<Void> leave(Guest guest) {
    return change(promised -> team.leave(guest, promised));
  }

  /// Returns where the processes listen for streams; empty before all have told.
  List<Reach> reaches() {
    Map<Integer, Reach> known = new TreeMap<>(reaches);
    return known.size() == launch.limits().workers() ? List.copyOf(known.values()) : List.of();
  }

  private CompletableFuture<Void> change(Consumer<CompletableFuture<Void>> begin) {
    CompletableFuture<Void> promised = new CompletableFuture<>();
    if (over.isDone()) {
      return CompletableFuture.failedFuture(new IllegalStateException("the run is over"));
    }
    CompletableFuture<?> _ =
        over.thenAccept(
            ending -> promised.completeExceptionally(new IllegalStateException("the run is over")));
    call(
        loop -> {
          if (protocol.phase() != CoordinatorProtocol.Phase.RUNNING) {
            boolean _ =
                promised.completeExceptionally(
                    new IllegalStateException("the modules do not run: try again when they do"));
            return;
          }
          begin.accept(promised);
          loop.perform(protocol.repeat());
        });
    return promised;
  }

  /// Returns the modules that a change waits for, in words; empty if none goes on.
  String waitsFor() {
    return team.waitsFor();
  }

  private final class Deaths implements Host.Deaths {
    @Override
    public void died(Epoch epoch, int worker, String message) {
      call(
          loop -> {
            loop.controls.remove(loop.entry(epoch, worker));
            loop.perform(protocol.died(epoch, worker, message, System.nanoTime()));
          });
    }

    @Override
    public void lost(Epoch epoch, int worker, String message) {
      call(loop -> loop.perform(protocol.lost(epoch, worker, message, System.nanoTime())));
    }

    @Override
    public void refused(Epoch epoch, String message) {
      call(loop -> loop.perform(protocol.refused(epoch, message, System.nanoTime())));
    }
  }

  private void call(Consumer<Loop> action) {
    calls.add(action);
    ControlLink to = link;
    if (to != null) {
      to.wake();
    }
  }

  /// Returns what completes when the run is over and its processes are gone.
  CompletableFuture<Ending> over() {
    return over;
  }

  /// Returns what the folder tells of the run.
  Map<String, String> facts() {
    return folder.facts();
  }

  FlowGraph graph() {
    return team.graph();
  }

  RunProgress progress() {
    List<RunProgress.Replica> all = new ArrayList<>();
    replicas.values().forEach(all::addAll);
    List<RunProgress.Edge> over = new ArrayList<>();
    edges.values().forEach(over::addAll);
    long until = endedNanos == 0 ? System.nanoTime() : endedNanos;
    return new RunProgress(attempt, phase, until - startNanos, all, behind, over, toldSoFar());
  }

  private Results toldSoFar() {
    try {
      return Results.merged(List.copyOf(told.values()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      return Results.NONE; // the end of the run tells why
    }
  }

  // -- The coordinator's thread.

  @Override
  public void run() {
    Ending ending = null;
    try (ControlLink made =
            new ControlLink(
                network.messages(), ControlLink.COORDINATOR, launch.token(), LINK_PATIENCE);
        Host host = hosts.apply(new Deaths())) {
      link = made;
      writeControl(made.listen(network));
      ending = new Loop(made, host).run();
    } catch (Throwable e) { // the run must not be waited for in vain
      if (ending == null) {
        ending = Ending.of(broken(e));
      } else { // the run has ended as it has, whatever its processes or links leave
        LOG.log(System.Logger.Level.WARNING, "run " + launch.run() + " leaves something behind", e);
      }
    } finally {
      link = null;
      endedNanos = System.nanoTime();
      phase = RunProgress.Phase.OVER;
    }
    try (folder) {
      if (ending.isNamed() || !folder.isDecided()) {
        folder.forgetElsewhere(); // each has its name, or never gets it
      }
      if (!ending.isUndecided() && !folder.hasUnfinishedOutputs()) {
        folder.over(ending.facts(attempt, endedNanos - startNanos));
      }
    } catch (IOException e) {
      // the run has ended as it has, whether that could be noted or not
    }
    over.complete(ending);
  }

  private RunException broken(Throwable e) {
    boolean mayBeDecided = folder.isDecided();
    return new RunException(
        mayBeDecided ? RunException.Kind.UNDECIDED : RunException.Kind.START,
        attempt,
        "the run cannot be coordinated%s: %s"
            .formatted(
                mayBeDecided
                    ? ", and its outputs may have been decided on, so finish it by '%s'"
                        .formatted(folder.recovery())
                    : "",
                e),
        e);
  }

  private void writeControl(String address) throws IOException {
    Contact contact =
        new Contact(network, address, launch.token(), launch.streams(), launch.limits(), List.of());
    Map<String, String> facts = contact.facts();
    facts.put("run", launch.run().toString());
    folder.control(facts);
  }

  /// What the thread does until the run is over.
  private final class Loop {
    private final ControlLink to;
    private final Host host;

    /// Where each worker's link listens, by its entry in the table of peers.
    private final Map<Integer, String> controls = new HashMap<>();

    /// The last order to each worker that could not be sent yet: it says all that those before did.
    private final Map<Integer, Order> unsent = new LinkedHashMap<>();

    /// The workers, by their entries, that have been sent what to describe.
    private final Set<Integer> described = new HashSet<>();

    /// What the modules or programs of workers have thrown.
    private final Map<Integer, RemoteException> thrown = new HashMap<>();

    /// Attempts that were given up while some of their workers went on: they have not ended yet, or
    /// have, and may have left something.
    private final List<Epoch> unswept = new ArrayList<>();

    private @Nullable Outcome outcome;

    Loop(ControlLink to, Host host) {
      this.to = to;
      this.host = host;
    }

    Ending run() throws InterruptedException {
      perform(protocol.start(System.nanoTime()));
      while (outcome == null) {
        step(Duration.ofNanos(launch.limits().beatNanos()));
      }
      long start = System.nanoTime();
      while (!host.awaitEnd(protocol.epoch(), Duration.ZERO)
          && System.nanoTime() - start < END_PATIENCE.toNanos()) {
        step(LEAVING);
      }
      for (Epoch epoch : unswept) {
        boolean _ = sweep(epoch, Duration.ZERO);
      }
      return Ending.of(outcome, launch.limits().workers(), thrown, folder);
    }

    private void step(Duration longest) {
      to.await(longest);
      for (byte[] message = to.next(); message != null; message = to.next()) {
        receive(message);
      }
      for (Consumer<Loop> call = calls.poll(); call != null; call = calls.poll()) {
        call.accept(this);
      }
      perform(protocol.tick(System.nanoTime()));
      sendUnsent();
      attempt = protocol.epoch().attempt();
      phase = RunProgress.Phase.of(protocol.phase());
      behind = protocol.behind();
      if (protocol.phase() != CoordinatorProtocol.Phase.RUNNING) {
        team.failed("the modules do not run any more");
      }
    }

    private void receive(byte[] message) {
      try {
        if (Frame.read(message) instanceof Frame.Content.OfReport(Report report, ByteBuffer beside)
            && report.worker() >= 0
            && report.worker() < launch.limits().workers()) {
          note(report, beside);
          perform(protocol.receive(report, System.nanoTime()));
        }
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "a message to run " + launch.run() + " is wrong", e);
      }
    }

    /// Takes what travels beside a report.
    private void note(Report report, ByteBuffer beside) throws IOException {
      if (!report.epoch().equals(protocol.epoch())) {
        return;
      }
      try (DataInputStream in = Frame.reading(beside)) {
        switch (report.word()) {
          case Word.Joined(String address) -> {
            controls.put(entry(report.epoch(), report.worker()), Streams.controlOf(address));
            reaches.put(report.worker(), Reach.of(Streams.streamsOf(address)));
            replicas.remove(report.worker());
            edges.remove(report.worker());
            told.remove(report.worker());
          }
          case Word.Failing _, Word.Failed _, Word.Published _ -> {
            RemoteException its = !beside.hasRemaining() ? null : RemoteException.read(in);
            if (its != null) {
              thrown.put(report.worker(), its);
            }
          }
          case Word.Prepared() when beside.hasRemaining() ->
              host.prepared(report.epoch(), report.worker(), Wire.readTexts(in));
          default -> {
            if (beside.hasRemaining()) {
              FlowLoad load = RunProgress.read(in);
              List<RunProgress.Replica> its = RunProgress.replicas(report.worker(), load);
              replicas.put(report.worker(), its);
              edges.put(report.worker(), RunProgress.edges(report.worker(), load));
              told.put(report.worker(), RunProgress.readResults(in));
              if (team.heard(report.worker(), StepLog.readAnswers(in), its)) {
                perform(protocol.repeat());
              }
            }
          }
        }
      }
    }

    void perform(List<CoordinatorAct> acts) {
      acts.forEach(this::perform);
    }

    private void perform(CoordinatorAct act) {
      switch (act) {
        case CoordinatorAct.StartWorkers(Epoch epoch, int count) -> start(epoch, count);
        case CoordinatorAct.Send(int worker, Order order) -> {
          unsent.put(entry(order.epoch(), worker), order);
          sendUnsent();
        }
        case CoordinatorAct.Kill(Epoch epoch, int worker) -> host.kill(epoch, worker);
        case CoordinatorAct.StopWorkers(Epoch epoch) -> stop(epoch);
        case CoordinatorAct.Decide(Epoch epoch) -> decide(epoch);
        case CoordinatorAct.NameFor(Epoch epoch, int worker) ->
            perform(protocol.named(epoch, worker, host.nameFor(epoch, worker), System.nanoTime()));
        case CoordinatorAct.Over(Outcome how) -> {
          outcome = how;
          team.failed("the run is over");
        }
      }
    }

    private void start(Epoch epoch, int count) {
      Failure before = protocol.failureBefore();
      if (before != null) {
        LOG.log(
            System.Logger.Level.WARNING,
            "attempt {0} has failed, and the run is tried again: {1}",
            epoch.attempt() - 1,
            before.message());
      }
      team.failed("attempt %d has begun anew".formatted(epoch.attempt()));
      team = new RunTeam(launch.flow(), launch.limits().workers());
      replicas.clear();
      edges.clear();
      reaches.clear();
      told.clear();
      thrown.clear();
      try {
        host.start(epoch, count);
      } catch (IOException e) {
        String why = "the workers cannot be started: " + e.getMessage();
        perform(protocol.startFailed(epoch, why, System.nanoTime()));
      }
    }

    /// Ends the processes of an attempt that was given up, and deletes what they leave.
    private void stop(Epoch epoch) {
      host.stop(epoch);
      try {
        if (!sweep(epoch, END_PATIENCE)) {
          unswept.add(epoch);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /// Deletes what an attempt that was given up has left. Returns false if its workers have not
    /// ended meanwhile, which delete what is their own.
    private boolean sweep(Epoch epoch, Duration patience) throws InterruptedException {
      if (!host.awaitEnd(epoch, patience)) {
        return false;
      }
      for (int worker = 0; worker < launch.limits().workers(); worker++) {
        controls.remove(entry(epoch, worker));
        to.unmap(entry(epoch, worker));
      }
      try {
        folder.discard(epoch);
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "outputs of " + epoch + " cannot be deleted", e);
      }
      return true;
    }

    private void decide(Epoch epoch) {
      try {
        host.beforeDecision(epoch);
        folder.decide(epoch);
      } catch (Host.LostException e) {
        Failure failure =
            new Failure(Failure.Kind.SILENT, Failure.NO_WORKER, String.valueOf(e.getMessage()));
        perform(protocol.undecidable(epoch, failure, System.nanoTime()));
        return;
      } catch (IOException e) {
        String why = "the decision cannot be written to %s: %s".formatted(folder.path(), e);
        boolean isNone = !folder.isDecided();
        perform(protocol.notDecided(epoch, isNone, why, System.nanoTime()));
        return;
      }
      perform(protocol.decided(epoch, System.nanoTime()));
    }

    /// Returns a worker's place in the table of peers: another one in each attempt.
    int entry(Epoch epoch, int worker) {
      return (epoch.attempt() - 1) * launch.limits().workers() + worker;
    }

    private void sendUnsent() {
      unsent.entrySet().removeIf(each -> !controls.containsKey(each.getKey()) || isSent(each));
    }

    private boolean isSent(Map.Entry<Integer, Order> each) {
      int entry = each.getKey();
      Order order = each.getValue();
      if (!to.isMapped(entry)) {
        Duration most = Duration.ofNanos(launch.limits().hangNanos() / MAP_PART);
        int worker = entry % launch.limits().workers();
        String address = Objects.requireNonNull(controls.get(entry));
        String why =
            to.map(
                entry,
                address,
                Streams.workerName(order.epoch(), worker),
                launch.token(),
                most.compareTo(MAP_PATIENCE) < 0 ? most : MAP_PATIENCE);
        if (why != null) {
          LOG.log(System.Logger.Level.DEBUG, "worker {0} cannot be reached: {1}", worker, why);
          return true; // its next report asks for another
        }
      }
      boolean isFirst = order.step() instanceof Order.Step.Describe && !described.contains(entry);
      boolean isSent = to.send(entry, Frame.of(order, isFirst ? description : steps(entry, order)));
      if (isFirst && isSent) {
        described.add(entry);
      }
      return isSent;
    }
  }

  /// Returns the steps of changes that travel beside an order.
  private byte[] steps(int entry, Order order) {
    boolean runs =
        order.step() instanceof Order.Step.Run || order.step() instanceof Order.Step.Drain;
    List<StepLog.Numbered> open =
        runs && order.epoch().equals(protocol.epoch())
            ? team.open(entry % launch.limits().workers())
            : List.of();
    return open.isEmpty() ? NOTHING : Frame.bytes(out -> StepLog.write(out, open));
  }
}
