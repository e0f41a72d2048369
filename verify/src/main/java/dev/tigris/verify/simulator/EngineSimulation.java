package dev.tigris.verify.simulator;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.SteppedEngine;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.policy.InputPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// A simulation of the engine of flows: the modules, streams, policies and operations that ship, on
/// one thread, in an order that follows from a seed.
///
/// ```
///   reads [0..] ==> works [0..] ==> ends [0..]      replicas come and go, in every stage
/// ```
///
/// *Scripts* of operations grow the flow and let parts of it go: each is a list in an order that a
/// coordinator might use, and scripts run beside each other. Between any two operations, modules
/// make steps. Where a module waits in a call, the modules behind it go on, and so do the scripts.
/// Now and then a module fails, a stream loses an end, or the flow is cancelled.
///
/// When the scripts are over, all input lists are sealed and all modules started, and then the flow
/// must come to its end. What was promised is checked on the way, by [EngineModules], and then
/// here: every operation has one answer, every water has gone exactly one way, and a flow that has
/// lost something has failed.
public final class EngineSimulation {
  /// The stages, in the order in which data goes.
  static final List<String> STAGES = List.of("reads", "works", "ends");

  /// How many turns without a move say that nothing will move by itself.
  private static final int STUCK = 300;

  /// Far more than any run needs.
  private static final int MOST_TURNS = 100_000;

  /// The outcome of a simulation that has kept all promises.
  ///
  /// @param state how the flow ended
  /// @param collected how many waters reached their end
  /// @param discarded how many were discarded, and counted
  /// @param rerouted how many puts have chosen again
  /// @param ended how many operations came too late
  public record Result(
      FlowSnapshot.State state, long collected, long discarded, long rerouted, long ended) {}

  private final SplittableRandom random;
  private final EngineModules modules;
  private final SteppedEngine stepped;
  private final Map<String, Integer> replicas = new HashMap<>();
  private final List<End> created = new ArrayList<>();

  /// The modules whose first reservation was taken back.
  private final Set<End> sealed = new HashSet<>();
  private final List<ArrayDeque<Operation>> scripts = new ArrayList<>();
  private final List<Asked> asked = new ArrayList<>();
  private final ArrayDeque<End> waiting = new ArrayDeque<>();
  private int streams;
  private int scriptsLeft;
  private int turns;

  /// At which turn something has moved last.
  private int movedAt;

  private EngineSimulation(long seed) {
    random = new SplittableRandom(seed);
    modules = new EngineModules(random.split(), EngineModules.BYTES);
    Flow.Builder builder =
        Flow.named("simulated")
            .seed(seed)
            .source("reads", modules::read)
            .reservoir(reservoir())
            .stage("works", modules::work)
            .inputs(inputs())
            .reservoir(reservoir())
            .stage("ends", modules::end)
            .inputs(inputs());
    stepped = SteppedEngine.of(builder.build());
    stepped.whenWaiting(this::whileWaiting);
    scriptsLeft = random.nextInt(4, 14);
  }

  /// Runs a simulation.
  ///
  /// @throws AssertionError if a promise was broken
  public static Result run(long seed) {
    return new EngineSimulation(seed).run();
  }

  private Reservoir reservoir() {
    return switch (random.nextInt(4)) {
      case 0 -> Reservoir.roundRobin();
      case 1 -> Reservoir.random();
      case 2 -> Reservoir.lottery();
      default -> Reservoir.leastOutstanding();
    };
  }

  private InputPolicy inputs() {
    return switch (random.nextInt(3)) {
      case 0 -> InputPolicy.roundRobin();
      case 1 -> InputPolicy.oldestFirst();
      default -> InputPolicy.byPriority("works", "reads");
    };
  }

  private Result run() {
    for (String stage : STAGES.reversed()) {
      grow(stage);
    }
    while (scriptsLeft > 0 || !scripts.isEmpty()) {
      turn(0);
    }
    comeToTheEnd();
    return conclude();
  }

