package dev.tigris.verify.simulator;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.SteppedEngine;
import dev.tigris.flow.Tap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/// A simulation of a flow that changes while it runs: stages are resized, reservoirs are tapped,
/// and guests take part. It has the engine, streams and taps that ship, on one thread, in an order
/// that follows from a seed.
///
/// ```
///   reads [2] ==> works [2..] ==> ends [2..]     resized at any moment, one change at a time
///             ==>   guests    ==>                join, leave, fail and end at any moment
///             :               :
///            taps            taps                attached, read and closed at any moment
/// ```
///
/// Between any two of its steps, modules end early or fail, a stream loses an end, and the flow is
/// drained or cancelled. [EngineModules] checks that no water is lost, doubled or reordered, and
/// [TapLedger] that taps have their copies. Here is checked that each change has an answer, that a
/// stage has the size it was given, and that a flow which has lost something has failed.
public final class GrowthSimulation {
  private static final int MOST_TURNS = 100_000;

  /// The most replicas of a stage.
  private static final int MOST = 5;

  private static final int MOST_GUESTS = 3;

  /// The stages, and those of guests, so that each gives to later ones only.
  private static final List<String> RANKS =
      List.of("reads", "works.taken", "helps", "works", "ends.given", "ends");

  /// The outcome of a simulation that has kept all promises.
  ///
  /// @param state how the flow ended
  /// @param collected how many waters reached their end
  /// @param resized how many changes were made
  /// @param refused how many came too late, or while another went on
  /// @param copies how many waters the readers of taps have taken
  /// @param leftOut how many waters taps have left out, as far as is known
  /// @param guests how many guests have taken part
  public record Result(
      FlowSnapshot.State state,
      long collected,
      long resized,
      long refused,
      long copies,
      long leftOut,
      long guests) {}

  private record Change(String stage, int count, CompletableFuture<Void> answer) {}

  private final SplittableRandom random;
  private final EngineModules modules;
  private final SteppedEngine stepped;
  private final List<TapLedger> taps = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();
  private final List<SimulatedGuest> guests = new ArrayList<>();
  private final ArrayDeque<End> waiting = new ArrayDeque<>();
  private int turns;

  /// Whether a stage may have fewer replicas than it was given.
  private boolean mayEndEarly;

  private GrowthSimulation(long seed) {
    random = new SplittableRandom(seed);
    modules = new EngineModules(random.split(), EngineModules.BYTES, 100);
    Flow flow =
        Flow.named("growing")
            .seed(seed)
            .source("reads", modules::read, 2)
            .reservoir(reservoir())
            .stage("works", modules::work, 2)
            .reservoir(reservoir())
            .stage("ends", modules::end, 2)
            .build();
    stepped = SteppedEngine.of(flow);
    stepped.whenWaiting(this::whileWaiting);
    if (random.nextBoolean()) {
      attach(true);
    }
    stepped.start();
  }

  /// Runs a simulation.
  ///
  /// @throws AssertionError if a promise was broken
  public static Result run(long seed) {
    return new GrowthSimulation(seed).run();
  }

  private Reservoir reservoir() {
    Reservoir chosen =
        switch (random.nextInt(4)) {
          case 0 -> Reservoir.roundRobin();
          case 1 -> Reservoir.random();
          case 2 -> Reservoir.lottery();
          default -> Reservoir.leastOutstanding();
        };
    Reservoir narrow = chosen.withWindow(random.nextInt(1, 5));
    return random.nextInt(3) > 0 ? narrow : narrow.withKind(modules.wires());
  }

  private Result run() {
    for (int left = random.nextInt(50, 600); left > 0 && !stepped.engine().isDone(); left--) {
      turn(0);
    }
    modules.calm();
    while (!stepped.engine().isDone() || !guests.stream().allMatch(SimulatedGuest::isOver)) {
      turn(0);
    }
    return conclude();
  }

  // -- Turns.

  private void turn(int lowest) {
    if (++turns > MOST_TURNS) {
      throw modules.violated(
          "no end after %d turns: %s go on, a change waits for %s"
              .formatted(turns, stepped.modules(), stepped.engine().waitsFor()));
    }
    boolean isCalm = modules.isCalm();
    switch (random.nextInt(isCalm ? 4 : 64)) {
      case 0, 32, 33, 34, 35 -> read();
      case 4, 5, 6 -> resize();
      case 7 -> attach(false);
      case 8 -> anyTap().ifPresent(TapLedger::close);
      case 9 -> trouble();
      case 10 -> invite();
      case 11 -> anyGuest().ifPresent(SimulatedGuest::drain);
      case 1, 12, 13, 14, 15, 16, 17, 18, 19 -> stepGuest(lowest);
      default -> step(lowest);
    }
  }

