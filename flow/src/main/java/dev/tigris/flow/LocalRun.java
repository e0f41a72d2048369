package dev.tigris.flow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A flow that runs in this JVM: opens the streams, starts a thread for each replica, and clears up
/// when the last of them has ended.
///
/// The first thing that goes wrong decides the outcome; the rest is suppressed in it. The thread
/// that notices it stops everything: it raises the flag, ends the waits and interrupts the threads.
/// The last thread to end closes the streams, so nothing is closed while a thread may use it.
final class LocalRun implements FlowRun {
  /// How it ended.
  private sealed interface Outcome {
    /// Everything has come to its end; from then on it is too late to cancel.
    record Complete() implements Outcome {}

    record Failed(FlowException exception) implements Outcome {}

    record Cancelled(CancellationException exception) implements Outcome {}
  }

  private static final Outcome COMPLETE = new Outcome.Complete();

  private final Flow flow;
  private final Wiring wiring;
  private final List<Worker> workers;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch ready;
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger running;

  /// Changed under this object's lock. A flow may fail because no memory is left, and a lock takes
  /// none; an atomic reference takes some to be linked, when it is first used.
  private volatile @Nullable Outcome outcome;

  /// The outcome when there is no memory left to make another: a flow that failed and could not say
  /// so must not end well.
  private final Outcome.Failed lastResort;

  private final long startedNanos = System.nanoTime();
  private volatile long endedNanos;
  private volatile boolean stopping;

  LocalRun(Flow flow) {
    this.flow = flow;
    this.lastResort = new Outcome.Failed(new FlowException(flow.name()));
    this.wiring = new Wiring(this, flow);
    int replicas = flow.stages().stream().mapToInt(Flow.Stage::replicas).sum();
    this.ready = new CountDownLatch(replicas);
    this.running = new AtomicInteger(replicas);
    List<Worker> wired = List.of();
    try {
      wired = wiring.wire();
    } catch (FlowException e) {
      outcome = new Outcome.Failed(e);
    }
    this.workers = wired;
  }

  LocalRun start() {
    if (workers.isEmpty()) {
      close();
      return this;
    }
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (Worker worker : workers) {
      Thread thread =
          Thread.ofPlatform()
              .name("tigris-" + flow.name() + "-" + worker.stage() + "-" + worker.replica())
              .daemon(false)
              .unstarted(worker);
      thread.setContextClassLoader(loader);
      threads.add(thread);
    }
    for (int i = 0; i < threads.size(); i++) {
      try {
        threads.get(i).start();
      } catch (Throwable e) {
        failed(workers.get(i), FlowException.Phase.START, e);
        for (int never = i; never < threads.size(); never++) {
          ended();
        }
        break;
      }
    }
    return this;
  }

  // -- For the workers.

  Flow flow() {
    return flow;
  }

  /// A module has been through its `init`.
  void isReady() {
    ready.countDown();
  }

  /// Waits until all modules have been through their `init`.
  void awaitReady() throws InterruptedException {
    ready.await();
    refuseWhenStopping();
  }

  boolean isStopping() {
    return stopping;
  }

  void refuseWhenStopping() {
    if (stopping) {
      throw new CancellationException("the flow is being stopped");
    }
  }

  /// A module has thrown.
  void failed(Worker worker, FlowException.Phase phase, Throwable thrown) {
    try {
      if (stopping && Worker.isEcho(thrown)) { // which asks it for its cause, and that may throw
        return;
      }
      FlowException exception =
          new FlowException(flow.name(), worker.stage(), worker.replica(), phase, thrown);
      decide(new Outcome.Failed(exception));
    } catch (Throwable e) {
      if (decideIf(null, lastResort)) {
        lastResort.exception().tell(worker.stage(), worker.replica(), phase, thrown);
      }
      stop();
    }
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
    stopping = true;
    while (ready.getCount() > 0) {
      ready.countDown();
    }
    for (int i = 0; i < threads.size(); i++) {
      Worker worker = workers.get(i);
      worker.parker().stop();
      worker.interrupts().send(threads.get(i));
    }
  }

  /// A worker has ended; the last one clears up.
  void ended() {
    if (running.decrementAndGet() == 0) {
      close();
    }
  }

  private void close() {
    decideIf(null, COMPLETE);
    try {
      forEachStream(this::prepare);
      forEachStream(stream -> stream.dispose(isComplete()));
    } finally {
      endedNanos = System.nanoTime();
      over.countDown();
    }
  }

  private void prepare(Stream stream) {
    if (stream.isStopped()) {
      stream.drop();
    }
    if (isComplete()) {
      stream.prepare();
    }
  }

  private boolean isComplete() {
    return outcome instanceof Outcome.Complete;
  }

  private void forEachStream(Consumer<Stream> action) {
    for (Wiring.Placed placed : wiring.streams()) {
      try {
        action.accept(placed.stream());
      } catch (Throwable e) { // a kind of stream may be anybody's, and others are to be closed
        failedToClose(placed, e);
      }
    }
  }

  private void failedToClose(Wiring.Placed placed, Throwable thrown) {
    Wiring.End module = placed.module();
    try {
      Outcome failed =
          new Outcome.Failed(
              FlowException.of(
                  flow.name(), module, FlowException.Phase.CLOSE, placed.stream().name(), thrown));
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

  /// Returns whether a thread is a module's of this flow.
  boolean isModule(Thread thread) {
    return threads.contains(thread);
  }

  /// A module would wait for its own end.
  private void refuseModules() {
    if (isModule(Thread.currentThread())) {
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
    for (Thread thread : threads) {
      thread.join();
    }
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
        workers.stream().map(Worker::snapshot).toList(),
        wiring.streams().stream().map(Wiring.Placed::snapshot).toList());
  }
}
