package dev.tigris.flow;

import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// Runs one replica of one stage, on a thread of its own: finds the input whose turn it is, lets
/// the policy of the outgoing reservoir choose a stream, takes a water, and calls the module (Welsh
/// and Culler, 2000, figure 3).
///
/// ```
///   make -> init -> (all are ready) -> { wait for input; wait for a choice; process }* -> finish
///        -> end the outputs, stop the inputs -> destroy
/// ```
///
/// The choice comes before the water is taken, so a module that cannot send leaves its input where
/// it is, and its senders see that. A module with one balanced reservoir waits for it before each
/// call; one with several waits for each when it first asks for it.
final class Worker implements Runnable {
  private static final int CALLS = 0;
  private static final int SERVICE_NANOS = 1;
  private static final int ENDED = 2;
  private static final int COUNTERS = 3;

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
  private final Context context;
  private final Interrupts interrupts = new Interrupts();
  private final Counters counters = new Counters(COUNTERS);

  /// The reservoir that chooses for every call; null if there is not exactly one.
  private final @Nullable Outlet balanced;

  /// What the module gets as its outgoing stream when nothing is chosen.
  private final Stream fallback;

  private final Parker.Condition anyInput =
      new Parker.Condition() {
        @Override
        public boolean isMet() {
          return inlet.ready() != null || inlet.isDrained() || parker.stops() != seenStops;
        }

        @Override
        public String description() {
          return "input of stage " + stage.name();
        }
      };

  private FlowException.Phase phase = FlowException.Phase.CONSTRUCTOR;
  private int seenStops;

  Worker(LocalRun run, Flow.Stage stage, int replica, Parker parker, Inlet inlet, Context context) {
    this.run = run;
    this.stage = stage;
    this.replica = replica;
    this.parker = parker;
    this.inlet = inlet;
    this.context = context;
    this.balanced = context.balanced();
    this.fallback = context.fallback();
  }

  String stage() {
    return stage.name();
  }

  int replica() {
    return replica;
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
    Operator operator = null;
    parker.begin(
        "no water moves before all modules have been through init: wait in process or produce");
    try {
      try {
        operator = make();
        phase = FlowException.Phase.INIT;
        operator.init(context);
      } catch (EndOfStreamException e) {
        run.isReady();
        throw e;
      }
      // Not when it failed: stopping the flow counts for this module too, and by then the others
      // see that there is nothing to begin.
      run.isReady();
      run.awaitReady();
      parker.mayWait();
      if (work(operator)) {
        phase = FlowException.Phase.FINISH;
        finish(operator);
      }
    } catch (EndOfStreamException e) {
      // An early end: no finish.
    } catch (Throwable e) {
      run.failed(this, phase, e);
    } finally {
      try {
        end(operator);
      } finally {
        run.ended();
      }
    }
  }

  private Operator make() {
    Operator made = stage.maker().get();
    if (stage.isSource() ? made instanceof Source : made instanceof Module) {
      return made;
    }
    throw new IllegalStateException(
        "the supplier of stage %s returned %s: it must return a new %s"
            .formatted(stage.name(), made, stage.isSource() ? "Source" : "Module"));
  }

  /// Works until the regular end, and says true; or false for an early one.
  private boolean work(Operator operator) throws Exception {
    if (stage.isSource()) {
      phase = FlowException.Phase.PRODUCE;
      return produceAll((Source) operator);
    }
    phase = FlowException.Phase.PROCESS;
    return processAll((Module) operator);
  }

  private boolean produceAll(Source source) throws Exception {
    boolean more = true;
    while (more) {
      run.refuseWhenStopping();
      if (haveReceiversEnded()) {
        return false;
      }
      context.begin(null);
      Stream out = awaitOut();
      if (out == null) {
        return false;
      }
      long started = startClock();
      more = source.produce(out);
      stopClock(started);
    }
    return !haveReceiversEnded();
  }

  private boolean processAll(Module module) throws Exception {
    while (true) {
      run.refuseWhenStopping();
      if (haveReceiversEnded()) {
        return false;
      }
      Inlet.Input input = inlet.ready();
      if (input == null) {
        if (inlet.isDrained()) {
          return true;
        }
        parker.await(Parker.INPUT, anyInput);
        continue;
      }
      context.begin(input);
      Stream out = awaitOut();
      if (out == null) {
        return false;
      }
      process(module, input.stream(), out);
      inlet.advance();
    }
  }

  private void process(Module module, Stream input, Stream out) throws Exception {
    Water water = input.pollReady();
    if (water == null) {
      return;
    }
    long turn = input.beginTurn();
    try {
      long started = startClock();
      module.process(water, out);
      stopClock(started);
    } finally {
      if (input.isTurn(turn)) {
        water.release();
      }
    }
  }

  private void finish(Operator operator) throws Exception {
    context.begin(null);
    Stream out = awaitOut();
    if (out != null) {
      operator.finish(out);
    }
  }

  /// Ends the streams, so that others can end, and then the operator if there is one.
  private void end(@Nullable Operator operator) {
    try {
      if (!run.isStopping()) {
        context.endOutputs();
        inlet.stop();
      }
    } catch (Throwable e) {
      run.failed(this, FlowException.Phase.END, e);
    }
    interrupts.close();
    if (operator != null) {
      try {
        operator.destroy();
      } catch (Throwable e) {
        run.failed(this, FlowException.Phase.DESTROY, e);
      }
      // What destroy has left would cut short what the last thread writes as it closes the streams.
      interrupts.close();
    }
    counters.set(ENDED, 1);
  }

  // -- Waiting.

  /// Returns the stream for this call; null if there will be none any more.
  private @Nullable Stream awaitOut() {
    Outlet outlet = balanced;
    return outlet == null ? fallback : context.awaitChoice(outlet);
  }

  /// Returns whether this module has receivers and all of them have ended. Looks only when another
  /// one has.
  private boolean haveReceiversEnded() {
    int stops = parker.stops();
    if (stops == seenStops) {
      return false;
    }
    seenStops = stops;
    return context.haveAllReceiversEnded();
  }

  // -- The clock.

  /// Returns when the call starts, counting only the time that is not spent waiting; 0 if it is not
  /// timed.
  private long startClock() {
    if (counters.get(CALLS) % TIMED_EVERY != 0 && counters.get(SERVICE_NANOS) < LONG_CALL_NANOS) {
      return 0;
    }
    return System.nanoTime() - parker.waitedNanos();
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
        parker.waitedNanos(Parker.INPUT),
        parker.waitedNanos(Parker.CREDIT),
        counters.get(ENDED) != 0);
  }

  /// Returns whether something thrown is only the echo of the flow's being stopped.
  static boolean isEcho(Throwable thrown) {
    return thrown instanceof CancellationException
        || thrown instanceof InterruptedException
        || thrown instanceof ClosedByInterruptException
        || thrown.getCause() instanceof InterruptedException
        || thrown.getCause() instanceof ClosedByInterruptException;
  }
}
