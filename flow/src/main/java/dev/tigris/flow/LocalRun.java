package dev.tigris.flow;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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
  /// How it ended before everything had come to its end.
  private sealed interface Outcome {
    record Failed(FlowException exception) implements Outcome {}

    record Cancelled() implements Outcome {}
  }

  /// A stream with its place in the graph.
  private record Placed(
      Stream stream, String reservoir, String from, int fromReplica, String to, int toReplica) {}

  private final Flow flow;
  private final SplittableRandom random;
  private final List<Placed> streams = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Placed, Outlet> outletOf = new HashMap<>();
  private final CountDownLatch ready;
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger running;
  private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
  private final long startedNanos = System.nanoTime();
  private volatile long endedNanos;
  private volatile boolean stopping;

  LocalRun(Flow flow) {
    this.flow = flow;
    this.random = new SplittableRandom(flow.seed());
    int replicas = flow.stages().stream().mapToInt(Flow.Stage::replicas).sum();
    this.ready = new CountDownLatch(replicas);
    this.running = new AtomicInteger(replicas);
  }

  LocalRun start() {
    if (!wire()) {
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
          ended(workers.get(never));
        }
        break;
      }
    }
    return this;
  }

  // -- Wiring.

  private boolean wire() {
    Map<String, List<List<Inlet.Input>>> inputs = new HashMap<>();
    Map<String, List<List<Outlet>>> outlets = new HashMap<>();
    Map<String, List<Parker>> parkers = new HashMap<>();
    for (Flow.Stage stage : flow.stages()) {
      inputs.put(stage.name(), lists(stage.replicas()));
      outlets.put(stage.name(), lists(stage.replicas()));
      List<Parker> own = new ArrayList<>();
      for (int i = 0; i < stage.replicas(); i++) {
        own.add(new Parker());
      }
      parkers.put(stage.name(), own);
    }
    Wiring wiring = new Wiring(inputs, outlets, parkers);
    for (Flow.Edge edge : flow.edges()) {
      if (!connect(edge, wiring)) {
        return false;
      }
    }
    for (Flow.Feed feed : flow.feeds()) {
      if (!feed(feed, wiring)) {
        return false;
      }
    }
    for (Flow.Drain drain : flow.drains()) {
      if (!drain(drain, wiring)) {
        return false;
      }
    }
    for (Flow.Stage stage : flow.stages()) {
      for (int i = 0; i < stage.replicas(); i++) {
        workers.add(
            new Worker(
                this,
                stage,
                i,
                wiring.parkers(stage.name()).get(i),
                new Inlet(wiring.inputs(stage.name()).get(i)),
                wiring.outlets(stage.name()).get(i),
                random.split()));
      }
    }
    return true;
  }

  /// What belongs to each replica of each stage, while the graph is put together.
  private record Wiring(
      Map<String, List<List<Inlet.Input>>> allInputs,
      Map<String, List<List<Outlet>>> allOutlets,
      Map<String, List<Parker>> allParkers) {
    List<List<Inlet.Input>> inputs(String stage) {
      return of(allInputs, stage);
    }

    List<List<Outlet>> outlets(String stage) {
      return of(allOutlets, stage);
    }

    List<Parker> parkers(String stage) {
      return of(allParkers, stage);
    }

    private static <T> T of(Map<String, T> map, String stage) {
      T found = map.get(stage);
      if (found == null) {
        throw new IllegalStateException("no stage " + stage);
      }
      return found;
    }
  }

  private static <T> List<List<T>> lists(int count) {
    List<List<T>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  private boolean connect(Flow.Edge edge, Wiring wiring) {
    Reservoir reservoir = edge.reservoir();
    int senders = flow.stage(edge.from()).replicas();
    int receivers = flow.stage(edge.to()).replicas();
    for (int s = 0; s < senders; s++) {
      List<Placed> row = new ArrayList<>();
      for (int r = 0; r < receivers; r++) {
        String name = "%s[%d]->%s[%d]".formatted(edge.from(), s, edge.to(), r);
        if (!edge.name().equals(edge.to())) {
          name = name + ":" + edge.name();
        }
        Placed placed =
            open(
                reservoir.kind(),
                new StreamKind.Place(name, reservoir.window()),
                new Location(edge.name(), edge.from(), s, edge.to(), r));
        if (placed == null) {
          return false;
        }
        placed.stream().sender(wiring.parkers(edge.from()).get(s));
        placed.stream().receiver(wiring.parkers(edge.to()).get(r));
        wiring.inputs(edge.to()).get(r).add(new Inlet.Input(placed.stream(), edge.from()));
        row.add(placed);
      }
      addOutlet(edge.name(), row, reservoir, wiring.outlets(edge.from()).get(s));
    }
    return true;
  }

  private boolean feed(Flow.Feed feed, Wiring wiring) {
    int replicas = flow.stage(feed.stage()).replicas();
    for (int i = 0; i < feed.kinds().size(); i++) {
      int replica = i % replicas;
      Placed placed =
          open(
              feed.kinds().get(i),
              new StreamKind.Place(
                  "feed[%d]->%s[%d]".formatted(i, feed.stage(), replica), Reservoir.DEFAULT_WINDOW),
              new Location("feed", "feed", i, feed.stage(), replica));
      if (placed == null) {
        return false;
      }
      placed.stream().receiver(wiring.parkers(feed.stage()).get(replica));
      wiring.inputs(feed.stage()).get(replica).add(new Inlet.Input(placed.stream(), "feed"));
    }
    return true;
  }

  private boolean drain(Flow.Drain drain, Wiring wiring) {
    int replicas = flow.stage(drain.stage()).replicas();
    List<List<Placed>> rows = lists(replicas);
    for (int i = 0; i < drain.kinds().size(); i++) {
      int replica = i % replicas;
      Placed placed =
          open(
              drain.kinds().get(i),
              new StreamKind.Place(
                  "%s[%d]->%s[%d]".formatted(drain.stage(), replica, drain.name(), i),
                  drain.reservoir().window()),
              new Location(drain.name(), drain.stage(), replica, drain.name(), i));
      if (placed == null) {
        return false;
      }
      placed.stream().sender(wiring.parkers(drain.stage()).get(replica));
      rows.get(replica).add(placed);
    }
    for (int i = 0; i < replicas; i++) {
      addOutlet(drain.name(), rows.get(i), drain.reservoir(), wiring.outlets(drain.stage()).get(i));
    }
    return true;
  }

  private void addOutlet(String name, List<Placed> row, Reservoir reservoir, List<Outlet> outlets) {
    Outlet outlet =
        new Outlet(
            name, row.stream().map(Placed::stream).toList(), reservoir.policy(), random.split());
    row.forEach(placed -> outletOf.put(placed, outlet));
    outlets.add(outlet);
  }

  private record Location(
      String reservoir, String from, int fromReplica, String to, int toReplica) {}

  private @Nullable Placed open(StreamKind kind, StreamKind.Place place, Location at) {
    try {
      Stream stream = kind.open(place);
      if (flow.checksums()) {
        stream.useChecksums();
      }
      Placed placed =
          new Placed(stream, at.reservoir(), at.from(), at.fromReplica(), at.to(), at.toReplica());
      streams.add(placed);
      return placed;
    } catch (IOException | RuntimeException e) {
      boolean isFeed = at.reservoir().equals("feed");
      outcome.compareAndSet(
          null,
          new Outcome.Failed(
              new FlowException(
                  flow.name(),
                  isFeed ? at.to() : at.from(),
                  isFeed ? at.toReplica() : at.fromReplica(),
                  "opening stream " + place.name(),
                  e)));
      return null;
    }
  }

  // -- For the workers.

  Flow flow() {
    return flow;
  }

  /// A module has been through its `init`, or will not be.
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
  void ended(Worker worker) {
    if (running.decrementAndGet() == 0) {
      close();
    }
  }

  private void close() {
    for (Placed placed : streams) {
      try {
        if (placed.stream().isStopped()) {
          placed.stream().drop();
        }
        placed.stream().close(outcome.get() == null);
      } catch (RuntimeException e) {
        decide(
            new Outcome.Failed(
                new FlowException(
                    flow.name(),
                    placed.from(),
                    placed.fromReplica(),
                    "closing stream " + placed.stream().name(),
                    e)));
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
    switch (outcome.get()) {
      case null -> {}
      case Outcome.Failed(FlowException exception) -> throw exception;
      case Outcome.Cancelled() ->
          throw new CancellationException("flow " + flow.name() + " was cancelled");
    }
  }

  @Override
  public void cancel() {
    if (!isDone()) {
      decide(new Outcome.Cancelled());
    }
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
          case null -> done ? FlowSnapshot.State.DONE : FlowSnapshot.State.RUNNING;
          case Outcome.Failed failed -> FlowSnapshot.State.FAILED;
          case Outcome.Cancelled cancelled -> FlowSnapshot.State.CANCELLED;
        };
    return new FlowSnapshot(
        flow.name(),
        state,
        (done ? endedNanos : System.nanoTime()) - startedNanos,
        workers.stream().map(Worker::snapshot).toList(),
        streams.stream()
            .map(
                placed ->
                    new FlowSnapshot.Channel(
                        placed.stream().name(),
                        placed.reservoir(),
                        placed.from(),
                        placed.fromReplica(),
                        placed.to(),
                        placed.toReplica(),
                        placed.stream().window(),
                        placed.stream().counters()))
            .toList());
  }
}
