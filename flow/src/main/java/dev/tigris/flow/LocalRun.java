// Over 400 lines: the one life of a flow, from its first operation to its outcome.
package dev.tigris.flow;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The modules and streams of a flow in this JVM: gives each module a thread, hands on the
/// operations on it, and clears up when the last of them has ended.
///
/// The first thing that goes wrong decides the outcome; the rest is suppressed in it. The thread
/// that notices it stops everything: it raises the flag, ends the waits and interrupts the threads.
/// The last thread to end closes the streams, so nothing is closed while a thread may use it.
///
/// ```
/// over = no worker runs, and none is created any more, as it is sealed or stopping
/// ```
final class LocalRun implements HeldEngine {
  /// How it ended.
  private sealed interface Outcome {
    /// Everything has come to its end; from then on it is too late to cancel.
    record Complete() implements Outcome {}

    record Failed(FlowException exception) implements Outcome {}

    record Cancelled(CancellationException exception) implements Outcome {}
  }

  private static final Outcome COMPLETE = new Outcome.Complete();

  // Made early, since there may be no memory left when they are called.
  private final Consumer<Stream> prepare = this::prepare;
  private final Consumer<Stream> publish = LocalRun::publish;
  private final Consumer<Stream> drop = LocalRun::drop;

  /// Changed under this object's lock: guests join it.
  private volatile Flow flow;
  private final StreamTable streams;
  private final EdgeLooks looks;
  private final WorkerTable workers;
  private final ResultTable results = new ResultTable();
  private final TapTable taps;
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Farewell> farewells = new CopyOnWriteArrayList<>();

  /// Runs farewells, in an engine without threads.
  private Executor apart = Runnable::run;

  /// Decides on the outputs; null if the end of the modules does.
  private final @Nullable OutputOwner owner;

  /// Counted down when the owner may decide, or need not any more.
  private final CountDownLatch undecided = new CountDownLatch(1);

  /// The lock of the streams after the modules' end: one thread prepares or closes them.
  private final Object closingLock = new Object();

  // Under this object's lock.
  private @Nullable FlowGraph graph;
  private int running;
  private boolean sealed;
  private boolean closing;

  /// Changed under this object's lock. A flow may fail because no memory is left, and a lock takes
  /// none; an atomic reference takes some to be linked, when it is first used.
  private volatile @Nullable Outcome outcome;

  /// The outcome when there is no memory left to make another: a flow that failed and could not say
  /// so must not end well.
  private final Outcome.Failed lastResort;

  private final long startedNanos = System.nanoTime();
  private volatile long endedNanos;
  private volatile boolean stopping;
  private volatile boolean draining;
  private volatile @Nullable Resizer resizer;

  /// Makes an engine without modules.
  ///
  /// @param others null if each module has a thread; else what is called while a module waits in
  ///     one of its calls, and lets others go on
  /// @param owner decides on the outputs; null if the end of the modules does
  LocalRun(Flow flow, @Nullable Runnable others, @Nullable OutputOwner owner) {
    this.flow = flow;
    this.owner = owner;
    this.lastResort = new Outcome.Failed(new FlowException(flow.name()));
    this.streams = new StreamTable(this::flow, owner);
    this.looks = new EdgeLooks(streams);
    this.taps = new TapTable(this::flow);
    this.workers = new WorkerTable(this, flow, others);
  }

  // -- Operations.

  /// Applies a plan, all of whose modules are created when this returns.
  LocalRun apply(Plan plan) {
    plan.applyTo(this);
    seal();
    return this;
  }

  /// A plan could not be applied to its end.
  void failed(Throwable thrown) {
    if (decideIf(null, lastResort)) {
      lastResort.exception().tell("", 0, FlowException.Phase.START, thrown);
    }
    stop();
  }

