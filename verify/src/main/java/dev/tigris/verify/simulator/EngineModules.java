// Over 400 lines: the modules of two simulations, and all that must hold of them.
package dev.tigris.verify.simulator;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.FlowEngine;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamCounters;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The modules of an [EngineSimulation], and what they check. A water carries a number of its own,
/// and which module has put it, as its how manieth:
///
/// ```
///   0        8        16       24
///   +--------+--------+--------+
///   | number | sender | count  |
///   +--------+--------+--------+
/// ```
///
/// A number that reaches its end twice, a water that comes before one that was put earlier on its
/// stream, and a call that comes at the wrong time are violations.
final class EngineModules {
  static final int BYTES = 3 * Long.BYTES;

  private final SplittableRandom random;
  private final List<SimulatedWire> wires = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final Set<Long> collected = new HashSet<>();
  private final IllegalArgumentException planned =
      new IllegalArgumentException("a planned failure");
  private final IOException cut = new IOException("the wire was cut");
  private long made;
  private long senders;

  /// How many numbers were in the hands of modules that ended early.
  private long abandoned;

  private final int[] sizes;

  /// The modules whose outputs may have ended, by names such as `reads[0]`.
  private final Set<String> ended = new HashSet<>();

  /// The modules whose inputs may have ended, by such names.
  private final Set<String> leaving = new HashSet<>();

  private boolean calm;
  private boolean cancelled;

  /// The stage at which the next call goes wrong, empty for any; null if none does.
  private @Nullable String failsNext;

  private @Nullable String endsNext;
  private boolean hasFailed;
  private boolean hasLost;

  /// @param sizes of which one is chosen for each water, at least [#BYTES]
  EngineModules(SplittableRandom random, int... sizes) {
    this.random = random;
    this.sizes = sizes;
  }

  // -- What goes wrong.

  /// Lets the next call of a module fail.
  void fail() {
    fail("");
  }

  /// Lets the next call of a module of a stage fail.
  void fail(String stage) {
    failsNext = stage;
  }

  /// Lets the next call of a module end it.
  void endEarly() {
    endsNext = "";
  }

  /// Lets the next call of a module of a stage end it.
  void endEarly(String stage) {
    endsNext = stage;
  }

  /// Notes that a module was told to end outputs of its own.
  void mayEnd(Operation.End module) {
    ended.add(module.toString());
  }

  /// Notes that a module of this name may have ended its outputs.
  void mayEnd(String module) {
    ended.add(module);
  }

  /// Returns the cause by which an engine loses a stream to another one, of which one has failed.
  IOException cut() {
    return cut;
  }

  /// Checks that the engine of a guest has ended in a way for which there is a cause: its own, or
  /// the end of the flow in which it took part.
  void checkOutcomeOfGuest(FlowEngine engine) {
    FlowException failure = engine.failure();
    if (failure != null) {
      Throwable cause = failure.getCause();
      boolean isPlanned = hasFailed && planned.equals(cause);
      boolean isLost = cause instanceof StreamException && cut.equals(cause.getCause());
      if (!isPlanned && !isLost) {
        throw new AssertionError("a guest has failed with a cause that was not planned", failure);
      }
    }
  }

  /// Notes that the senders of a module may be told to end their outputs to it.
  void mayLeave(Operation.End module) {
    leaving.add(module.toString());
  }

  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /// Cuts a stream that is in use.
  void lose() {
    List<SimulatedWire> inUse = wires.stream().filter(SimulatedWire::isInUse).toList();
    if (!inUse.isEmpty()) {
      hasLost = true;
      inUse.get(random.nextInt(inUse.size())).cut(cut);
    }
  }

  /// Nothing goes wrong from now on, and no source makes more.
  void calm() {
    calm = true;
    failsNext = null;
    endsNext = null;
  }

  boolean isCalm() {
    return calm;
  }

  StreamKind wire(String name) {
    return place -> {
      require(name.equals(place.name()), () -> "%s was opened as %s".formatted(name, place.name()));
      return open(place);
    };
  }

  /// Returns the kind of streams of any name that can be cut.
  StreamKind wires() {
    return this::open;
  }

  private SimulatedWire open(StreamKind.Place place) {
    SimulatedWire wire = new SimulatedWire(place);
    wires.add(wire);
    return wire;
  }