  private void step(int lowest) {
    List<End> ready =
        stepped.modules().stream()
            .filter(module -> rank(module) >= lowest && !waiting.contains(module))
            .toList();
    if (!ready.isEmpty()) {
      boolean _ = stepped.step(any(ready));
    }
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static int rank(End module) {
    return RANKS.indexOf(module.name());
  }

  private void invite() {
    if (guests.size() < MOST_GUESTS && !stepped.engine().isDone()) {
      guests.add(
          new SimulatedGuest(stepped, modules, guests.size(), random.split(), this::whileWaiting));
    }
  }

  private Optional<SimulatedGuest> anyGuest() {
    return guests.isEmpty() ? Optional.empty() : Optional.of(any(guests));
  }

  /// Lets a guest begin, or its module make a step. One that waits in a call rests.
  private void stepGuest(int lowest) {
    if (lowest > RANKS.indexOf("helps")) {
      return;
    }
    anyGuest()
        .filter(guest -> !guest.isWaiting())
        .ifPresent(
            guest -> {
              guest.begin(random.nextInt(16) == 0, random.nextInt(8) == 0);
              guest.step();
            });
  }

  /// A module waits in a call for modules behind it, or for the reader of a tap. So those before it
  /// rest: one that waited on top of it could keep it from going on.
  private void whileWaiting(End module) {
    waiting.push(module);
    try {
      turn(rank(module));
    } finally {
      waiting.pop();
    }
  }

  private void trouble() {
    switch (random.nextInt(16)) {
      case 0 -> modules.fail();
      case 1 -> modules.lose();
      case 2 -> {
        modules.cancel();
        stepped.engine().cancel();
      }
      case 3 -> stepped.engine().drain();
      case 4, 5, 6 -> {
        mayEndEarly = true;
        modules.endEarly();
      }
      default -> {}
    }
  }

  // -- Changes and taps.

  private void resize() {
    String stage = EngineSimulation.STAGES.get(random.nextInt(1, EngineSimulation.STAGES.size()));
    int count = random.nextInt(1, MOST + 1);
    List<End> its = working(stage);
    for (End each : its.subList(Math.min(count, its.size()), its.size())) {
      modules.mayLeave(each); // if this change is made, these are the ones that leave
    }
    CompletableFuture<Void> answer = stepped.engine().resize(stage, count);
    changes.add(new Change(stage, count, answer));
    CompletableFuture<?> _ = answer.thenRun(() -> checkSize(stage, count));
  }

  private void checkSize(String stage, int count) {
    int is = working(stage).size();
    boolean isShort = mayEndEarly && is < count;
    if (is != count && !isShort) {
      throw modules.violated("%s was to have %d replicas, and has %d".formatted(stage, count, is));
    }
  }

  private List<End> working(String stage) {
    return stepped.modules().stream().filter(module -> module.name().equals(stage)).toList();
  }

  private void attach(boolean isWhole) {
    boolean blocks = random.nextBoolean();
    boolean isGranted = !blocks && random.nextBoolean();
    int bytes = random.nextInt(EngineModules.BYTES, 200);
    Tap.Terms terms = new Tap.Terms(bytes, random.nextInt(1, 5), blocks, isGranted);
    String reservoir = random.nextBoolean() ? "works" : "ends";
    TapLedger made = new TapLedger(modules, reservoir, terms, isWhole);
    if (!stepped.engine().tap(made.tap).isCompletedExceptionally()) { // else the flow is over
      taps.add(made);
    }
  }

  private Optional<TapLedger> anyTap() {
    return taps.isEmpty() ? Optional.empty() : Optional.of(any(taps));
  }

  private void read() {
    anyTap()
        .ifPresent(
            tap -> {
              if (random.nextBoolean()) {
                tap.tap.grant(random.nextInt(4));
              }
              boolean _ = tap.read();
            });
  }

  // -- The end.

  private Result conclude() {
    FlowSnapshot snapshot = stepped.engine().snapshot();
    modules.check(snapshot);
    modules.checkOutcome(stepped.engine(), snapshot);
    guests.forEach(SimulatedGuest::conclude);
    boolean isWell = snapshot.state() == FlowSnapshot.State.DONE;
    for (TapLedger each : taps) {
      while (each.read()) {}
      each.check(isWell, sent(snapshot, each.tap.reservoir()));
    }
    long refused = changes.stream().filter(GrowthSimulation::isRefused).count();
    return new Result(
        snapshot.state(),
        modules.collected(),
        changes.size() - refused,
        refused,
        taps.stream().mapToLong(TapLedger::copies).sum(),
        taps.stream().mapToLong(each -> each.tap.leftOut()).sum(),
        guests.stream().filter(SimulatedGuest::hasTakenPart).count());
  }

  private static long sent(FlowSnapshot snapshot, String reservoir) {
    return snapshot.streams().stream()
        .filter(stream -> stream.reservoir().equals(reservoir))
        .mapToLong(stream -> stream.counters().waters())
        .sum();
  }

  private static boolean isRefused(Change change) {
    if (!change.answer().isDone()) {
      throw new AssertionError(change + " has no answer");
    }
    if (!change.answer().isCompletedExceptionally()) {
      return false;
    }
    if (change.answer().isCancelled()) {
      return true; // by the end of the flow
    }
    Throwable why = change.answer().exceptionNow();
    String text = String.valueOf(why.getMessage());
    boolean isExpected =
        text.startsWith("too late: ")
            || text.endsWith(" has ended")
            || text.endsWith(": those before it have ended")
            || text.equals("the flow is being stopped")
            || text.contains(" is being resized: ")
            || text.startsWith("a guest joins or leaves ");
    if (!isExpected) {
      throw new AssertionError(change + " was refused", why);
    }
    return true;
  }
}