  @Override
  public CompletableFuture<Answer> apply(Operation operation) {
    return switch (operation) {
      case Operation.CreateModule(Operation.End module) ->
          CompletableFuture.completedFuture(create(module, false));
      case Operation.CreateStream create -> {
        streams.create(create);
        yield CompletableFuture.completedFuture(Answer.APPLIED);
      }
      case Operation.OnModule on -> {
        refuseWrongEnd(on);
        if (stopping && !workers.has(on.module())) {
          yield CompletableFuture.completedFuture(Answer.ENDED); // so was the one that creates it
        }
        yield ask(workers.find(on.module()), on);
      }
    };
  }

  @Override
  public CompletableFuture<Answer> apply(Resizing.Step step, FlowPart part) {
    Operation.End module = step.module();
    Resizing.Link link = step.link();
    return switch (step.kind()) {
      case ADD -> CompletableFuture.completedFuture(create(module, true));
      case RESERVE -> apply(new Operation.ReserveInputs(module));
      case SEAL -> apply(new Operation.SealInputs(module));
      case REQUIRE -> apply(new Operation.RequireSenders(module));
      case INITIALIZE -> apply(new Operation.Initialize(module));
      case START -> apply(new Operation.Start(module));
      case DROP -> apply(new Operation.Drop(module));
      case ATTACH_INPUT -> apply(new Operation.AttachInput(module, made(link, part)));
      case ATTACH_OUTPUT -> apply(new Operation.AttachOutput(module, made(link, part)));
      case END_OUTPUT ->
          apply(new Operation.EndOutput(module, Objects.requireNonNull(link).name()));
    };
  }

  /// Makes a stream, unless the step on its other end has, and returns its name.
  private String made(Resizing.@Nullable Link link, FlowPart part) {
    Resizing.Link its = Objects.requireNonNull(link);
    if (!streams.has(its.name())) {
      for (Flow.Edge edge : flow.edges()) {
        if (edge.name().equals(its.reservoir())
            && edge.from().equals(its.from().name())
            && edge.to().equals(its.to().name())) {
          streams.create(Plan.stream(flow, part, edge, its));
        }
      }
    }
    return its.name();
  }

  @Override
  public CompletableFuture<Void> resize(String stage, int replicas) {
    return resizer().resize(stage, replicas);
  }

  @Override
  public CompletableFuture<Void> join(Guest guest, FlowPart streams) {
    return resizer().join(guest, streams);
  }

  @Override
  public CompletableFuture<Void> leave(Guest guest) {
    return resizer().leave(guest);
  }

  @Override
  public synchronized FlowGraph graph() {
    FlowGraph known = graph;
    if (known == null) {
      known = flow.graph();
      graph = known;
    }
    return known;
  }

  @Override
  public synchronized void meet(Guest guest) {
    flow = flow.with(guest);
    graph = graph == null ? null : graph.grown(flow);
  }

  private Resizer resizer() {
    Resizer its;
    synchronized (this) {
      its = resizer;
      if (its == null) {
        its = new Resizer(this, flow);
        resizer = its;
        for (Worker each : workers.list()) { // those that end from now on tell it
          if (each.snapshot().isEnded()) {
            its.ended(each.end());
          }
        }
      }
    }
    return its;
  }

  @Override
  public CompletableFuture<Void> tap(Tap tap) {
    taps.refuseUnknown(tap);
    String name;
    List<Worker> present;
    synchronized (this) {
      if (stopping || closing) {
        return CompletableFuture.failedFuture(
            new IllegalStateException("flow %s has ended".formatted(flow.name())));
      }
      name = taps.add(tap);
      present = List.copyOf(workers.list()); // those that come later are told in create
    }
    return CompletableFuture.allOf(
        present.stream()
            .filter(each -> taps.feeds(each.end(), tap))
            .map(each -> ask(each, new Operation.AttachTap(each.end(), name)))
            .toArray(CompletableFuture[]::new));
  }

  private static CompletableFuture<Answer> ask(Worker worker, Operation.OnModule operation) {
    Request request = new Request(operation, new CompletableFuture<>());
    worker.ask(request);
    return request.answer();
  }

