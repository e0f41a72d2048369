package dev.tigris.flow;

import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Runs one replica of one stage, on a thread of its own: takes a water from the input whose turn
/// it is, lets the policy of the outgoing reservoir choose a stream, and calls the module (papers
/// 002, figure 3).
///
/// ```
///   make -> init -> (all are ready) -> { wait for input; wait for a choice; process }* -> finish
///        -> end the outputs, stop the inputs -> destroy
/// ```
///
/// The choice comes before the water is taken, so a module that cannot send leaves its input where
/// it is, and its senders see that. A module with one balanced reservoir waits for it before each
/// call; one with several waits for each when it first asks for it.
final class Worker implements Runnable, ModuleContext {
  private static final int CALLS = 0;
  private static final int SERVICE_NANOS = 1;
  private static final int INPUT_WAIT_NANOS = 2;
  private static final int CREDIT_WAIT_NANOS = 3;
  private static final int ENDED = 4;

  /// One call in so many is timed, as long as calls are shorter than [#LONG_CALL_NANOS]; longer
  /// ones all are. Reading the clock twice for each call would cost more than handing over a water.
  private static final int TIMED_EVERY = 16;

  private static final long LONG_CALL_NANOS = 20_000;

  /// Over how many timed calls the service time is averaged.
  private static final int SERVICE_MEMORY = 8;

  private final LocalRun run;
  private final Flow.Stage stage;
  private final int replica;
  private final Parker parker;
  private final Inlet inlet;
  private final List<Outlet> outlets;
  private final RandomGenerator random;
  private final Interrupts interrupts = new Interrupts();
  private final Counters counters = new Counters(5);

  /// The reservoir for which the engine chooses before each call; null if there is not exactly one.
  private final @Nullable Outlet balanced;

  /// What the module gets as its outgoing stream when nothing is chosen.
  private final Stream fallback;

  private @Nullable Module module;
  private @Nullable Source source;
  private String phase = "its constructor";
  private @Nullable String from;
  private int seenStops;

  Worker(
      LocalRun run,
      Flow.Stage stage,
      int replica,
      Parker parker,
      Inlet inlet,
      List<Outlet> outlets,
      SplittableRandom random) {
    this.run = run;
    this.stage = stage;
    this.replica = replica;
    this.parker = parker;
    this.inlet = inlet;
    this.outlets = List.copyOf(outlets);
    this.random = random;
    Outlet only = outlets.size() == 1 ? outlets.getFirst() : null;
    this.balanced = only != null && !only.isRouted() ? only : null;
    this.fallback =
        only != null && only.isRouted() && only.routes() == 1
            ? only.route(0)
            : new ClosedStream(label() + "->", advice(outlets));
  }

  private String advice(List<Outlet> reservoirs) {
    if (reservoirs.isEmpty()) {
      return "stage " + stage.name() + " has no reservoir to put waters in: connect or drain it";
    }
    if (reservoirs.size() == 1) {
      return "the reservoir of stage %s is routed: put on context.route(index)"
          .formatted(stage.name());
    }
    return "stage %s has %d reservoirs: put on context.output(name), or route(name, index)"
        .formatted(stage.name(), reservoirs.size());
  }

  String label() {
    return stage.name() + "[" + replica + "]";
  }

  Parker parker() {
    return parker;
  }

  Interrupts interrupts() {
    return interrupts;
  }

  // -- Its life.

  @Override
  public void run() {
    boolean mustDestroy = false;
    try {
      make();
      phase = "init";
      mustDestroy = true;
      try {
        init();
      } finally {
        run.isReady();
      }
      run.awaitReady();
      boolean early = source != null ? produceAll() : processAll();
      if (!early) {
        phase = "finish";
        finish();
      }
    } catch (EndOfStreamException e) {
      // An early end: no finish.
    } catch (Throwable e) {
      run.failed(this, phase, e);
    } finally {
      end(mustDestroy);
      run.ended(this);
    }
  }