  // -- Turns.

  /// Lets something happen: an operation, or a step of a module of at least that rank.
  private void turn(int lowest) {
    if (++turns > MOST_TURNS) {
      throw modules.violated("no end after %d turns".formatted(turns));
    }
    if (scriptsLeft > 0 && random.nextInt(20) == 0) {
      scriptsLeft--;
      write();
    }
    if (!scripts.isEmpty() && random.nextInt(3) == 0) {
      int index = random.nextInt(scripts.size());
      ArrayDeque<Operation> script = scripts.get(index);
      Operation next = script.pollFirst();
      if (next == null) {
        ArrayDeque<Operation> _ = scripts.remove(index);
      } else {
        apply(next);
      }
      movedAt = turns;
      return;
    }
    List<End> ready =
        stepped.modules().stream()
            .filter(module -> rank(module) >= lowest && !waiting.contains(module))
            .toList();
    if (!ready.isEmpty()) {
      if (stepped.step(ready.get(random.nextInt(ready.size())))) {
        movedAt = turns;
      }
    }
    if (turns - movedAt > STUCK && scriptsLeft == 0 && scripts.isEmpty()) {
      dropOneWithoutReceiver();
      movedAt = turns;
    }
  }

  private static int rank(End module) {
    return STAGES.indexOf(module.name());
  }

  /// A module waits in a call for modules behind it. So those before it rest: one that waited on
  /// top of it could keep it from going on.
  private void whileWaiting(End module) {
    waiting.push(module);
    try {
      turn(rank(module));
    } finally {
      waiting.pop();
    }
  }

  private void apply(Operation operation) {
    if (operation instanceof Operation.OnModule on && Asked.mayEndOutputs(on)) {
      modules.mayEnd(on.module());
    }
    try {
      asked.add(new Asked(operation, stepped.engine().apply(operation)));
    } catch (IllegalArgumentException e) {
      // Its module or its stream was not made, since the flow is being stopped.
      if (stepped.engine().failure() == null && !modules.isCancelled()) {
        throw e;
      }
    }
  }

  // -- Scripts.

