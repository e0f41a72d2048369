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
import dev.tigris.flow.OutputOwner;
import dev.tigris.flow.SteppedEngine;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Tap;
import dev.tigris.net.Fabric;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

  /// @param isHeld whether its engine waits for a coordinator when its modules have ended
  Member(Wires wires, Flow flow, End module, boolean isHeld) {
    this.module = module;
    this.wires = wires;
    host = wires.new Host(module.toString());
    fabric = Fabric.open(host);
    exchange = SteppedExchange.of(RUN, OPTIONS, wires::await);
    address = exchange.listen(fabric, "*");
    stepped = isHeld ? SteppedEngine.held(flow, new NoOutputs()) : SteppedEngine.of(flow);
    stepped.whenWaiting(_ -> wires.await());
    stepped.whenApart(apart::add);
    works = wires.actor(module.toString());
  }

  /// The owner of the outputs of a flow that has none.
  private static final class NoOutputs implements OutputOwner {
    @Override
    public String mark() {
      return "simulated";
    }

    @Override
    public void making(Path temporary, Path target) {}
  }

  StreamKind sending(String stream, Member to) {
    return exchange.sending(stream, fabric, to.address);
  }

  StreamKind receiving(String stream) {
    return exchange.receiving(stream);
  }

  // -- What happens to it.

  /// Asks for an operation.
  void ask(Operation operation) {
    CompletableFuture<Answer> _ = answer(operation);
  }

  /// Asks for an operation, and returns its answer. A process that was killed never answers.
  CompletableFuture<Answer> answer(Operation operation) {
    CompletableFuture<Answer> heard = new CompletableFuture<>();
    if (isKilled) {
      return heard;
    }
    asker().start(() -> apply(operation, heard));
    if (operation instanceof Operation.Drop) {
      works.interrupt();
    }
    lookAfter();
    return heard;
  }

  /// Attaches a tap to its flow.
  void tap(Tap tap) {
    CompletableFuture<Void> _ = stepped.engine().tap(tap);
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

  private void apply(Operation operation, CompletableFuture<Answer> heard) {
    try {
      CompletableFuture<Answer> answer = stepped.engine().apply(operation);
      asked.add(new Asked(operation, answer));
      CompletableFuture<?> _ =
          answer.whenComplete(
              (known, thrown) -> {
                boolean _ =
                    thrown == null ? heard.complete(known) : heard.completeExceptionally(thrown);
              });
    } catch (IllegalArgumentException e) {
      boolean _ = heard.completeExceptionally(e);
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

  /// Returns whether its module has ended, and nothing goes on here any more.
  boolean hasEnded() {
    return !isKilled
        && stepped.modules().isEmpty()
        && apart.isEmpty()
        && works.isIdle()
        && askers.stream().allMatch(Actor::isIdle);
  }

  /// Returns whether it was killed or cancelled, or has failed.
  boolean isBad() {
    return isKilled || isCancelled || failure() != null;
  }

  /// Ends a held engine well.
  void publish() {
    asker()
        .start(
            () -> {
              try {
                stepped.publish();
              } catch (FlowException e) {
                // It is the failure of the engine, too.
              }
            });
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