  TapTable taps() {
    return taps;
  }

  @Override
  public List<Operation.End> waitsFor() {
    Resizer its = resizer;
    return its == null ? List.of() : its.waitsFor();
  }

  /// A module has ended.
  void left(Operation.End module) {
    Resizer its = resizer;
    if (its != null) {
      its.ended(module);
    }
  }

  private void refuseWrongEnd(Operation.OnModule operation) {
    Operation.End is =
        switch (operation) {
          case Operation.AttachInput(_, String stream) -> streams.find(stream).made().to();
          case Operation.AttachOutput(_, String stream) -> streams.find(stream).made().from();
          case Operation.EndOutput(_, String stream) -> streams.find(stream).made().from();
          default -> operation.module();
        };
    if (!is.equals(operation.module())) {
      throw new IllegalArgumentException(
          "%s: at that end of the stream is %s".formatted(operation, is));
    }
  }

  private Answer create(Operation.End module, boolean mayBeLate) {
    Worker worker;
    List<String> tappedBy;
    synchronized (this) {
      Flow.Stage stage = workers.stageOfNew(module);
      boolean isOver = mayBeLate ? running == 0 : sealed;
      if (stopping || closing || isOver) {
        return Answer.ENDED;
      }
      worker = workers.add(stage, module);
      tappedBy = taps.of(module);
      running++;
    }
    for (String each : tappedBy) { // before it puts anything
      CompletableFuture<Answer> _ = ask(worker, new Operation.AttachTap(module, each));
    }
    start(worker);
    if (draining) {
      endFeeds(worker);
    }
    return Answer.APPLIED;
  }

  private static void endFeeds(Worker worker) {
    CompletableFuture<Answer> _ = ask(worker, new Operation.EndFeeds(worker.end()));
  }

  private void start(Worker worker) {
    Thread thread = worker.thread();
    if (thread == null) {
      return;
    }
    thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    try {
      thread.start();
    } catch (Throwable e) {
      failed(worker, FlowException.Phase.START, e);
      worker.neverStarted();
    }
  }

  @Override
  public void seal() {
    synchronized (this) {
      sealed = true;
    }
    closeIfOver();
  }

  WorkerTable workers() {
    return workers;
  }

  /// Has farewells run elsewhere. Before the first operation.
  void runApart(Executor by) {
    apart = by;
  }

  StreamTable streams() {
    return streams;
  }

  // -- Streams that no module uses here.

  /// Notes that the module at one end of a stream has ended before the stream was attached there.
  /// If another process has the other end, that is told: the flow is not over before.
  void abandon(String name, boolean asReceiver) {
    StreamTable.Placed placed = streams.find(name);
    if (!streams.abandon(placed, asReceiver)) {
      return;
    }
    var farewell = new Farewell(this, placed, asReceiver);
    synchronized (this) {
      if (stopping || closing) {
        return;
      }
      running++;
      farewells.add(farewell);
    }
    if (workers.haveThreads()) {
      farewell.start();
    } else {
      apart.execute(farewell);
    }
  }

  // -- For the workers.

  ModuleResults results(Operation.End module) {
    return results.of(module);
  }

  Flow flow() {
    return flow;
  }

  boolean isStopping() {
    return stopping;
  }

  /// A stream could not be opened.
  void failed(FlowException exception) {
    Throwable cause = exception.getCause();
    if (!stopping || cause == null || !Worker.isEcho(cause)) {
      decide(new Outcome.Failed(exception));
    }
  }

  /// A module has thrown.
  void failed(Worker worker, FlowException.Phase phase, Throwable thrown) {
    try {
      if (stopping && Worker.isEcho(thrown)) { // which asks it for its cause, and that may throw
        return;
      }
      FlowException exception =
          new FlowException(flow.name(), worker.end().name(), worker.end().index(), phase, thrown);
      decide(new Outcome.Failed(exception));
    } catch (Throwable e) {
      if (decideIf(null, lastResort)) {
        lastResort.exception().tell(worker.end().name(), worker.end().index(), phase, thrown);
      }
      stop();
    }
  }