  /// Notes that a promise was broken, which may be thrown into a module.
  AssertionError violated(String promise) {
    violations.add(promise);
    return new AssertionError(promise);
  }

  private void require(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      violations.add(otherwise.get());
    }
  }

  // -- The modules.

  Source read() {
    return new Reader();
  }

  Module work() {
    return new Worker(true);
  }

  Module end() {
    return new Worker(false);
  }

  /// The life of a module: the order of its calls, and how it puts.
  private abstract class Life {
    private final long sender = senders++;
    private long count;
    private boolean isFinished;
    private boolean isDestroyed;
    private @Nullable ModuleContext context;

    void begin(ModuleContext its) {
      require(context == null, () -> "init was called twice");
      context = its;
    }

    ModuleContext context() {
      ModuleContext its = context;
      if (its == null) {
        throw new IllegalStateException("no init was called");
      }
      return its;
    }

    /// Begins a call, which may be the one to go wrong.
    void call() {
      require(
          !isFinished && !isDestroyed,
          () -> "%s was called after its end".formatted(context().stage()));
      if (isMeant(failsNext)) {
        failsNext = null;
        hasFailed = true;
        throw planned;
      }
      if (isMeant(endsNext)) {
        endsNext = null;
        mayEnd();
        throw new EndOfStreamException();
      }
    }

    private boolean isMeant(@Nullable String stage) {
      return stage != null && (stage.isEmpty() || stage.equals(context().stage()));
    }

    private void mayEnd() {
      ended.add(name());
    }

    final String name() {
      return new Operation.End(context().stage(), context().replica()).toString();
    }

    void put(Stream out, long number) {
      Water water = out.spring().createWater(sizes[random.nextInt(sizes.length)]);
      water.bytes().setLong(0, number);
      water.bytes().setLong(8, sender);
      water.bytes().setLong(16, count++);
      out.put(water);
    }

    void finish() {
      require(
          !isFinished && !isDestroyed, () -> "%s has finished twice".formatted(context().stage()));
      isFinished = true;
      mayEnd();
    }

    void end() {
      require(!isDestroyed, () -> "%s was destroyed twice".formatted(context().stage()));
      isDestroyed = true;
      if (!context().isStopping()) { // else it has failed, or was cancelled: that is no end
        mayEnd();
      }
    }
  }

  private final class Reader extends Life implements Source {
    private int left = random.nextInt(1, 80);

    @Override
    public void init(ModuleContext context) {
      begin(context);
    }

    @Override
    public boolean produce(Stream out) {
      call();
      for (int i = random.nextInt(4); i > 0 && left > 0 && !calm; i--) {
        left--;
        long number = made++;
        abandoned++;
        put(out, number);
        abandoned--;
      }
      return left > 0 && !calm;
    }

    @Override
    public void finish(Stream out) {
      finish();
    }

    @Override
    public void destroy() {
      end();
    }
  }

  /// Takes waters, and puts them on later or, at the end of the flow, collects them.
  private final class Worker extends Life implements Module {
    private final boolean putsOn;
    private final ArrayDeque<Long> held = new ArrayDeque<>();
    private final Map<String, long[]> seen = new HashMap<>();

    Worker(boolean putsOn) {
      this.putsOn = putsOn;
    }

    @Override
    public void init(ModuleContext context) {
      begin(context);
    }

    @Override
    public void process(Water in, Stream out) {
      abandoned++;
      checkOrder(in);
      call();
      long number = in.bytes().getLong(0);
      if (!putsOn) {
        require(collected.add(number), () -> "water %d has come twice".formatted(number));
        abandoned--;
        return;
      }
      held.add(number);
      if (random.nextBoolean()) {
        putHeld(out, random.nextInt(1, 6));
      }
    }

    private void checkOrder(Water in) {
      Stream input = context().input();
      long sender = in.bytes().getLong(8);
      long count = in.bytes().getLong(16);
      boolean isMixed = input.name().startsWith("taken"); // by the module that stands for a guest
      String key = isMixed ? input.name() + sender : input.name();
      long[] last = seen.computeIfAbsent(key, _ -> new long[] {-1, -1});
      require(last[0] < 0 || last[0] == sender, () -> "a stream has two senders");
      require(
          count > last[1], () -> "water %d of %d came after %d".formatted(count, sender, last[1]));
      last[0] = sender;
      last[1] = count;
    }

    private void putHeld(Stream out, int most) {
      for (int i = 0; i < most && !held.isEmpty(); i++) {
        put(out, held.removeFirst());
        abandoned--;
      }
    }

    @Override
    public void finish(Stream out) {
      for (Stream input : context().inputs()) {
        boolean isOver = input.isStopped() || (input.isDrained() && input.failure() == null);
        require(
            isOver,
            () -> "%s finished, though %s goes on".formatted(context().stage(), input.name()));
        String sender = input.name().substring(0, input.name().indexOf("->"));
        require(
            input.isStopped() || ended.contains(sender) || leaving.contains(name()),
            () -> "%s ended, though %s has not".formatted(input.name(), sender));
      }
      finish();
      if (putsOn) {
        putHeld(out, Integer.MAX_VALUE);
      }
    }

    @Override
    public void destroy() {
      end();
    }
  }

  // -- Checks at the end.

  long collected() {
    return collected.size();
  }

  void check(FlowSnapshot snapshot) {
    long allDiscarded = 0;
    for (FlowSnapshot.Channel channel : snapshot.streams()) {
      StreamCounters counters = channel.counters();
      allDiscarded += counters.discards().onTheirWay() + counters.discards().afterTheEnd();
      if (snapshot.state() == FlowSnapshot.State.DONE) {
        check(channel.name(), counters, counters.taken());
      }
    }
    if (snapshot.state() == FlowSnapshot.State.DONE) {
      checkAll(allDiscarded);
    }
    checkViolations();
  }

  /// Checks the counters of a stream, both ends of which have ended well.
  ///
  /// @param counters those of its sender
  /// @param taken how many waters its receiver has taken
  void check(String stream, StreamCounters counters, long taken) {
    long found = taken + counters.discards().onTheirWay();
    require(
        counters.waters() == found,
        () ->
            "%s: %d were sent, and %d taken or dropped"
                .formatted(stream, counters.waters(), found));
    require(counters.outstanding() == 0, () -> "%s: not all are finished".formatted(stream));
  }

  /// Checks that each water has gone one way.
  void checkAll(long discarded) {
    require(
        made == collected.size() + discarded + abandoned,
        () ->
            "%d waters were made, %d collected, %d discarded, %d in the hands of who ended"
                .formatted(made, collected.size(), discarded, abandoned));
  }

  void checkViolations() {
    if (!violations.isEmpty()) {
      throw new AssertionError(String.join("; ", violations));
    }
  }

  /// Checks that an engine in one process has ended in a way for which there is a cause.
  void checkOutcome(FlowEngine engine, FlowSnapshot snapshot) {
    switch (snapshot.state()) {
      case DONE -> checkNothingWentWrong();
      case FAILED -> checkCause(engine.failure());
      case CANCELLED -> {
        if (!cancelled) {
          throw new AssertionError(
              "the flow was cancelled, though the simulation did not ask for it");
        }
      }
      case RUNNING -> throw new AssertionError("over, and still running");
    }
    try {
      engine.await();
    } catch (FlowException | CancellationException | EndOfStreamException expected) {
      // It was checked above.
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// A flow that ends well has lost nothing.
  private void checkNothingWentWrong() {
    if (hasFailed || hasLost || cancelled) {
      throw new AssertionError(
          "ended well, though failed: %s, lost: %s, cancelled: %s"
              .formatted(hasFailed, hasLost, cancelled));
    }
  }

  private void checkCause(@Nullable FlowException failure) {
    Throwable cause = failure == null ? null : failure.getCause();
    boolean isPlanned = hasFailed && planned.equals(cause);
    boolean isLost =
        (hasLost || hasFailed) && cause instanceof StreamException && cut.equals(cause.getCause());
    if (!isPlanned && !isLost) {
      throw new AssertionError("the flow failed with a cause that was not planned", failure);
    }
  }

  /// A process fails by a failure of its own, or because it has lost another one.
  void checkCauseBetweenProcesses(@Nullable FlowException failure) {
    Throwable cause = failure == null ? null : failure.getCause();
    boolean isPlanned = hasFailed && planned.equals(cause);
    if (!isPlanned && !(cause instanceof StreamException) && !(cause instanceof IOException)) {
      throw new AssertionError("a process has failed with a cause that was not planned", failure);
    }
  }
}