  private void make() {
    Object made = stage.maker().get();
    if (stage.isSource() && made instanceof Source one) {
      source = one;
    } else if (!stage.isSource() && made instanceof Module one) {
      module = one;
    } else {
      throw new IllegalStateException("the supplier of stage " + stage.name() + " gave " + made);
    }
  }

  private void init() throws Exception {
    if (source != null) {
      source.init(this);
    } else if (module != null) {
      module.init(this);
    }
  }

  /// Ends the streams, so that others can end, and then the module.
  private void end(boolean mustDestroy) {
    from = null;
    try {
      if (!run.isStopping()) {
        outlets.forEach(Outlet::end);
        inlet.stop();
      }
    } catch (Throwable e) {
      run.failed(this, "the end of its streams", e);
    }
    interrupts.close();
    if (mustDestroy) {
      try {
        if (source != null) {
          source.destroy();
        } else if (module != null) {
          module.destroy();
        }
      } catch (Throwable e) {
        run.failed(this, "destroy", e);
      }
    }
    module = null;
    source = null;
    counters.set(ENDED, 1);
  }

  /// Says whether it ended early.
  private boolean produceAll() throws Exception {
    Source producer = source;
    if (producer == null) {
      throw new IllegalStateException("no source");
    }
    phase = "produce";
    boolean more = true;
    while (more) {
      run.refuseWhenStopping();
      if (haveConsumersEnded()) {
        return true;
      }
      beginCall();
      Stream out = awaitOut();
      if (out == null) {
        return true;
      }
      long started = startClock();
      more = producer.produce(out);
      stopClock(started);
    }
    return haveConsumersEnded();
  }

  /// Says whether it ended early.
  private boolean processAll() throws Exception {
    Module processor = module;
    if (processor == null) {
      throw new IllegalStateException("no module");
    }
    phase = "process";
    while (true) {
      run.refuseWhenStopping();
      if (haveConsumersEnded()) {
        return true;
      }
      Inlet.Input input = inlet.ready();
      if (input == null) {
        if (inlet.isDrained()) {
          return false;
        }
        awaitInput();
        continue;
      }
      beginCall();
      Stream out = awaitOut();
      if (out == null) {
        return true;
      }
      call(processor, input, out);
      inlet.advance();
    }
  }

  private void call(Module processor, Inlet.Input input, Stream out) throws Exception {
    Stream stream = input.stream();
    long settled = stream.settled();
    Water water = stream.poll();
    if (water == null) {
      return;
    }
    from = input.from();
    try {
      long started = startClock();
      processor.process(water, out);
      stopClock(started);
    } finally {
      if (stream.settled() == settled) {
        water.release();
      }
    }
  }

  private void finish() throws Exception {
    beginCall();
    Stream out = awaitOut();
    if (out == null) {
      return;
    }
    from = null;
    if (source != null) {
      source.finish(out);
    } else if (module != null) {
      module.finish(out);
    }
  }

  // -- Waiting and choosing.

  private void beginCall() {
    for (Outlet outlet : outlets) {
      outlet.begin();
    }
  }

  private void awaitInput() {
    long before = parker.waitedNanos();
    try {
      parker.await(
          () -> inlet.ready() != null || inlet.isDrained() || parker.stops() != seenStops,
          "input of stage " + stage.name());
    } finally {
      counters.add(INPUT_WAIT_NANOS, parker.waitedNanos() - before);
    }
  }

  /// The stream for this call; null if there will be none any more.
  private @Nullable Stream awaitOut() {
    Outlet outlet = balanced;
    return outlet == null ? fallback : awaitChoice(outlet);
  }

  private @Nullable Stream awaitChoice(Outlet outlet) {
    if (!outlet.tryChoose()) {
      long before = parker.waitedNanos();
      try {
        parker.await(outlet::tryChoose, "credit in reservoir " + outlet.name());
      } finally {
        counters.add(CREDIT_WAIT_NANOS, parker.waitedNanos() - before);
      }
    }
    return outlet.chosen();
  }