  /// A stream could not be ended in order.
  void failed(StreamTable.Placed placed, Throwable thrown) {
    if (!(stopping && Worker.isEcho(thrown))) {
      decide(new Outcome.Failed(exception(placed, FlowException.Phase.END, thrown)));
    }
  }

  private FlowException exception(
      StreamTable.Placed placed, FlowException.Phase phase, Throwable thrown) {
    return FlowException.of(flow.name(), placed.module(), phase, placed.made().name(), thrown);
  }

  private void decide(Outcome decided) {
    if (decideIf(null, decided)) {
      stop();
    } else if (decided instanceof Outcome.Failed(FlowException other)) {
      switch (outcome) {
        case Outcome.Failed(FlowException first) -> first.addSuppressed(other);
        case Outcome.Cancelled(CancellationException first) -> first.addSuppressed(other);
        case null, default -> {} // it is too late to fail
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very outcome is meant
  private synchronized boolean decideIf(@Nullable Outcome known, Outcome decided) {
    boolean isKnown = outcome == known;
    if (isKnown) {
      outcome = decided;
    }
    return isKnown;
  }

  private void stop() {
    synchronized (this) {
      stopping = true; // no worker comes after those that are told now
    }
    Resizer its = resizer;
    if (its != null) {
      its.failed(new CancellationException("flow " + flow.name() + " was stopped"));
    }
    for (int i = 0; i < workers.count(); i++) {
      workers.get(i).stop();
    }
    for (int i = 0; i < farewells.size(); i++) { // an iterator may find no memory
      farewells.get(i).stop();
    }
    closeIfOver();
  }

  /// A worker has ended; the last one clears up.
  void ended() {
    synchronized (this) {
      running--;
    }
    closeIfOver();
  }

  private void closeIfOver() {
    synchronized (this) {
      if (closing || running > 0 || !(sealed || stopping)) {
        return;
      }
      undecided.countDown();
      if (owner != null && outcome == null) {
        return; // until it says what becomes of the outputs
      }
      closing = true;
    }
    synchronized (closingLock) {
      close();
    }
  }

  /// Prepares all outputs, and then publishes all of them, whatever happens to one.
  private void close() {
    decideIf(null, COMPLETE);
    try {
      forEachStream(prepare);
      forEachStream(isComplete() ? publish : drop);
    } finally {
      taps.over(isComplete());
      endedNanos = System.nanoTime();
      over.countDown();
    }
  }

  private static void publish(Stream stream) {
    stream.dispose(true);
  }

  private static void drop(Stream stream) {
    stream.dispose(false);
  }

  private void prepare(Stream stream) {
    if (isDone()) {
      return; // the failure of one has closed all
    }
    if (stream.isStopped()) {
      stream.drop();
    }
    if (outcome == null || isComplete()) {
      stream.prepare();
    }
  }

  @Override
  public void awaitModules() throws FlowException, InterruptedException {
    refuseModules();
    undecided.await();
    if (outcome != null) {
      over.await();
      conclude();
    }
  }

  @Override
  public void prepare() throws FlowException {
    refuseIfRunning();
    synchronized (closingLock) {
      if (outcome == null) {
        forEachStream(prepare); // a failure closes all of them
      }
    }
    throwIfNotComplete();
  }

  @Override
  public void publish() throws FlowException {
    prepare();
    decideIf(null, COMPLETE);
    synchronized (closingLock) { // so that a second call returns after the first
      closeIfOver();
    }
    throwIfNotComplete();
  }

  private void refuseIfRunning() {
    if (undecided.getCount() > 0) {
      throw new IllegalStateException(
          "modules of flow %s run: call awaitModules() first".formatted(flow.name()));
    }
  }

  private boolean isComplete() {
    return outcome instanceof Outcome.Complete;
  }

  private void forEachStream(Consumer<Stream> action) {
    for (int i = 0; i < streams.count(); i++) {
      StreamTable.Placed placed = streams.get(i);
      Stream stream = placed.stream();
      if (stream == null) {
        continue;
      }
      try {
        action.accept(stream);
      } catch (Throwable e) { // a kind of stream may be anybody's, and others are to be closed
        failedToClose(placed, e);
      }
    }
  }

  private void failedToClose(StreamTable.Placed placed, Throwable thrown) {
    Operation.End module = placed.module();
    try {
      Outcome failed = new Outcome.Failed(exception(placed, FlowException.Phase.CLOSE, thrown));
      if (!decideIf(COMPLETE, failed)) {
        decide(failed);
      }
    } catch (Throwable e) {
      if (decideIf(COMPLETE, lastResort)) {
        lastResort
            .exception()
            .tell(module.name(), module.index(), FlowException.Phase.CLOSE, thrown);
      }
    }
  }

  // -- For everybody.

  /// A module would wait for its own end.
  private void refuseModules() {
    if (workers.isModule(Thread.currentThread())) {
      throw new IllegalStateException(
          "a module of flow %s waits for the end of its own flow, which would never come: wait in another thread"
              .formatted(flow.name()));
    }
  }

  @Override
  public void await() throws FlowException, InterruptedException {
    refuseModules();
    over.await();
    conclude();
  }

  @Override
  public boolean await(Duration timeout) throws FlowException, InterruptedException {
    refuseModules();
    if (!over.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS)) {
      return false;
    }
    conclude();
    return true;
  }

  private void conclude() throws FlowException, InterruptedException {
    workers.join();
    throwIfNotComplete();
  }

  private void throwIfNotComplete() throws FlowException {
    switch (outcome) {
      case Outcome.Failed(FlowException exception) -> throw exception.here();
      case Outcome.Cancelled(CancellationException exception) -> throw here(exception);
      case null, default -> {}
    }
  }

  /// Returns a copy as [FlowException#here] does. Its cause has the stack trace of the call that
  /// cancelled.
  private static CancellationException here(CancellationException cancelled) {
    var same = new CancellationException(cancelled.getMessage());
    same.initCause(cancelled);
    for (Throwable each : cancelled.getSuppressed()) {
      same.addSuppressed(each);
    }
    return same;
  }

  @Override
  public void cancel() {
    decide(
        new Outcome.Cancelled(new CancellationException("flow " + flow.name() + " was cancelled")));
  }

  @Override
  public void drain() {
    draining = true; // partner of the read in create: a worker is told here, there, or twice
    workers.list().forEach(LocalRun::endFeeds);
  }

  @Override
  public boolean isDone() {
    return over.getCount() == 0;
  }

  @Override
  public @Nullable FlowException failure() {
    return outcome instanceof Outcome.Failed(FlowException exception) ? exception.here() : null;
  }

  private FlowSnapshot.State state(boolean done) {
    return switch (outcome) {
      case null -> FlowSnapshot.State.RUNNING;
      case Outcome.Complete() -> done ? FlowSnapshot.State.DONE : FlowSnapshot.State.RUNNING;
      case Outcome.Failed failed -> FlowSnapshot.State.FAILED;
      case Outcome.Cancelled cancelled -> FlowSnapshot.State.CANCELLED;
    };
  }

  @Override
  public Results results() {
    return results.results();
  }

  @Override
  public String toString() {
    return "FlowRun[%s, %s]".formatted(flow.name(), state(isDone()));
  }

  @Override
  public FlowSnapshot snapshot() {
    boolean done = isDone();
    return new FlowSnapshot(
        flow.name(),
        state(done),
        (done ? endedNanos : System.nanoTime()) - startedNanos,
        workers.list().stream().map(Worker::snapshot).toList(),
        streams.list().stream().map(StreamTable.Placed::snapshot).toList());
  }

  @Override
  public FlowLoad load() {
    return looks.look(workers.list());
  }
}
