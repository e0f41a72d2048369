package dev.tigris.flow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A flow that runs in this JVM: opens the streams, starts a thread for each replica, and clears up
/// when the last of them has ended.
///
/// The first thing that goes wrong decides the outcome; the rest is suppressed in it. Whoever
/// notices stops everything: the flag is raised, waits end, threads are interrupted. The last
/// thread to end closes the streams, so nothing is closed while a thread may use it.
final class LocalRun implements FlowRun {
  /// How it ended.
  private sealed interface Outcome {
    /// Everything has come to its end; from then on it is too late to cancel.
    record Complete() implements Outcome {}

    record Failed(FlowException exception) implements Outcome {}

    record Cancelled() implements Outcome {}
  }

  private static final Outcome COMPLETE = new Outcome.Complete();

  private final Flow flow;
  private final Wiring wiring;
  private final List<Worker> workers;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch ready;
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger running;
  private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
  private final long startedNanos = System.nanoTime();
  private volatile long endedNanos;
  private volatile boolean stopping;

  LocalRun(Flow flow) {
    this.flow = flow;
    this.wiring = new Wiring(this, flow);
    int replicas = flow.stages().stream().mapToInt(Flow.Stage::replicas).sum();
    this.ready = new CountDownLatch(replicas);
    this.running = new AtomicInteger(replicas);
    List<Worker> wired = List.of();
    try {
      wired = wiring.wire();
    } catch (FlowException e) {
      outcome.set(new Outcome.Failed(e));
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
        failed(workers.get(i), "the start of its thread", e);
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
  void failed(Worker worker, String phase, Throwable thrown) {
    if (stopping && Worker.isEcho(thrown)) {
      return;
    }
    FlowException exception =
        new FlowException(flow.name(), worker.stage(), worker.replica(), phase, thrown);
    decide(new Outcome.Failed(exception));
  }

  private void decide(Outcome decided) {
    if (outcome.compareAndSet(null, decided)) {
      stop();
    } else if (outcome.get() instanceof Outcome.Failed(FlowException first)
        && decided instanceof Outcome.Failed(FlowException other)) {
      first.addSuppressed(other);
    }
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
    outcome.compareAndSet(null, COMPLETE);
    for (Wiring.Placed placed : wiring.streams()) {
      try {
        if (placed.stream().isStopped()) {
          placed.stream().drop();
        }
        placed.stream().close(outcome.get() instanceof Outcome.Complete);
      } catch (Throwable e) { // a kind of stream may be anybody's, and others are to be closed
        Outcome failed = new Outcome.Failed(placed.failedToClose(flow.name(), e));
        if (!outcome.compareAndSet(COMPLETE, failed)) {
          decide(failed);
        }
      }
    }
    endedNanos = System.nanoTime();
    over.countDown();
  }

  // -- For everybody.

  @Override
  public void await() throws FlowException, InterruptedException {
    over.await();
    conclude();
  }

  @Override
  public boolean await(Duration timeout) throws FlowException, InterruptedException {
    if (!over.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
      return false;
    }
    conclude();
    return true;
  }

  private void conclude() throws FlowException, InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    Outcome decided = outcome.get();
    if (decided instanceof Outcome.Failed(FlowException exception)) {
      throw exception;
    }
    if (decided instanceof Outcome.Cancelled) {
      throw new CancellationException("flow " + flow.name() + " was cancelled");
    }
  }

  @Override
  public void cancel() {
    decide(new Outcome.Cancelled());
  }

  @Override
  public boolean isDone() {
    return over.getCount() == 0;
  }

  @Override
  public FlowSnapshot snapshot() {
    boolean done = isDone();
    FlowSnapshot.State state =
        switch (outcome.get()) {
          case null -> FlowSnapshot.State.RUNNING;
          case Outcome.Complete() -> done ? FlowSnapshot.State.DONE : FlowSnapshot.State.RUNNING;
          case Outcome.Failed failed -> FlowSnapshot.State.FAILED;
          case Outcome.Cancelled cancelled -> FlowSnapshot.State.CANCELLED;
        };
    return new FlowSnapshot(
        flow.name(),
        state,
        (done ? endedNanos : System.nanoTime()) - startedNanos,
        workers.stream().map(Worker::snapshot).toList(),
        wiring.streams().stream().map(Wiring.Placed::snapshot).toList());
  }
}