  private void write() {
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3, 4 -> grow(STAGES.get(random.nextInt(STAGES.size())));
      case 5, 6 -> leave();
      case 7 -> any(module -> script(new Operation.Stop(module)));
      case 8 -> any(module -> script(new Operation.Drop(module)));
      case 9 -> modules.endEarly();
      case 10 -> {
        if (random.nextInt(4) == 0) {
          modules.lose();
        }
      }
      default -> {
        if (random.nextInt(8) == 0) {
          modules.fail();
        } else if (random.nextInt(8) == 0 && !stepped.engine().isDone()) {
          modules.cancel();
          stepped.engine().cancel();
        }
      }
    }
  }

  private void any(Consumer<End> action) {
    if (!created.isEmpty()) {
      action.accept(created.get(random.nextInt(created.size())));
    }
  }

  private void script(Operation... operations) {
    scripts.add(new ArrayDeque<>(List.of(operations)));
  }

  /// A replica comes: with streams to and from all others, of which some may have ended.
  private void grow(String stage) {
    End module = new End(stage, replicas.merge(stage, 1, Integer::sum) - 1);
    apply(new Operation.CreateModule(module));
    List<Operation> inputs = new ArrayList<>();
    List<Operation> outputs = new ArrayList<>();
    for (End other : created) {
      if (rank(other) == rank(module) - 1) {
        String name = create(other, module);
        attach(module, name, inputs);
        outputs.add(new Operation.AttachOutput(other, name));
      } else if (rank(other) == rank(module) + 1) {
        String name = create(module, other);
        attach(other, name, inputs);
        outputs.add(new Operation.AttachOutput(module, name));
      }
    }
    created.add(module);
    List<Operation> life = List.of(new Operation.Initialize(module), new Operation.Start(module));
    ArrayDeque<Operation> script = new ArrayDeque<>();
    switch (random.nextInt(3)) {
      case 0 -> { // as one should
        script.addAll(inputs);
        script.addAll(life);
        script.addAll(outputs);
      }
      case 1 -> { // the sending end first
        script.addAll(outputs);
        script.addAll(life);
        script.addAll(inputs);
      }
      default -> { // at once
        scripts.add(new ArrayDeque<>(life));
        scripts.add(new ArrayDeque<>(outputs));
        script.addAll(inputs);
      }
    }
    scripts.add(script);
  }

  /// Another script may seal the list meanwhile.
  private static void attach(End receiver, String stream, List<Operation> inputs) {
    inputs.add(new Operation.ReserveInputs(receiver));
    inputs.add(new Operation.AttachInput(receiver, stream));
    inputs.add(new Operation.SealInputs(receiver));
  }

  private String create(End from, End to) {
    String name = from + "->" + to;
    StreamKind kind =
        random.nextInt(3) == 0 ? modules.wire(name) : StreamKind.memory().withWindow(window());
    apply(
        new Operation.CreateStream(
            name, streams++, Operation.Use.RESERVOIR, to.name(), from, to, kind, window()));
    return name;
  }

  private int window() {
    return random.nextInt(1, 5);
  }

  /// A receiver leaves without a loss: its senders end their outputs to it. They may have ended, or
  /// not have been told of it yet.
  private void leave() {
    any(
        module -> {
          if (rank(module) > 0) {
            ArrayDeque<Operation> script = new ArrayDeque<>();
            for (End other : created) {
              if (rank(other) == rank(module) - 1) {
                script.add(new Operation.EndOutput(other, other + "->" + module));
              }
            }
            if (sealed.add(module)) {
              script.add(new Operation.SealInputs(module));
            }
            scripts.add(script);
          }
        });
  }

  // -- The end.

  private void seal() {
    for (End module : created) {
      if (sealed.add(module)) {
        apply(new Operation.SealInputs(module));
      }
    }
    stepped.engine().seal();
  }

  private void comeToTheEnd() {
    seal();
    modules.calm();
    int quiet = 0;
    while (!stepped.engine().isDone()) {
      boolean moved = false;
      for (End module : stepped.modules()) {
        moved |= stepped.step(module);
      }
      quiet = moved ? 0 : quiet + 1;
      if (quiet > 2) {
        dropOneWithoutReceiver();
        quiet = 0;
      }
    }
  }

  /// A sender that has left all of its receivers waits for another one, which will not come.
  private void dropOneWithoutReceiver() {
    List<End> left = stepped.modules();
    End alone = left.stream().filter(this::hasNoReceiver).findFirst().orElse(null);
    if (alone == null) {
      throw modules.violated("nothing moves, but %s are not over".formatted(left));
    }
    apply(new Operation.Drop(alone));
  }

  /// Returns whether a module has left each receiver that it had, or never had one.
  private boolean hasNoReceiver(End module) {
    return rank(module) < STAGES.size() - 1 && Asked.hasNoReceiver(asked, module);
  }

  private Result conclude() {
    FlowSnapshot snapshot = stepped.engine().snapshot();
    modules.check(snapshot);
    long ended = 0;
    for (Asked each : asked) {
      if (!each.answer().isDone()) {
        throw new AssertionError(each.operation() + " has no answer");
      }
      if (each.isAnsweredBy(Answer.ENDED)) {
        ended++;
      }
    }
    modules.checkOutcome(stepped.engine(), snapshot);
    return new Result(
        snapshot.state(),
        modules.collected(),
        snapshot.streams().stream().mapToLong(stream -> stream.counters().discarded()).sum(),
        snapshot.streams().stream().mapToLong(stream -> stream.counters().rerouted()).sum(),
        ended);
  }
}