  /// Whether this module has consumers and all of them have ended. Looks only when another one has.
  private boolean haveConsumersEnded() {
    int stops = parker.stops();
    if (stops == seenStops) {
      return false;
    }
    seenStops = stops;
    return outlets.stream().noneMatch(Outlet::isAnyOpen);
  }

  // -- The clock.

  /// When the call started, less what was waited before; 0 if it is not timed.
  private long startClock() {
    if (counters.get(CALLS) % TIMED_EVERY != 0 && counters.get(SERVICE_NANOS) < LONG_CALL_NANOS) {
      return 0;
    }
    return System.nanoTime() + parker.waitedNanos();
  }

  private void stopClock(long started) {
    counters.add(CALLS, 1);
    if (started != 0) {
      long nanos = Math.max(1, System.nanoTime() - parker.waitedNanos() - started);
      long known = counters.get(SERVICE_NANOS);
      long average = known == 0 ? nanos : known + (nanos - known) / SERVICE_MEMORY;
      counters.set(SERVICE_NANOS, average);
    }
  }

  // -- What others see.

  FlowSnapshot.Replica snapshot() {
    return new FlowSnapshot.Replica(
        stage.name(),
        replica,
        counters.get(CALLS),
        counters.get(SERVICE_NANOS),
        counters.get(INPUT_WAIT_NANOS),
        counters.get(CREDIT_WAIT_NANOS),
        counters.get(ENDED) != 0);
  }

  @Override
  public String flow() {
    return run.flow().name();
  }

  @Override
  public String stage() {
    return stage.name();
  }

  @Override
  public int replica() {
    return replica;
  }

  @Override
  public int replicas() {
    return stage.replicas();
  }

  @Override
  public String from() {
    String current = from;
    if (current == null) {
      throw new IllegalStateException("only process() has an input that comes from somewhere");
    }
    return current;
  }

  @Override
  public List<Stream> inputs() {
    return inlet.streams();
  }

  @Override
  public Stream output(String reservoir) {
    Outlet outlet = outlet(reservoir);
    if (outlet.isRouted()) {
      throw new IllegalArgumentException(
          "reservoir %s of stage %s is routed: use route(\"%s\", index)"
              .formatted(reservoir, stage.name(), reservoir));
    }
    Stream stream = awaitChoice(outlet);
    if (stream != null) {
      return stream;
    }
    if (outlet.isAnyOpen()) {
      throw new EndOfStreamException("the policy of reservoir " + reservoir + " says so");
    }
    return outlet.route(0);
  }

  @Override
  public Stream route(int index) {
    return only().route(index);
  }

  @Override
  public Stream route(String reservoir, int index) {
    return outlet(reservoir).route(index);
  }

  @Override
  public int routes() {
    return only().routes();
  }

  @Override
  public int routes(String reservoir) {
    return outlet(reservoir).routes();
  }

  @Override
  public boolean isStopping() {
    return run.isStopping();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  private Outlet only() {
    if (outlets.size() != 1) {
      throw new IllegalStateException(
          "stage %s has %d reservoirs: say which, of %s"
              .formatted(stage.name(), outlets.size(), names()));
    }
    return outlets.getFirst();
  }

  private Outlet outlet(String reservoir) {
    for (Outlet outlet : outlets) {
      if (outlet.name().equals(reservoir)) {
        return outlet;
      }
    }
    throw new IllegalArgumentException(
        "stage %s has no reservoir %s, only %s".formatted(stage.name(), reservoir, names()));
  }

  private List<String> names() {
    return outlets.stream().map(Outlet::name).toList();
  }

  /// Whether something thrown is only the echo of the flow's being stopped.
  static boolean isEcho(Throwable thrown) {
    return thrown instanceof CancellationException
        || thrown instanceof InterruptedException
        || thrown instanceof ClosedByInterruptException
        || thrown.getCause() instanceof InterruptedException
        || thrown.getCause() instanceof ClosedByInterruptException;
  }
}
