package dev.tigris.verify.simulator;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.SteppedExchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.SteppedEngine;
import dev.tigris.flow.StreamKind;
import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One process of a simulated flow, which has one module. One [Actor] makes the steps of that, and
/// others apply operations, as the thread of a coordinator would.
///
/// Thread rule: the director's.
final class Member {
  private static final long RUN = 5;

  /// No run takes so long: a process waits for others as long as they may come.
  private static final StreamOptions OPTIONS =
      StreamOptions.DEFAULT.withSlotBytes(4096).withPatience(Duration.ofHours(1));

  final End module;
  final Wires.Host host;
  private final Wires wires;
  private final Fabric fabric;
  private final Exchange exchange;
  private final String address;
  private final SteppedEngine stepped;
  private final Actor works;
  private final List<Actor> askers = new ArrayList<>();
  private final List<Asked> asked = new ArrayList<>();

  /// Tasks of the engine for threads of their own.
  private final ArrayDeque<Runnable> apart = new ArrayDeque<>();

  private boolean isKilled;
  private boolean isCancelled;
  private boolean isInterrupted;

  // Set by an actor in its turn.
  private boolean hasStepped;

  Member(Wires wires, Flow flow, End module) {
    this.module = module;
    this.wires = wires;
    host = wires.new Host(module.toString());
    fabric = Fabric.open(host);
    exchange = SteppedExchange.of(RUN, OPTIONS, wires::await);
    address = exchange.listen(fabric, "*");
    stepped = SteppedEngine.of(flow);
    stepped.whenWaiting(_ -> wires.await());
    stepped.whenApart(apart::add);
    works = wires.actor(module.toString());
  }

  StreamKind sending(String stream, Member to) {
    return exchange.sending(stream, fabric, to.address);
  }

  StreamKind receiving(String stream) {
    return exchange.receiving(stream);
  }

  // -- What happens to it.

  void ask(Operation operation) {
    if (isKilled) {
      return;
    }
    asker().start(() -> apply(operation));
    if (operation instanceof Operation.Drop) {
      works.interrupt();
    }
    lookAfter();
  }

  private Actor asker() {
    for (Actor each : askers) {
      if (each.isIdle()) {
        return each;
      }
    }
    Actor made = wires.actor("asks " + module);
    askers.add(made);
    return made;
  }

  private void apply(Operation operation) {
    try {
      asked.add(new Asked(operation, stepped.engine().apply(operation)));
    } catch (IllegalArgumentException e) {
      // Its module or its stream was not made, since the flow is being stopped.
      if (failure() == null && !isCancelled) {
        throw e;
      }
    }
  }

  /// Lets each of its threads go on. Returns whether any has.
  boolean step() {
    if (isKilled) {
      return false;
    }
    boolean hasMoved = !apart.isEmpty();
    while (!apart.isEmpty()) {
      Actor asker = asker();
      asker.start(apart.removeFirst());
      if (isInterrupted) { // as an engine does with a thread that begins as it is stopped
        asker.interrupt();
      }
    }
    for (Actor each : askers) {
      if (!each.isIdle()) {
        each.goOn();
        hasMoved |= each.isIdle();
      }
    }
    if (works.isIdle()) {
      works.start(this::work);
      hasMoved |= hasStepped || !works.isIdle();
    } else {
      works.goOn();
      hasMoved |= works.isIdle();
    }
    lookAfter();
    return hasMoved;
  }

  private void work() {
    hasStepped = false;
    for (End its : stepped.modules()) {
      hasStepped |= stepped.step(its);
    }
  }

  /// An engine interrupts its threads as it is stopped. This one has none.
  private void lookAfter() {
    if (!isInterrupted && (isCancelled || failure() != null)) {
      isInterrupted = true;
      works.interrupt();
      askers.forEach(Actor::interrupt);
    }
  }

  void seal() {
    if (!isKilled) {
      asker().start(stepped.engine()::seal);
    }
  }

  void cancel() {
    if (!isKilled && !stepped.engine().isDone()) {
      isCancelled = true;
      asker().start(stepped.engine()::cancel);
      lookAfter();
    }
  }

  /// Ends it at once, as a signal would.
  void kill() {
    if (!isOver()) {
      isKilled = true;
      host.die();
    }
  }

  // -- How it is.

  boolean isKilled() {
    return isKilled;
  }

  boolean isCancelled() {
    return isCancelled;
  }

  @Nullable FlowException failure() {
    return stepped.engine().failure();
  }

  FlowSnapshot snapshot() {
    return stepped.engine().snapshot();
  }

  boolean isOver() {
    return isKilled
        || (stepped.engine().isDone() && works.isIdle() && askers.stream().allMatch(Actor::isIdle));
  }

  boolean isWell() {
    return !isKilled && isOver() && snapshot().state() == FlowSnapshot.State.DONE;
  }

  boolean hasNoReceiver() {
    return Asked.hasNoReceiver(asked, module);
  }

  /// Returns how many operations came too late. Each has an answer.
  long ended() {
    for (Asked each : asked) {
      if (!isKilled && !each.answer().isDone()) {
        throw new AssertionError(each.operation() + " has no answer");
      }
    }
    return asked.stream().filter(each -> each.isAnsweredBy(Answer.ENDED)).count();
  }

  /// Gives back all that it has.
  void close() {
    List<Actor> all = Stream.concat(Stream.of(works), askers.stream()).toList();
    all.forEach(Actor::kill);
    if (!stepped.engine().isDone()) {
      works.start(
          () -> {
            stepped.engine().cancel();
            work();
            apart.forEach(Runnable::run);
          });
    }
    all.forEach(Actor::end);
    exchange.close();
    fabric.close();
  }

  @Override
  public String toString() {
    String state = isKilled ? "killed" : snapshot().state().toString();
    boolean isWaiting = !works.isIdle() || !askers.stream().allMatch(Actor::isIdle);
    return "%s %s%s".formatted(module, state, isWaiting ? ", waits" : "");
  }
}
