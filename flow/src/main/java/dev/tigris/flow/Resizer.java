package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Resizes the stages of a flow on threads: makes the steps of a [Resizing], and gives it the
/// answers, each of which comes on the thread of its module.
///
/// Thread rule: any thread.
final class Resizer {
  /// More than so many guests that wait are refused.
  static final int MOST_TURNS = 1_000;

  private final LocalRun run;
  private final Team team;

  /// How often threads have wanted to go on while one was at it.
  private final AtomicInteger rounds = new AtomicInteger();

  private @Nullable CompletableFuture<Void> asked;

  /// The guests' changes that wait for the end of another one.
  private final Deque<Turn> turns = new ArrayDeque<>();

  /// Whether the flow has failed, or was cancelled: what goes on is never over.
  private boolean hasStopped;

  /// Where the streams of the change end.
  private FlowPart part = Plan.WHOLE;

  Resizer(LocalRun run, Flow flow) {
    this.run = run;
    this.team = new Team(flow);
  }

  /// Begins to resize a stage.
  CompletableFuture<Void> resize(String stage, int count) {
    Turn turn =
        new Turn(() -> team.resize(stage, count), Plan.WHOLE, new CompletableFuture<>(), false);
    begin(turn);
    return turn.promised();
  }

  /// Begins to let a guest join, as soon as no other change goes on.
  CompletableFuture<Void> join(Guest guest, FlowPart streams) {
    Change joins =
        () -> {
          String why = team.join(guest);
          if (why == null) {
            run.meet(guest);
          }
          return why;
        };
    Turn turn = new Turn(joins, streams, new CompletableFuture<>(), true);
    begin(turn);
    return turn.promised();
  }

  /// Begins to let a guest leave, as soon as no other change goes on.
  CompletableFuture<Void> leave(Guest guest) {
    Turn turn = new Turn(() -> team.leave(guest), Plan.WHOLE, new CompletableFuture<>(), true);
    begin(turn);
    return turn.promised();
  }

  /// Begins a change of the team, and returns why it is refused; null if it is not.
  private interface Change {
    @Nullable String begin();
  }

  /// A change that was asked for.
  ///
  /// @param streams gives the streams that end elsewhere
  /// @param promised completes when it was made
  /// @param waits whether it waits for the end of another one
  private record Turn(
      Change change, FlowPart streams, CompletableFuture<Void> promised, boolean waits) {}

  private void begin(Turn first) {
    for (Turn turn = first; turn != null; turn = next()) {
      String why;
      synchronized (this) {
        if (turn.waits() && team.change() != null && !hasStopped && turns.size() < MOST_TURNS) {
          turns.addLast(turn);
          return;
        }
        why = hasStopped ? "the flow is being stopped" : turn.change().begin();
        if (why == null && team.change() != null) {
          asked = turn.promised();
          part = turn.streams();
          turn = null;
        }
      }
      if (turn == null) {
        goOn();
        return;
      }
      settle(turn.promised(), why); // refused, or it is so already
    }
  }

  /// Returns the next change, unless one goes on: those that wait keep their order.
  private synchronized @Nullable Turn next() {
    return team.change() == null ? turns.poll() : null;
  }

  /// Makes what there is to do. One thread does so at a time, so that steps on one module keep
  /// their order; one that comes meanwhile leaves it another round.
  private void goOn() {
    if (rounds.getAndIncrement() == 0) {
      int made = 1;
      do {
        while (makeRound()) {}
        made = rounds.addAndGet(-made);
      } while (made != 0);
    }
  }

  /// Returns whether there may be more to do.
  private boolean makeRound() {
    List<Resizing.Step> fresh;
    CompletableFuture<Void> settled = null;
    String refusal = null;
    synchronized (this) {
      Resizing change = team.change();
      if (change == null) {
        return false;
      }
      fresh = change.next();
      if (fresh.isEmpty()) {
        if (!change.isOver()) {
          return false; // the next answer goes on
        }
        if (team.settle()) {
          refusal = team.refused();
          settled = asked;
          asked = null;
        }
      }
    }
    fresh.forEach(this::make);
    settle(settled, refusal);
    Turn turn = settled == null ? null : next();
    if (turn != null) {
      begin(turn);
    }
    return true;
  }

  private static void settle(@Nullable CompletableFuture<Void> settled, @Nullable String refusal) {
    if (settled != null && refusal != null) {
      boolean _ = settled.completeExceptionally(new IllegalStateException(refusal));
    } else if (settled != null) {
      boolean _ = settled.complete(null);
    }
  }

  private void make(Resizing.Step step) {
    CompletableFuture<FlowEngine.Answer> applied;
    try {
      applied = run.apply(step, partOfChange());
    } catch (RuntimeException | Error e) { // else the change would have no answer
      run.failed(e);
      return;
    }
    CompletableFuture<?> _ =
        applied.whenComplete(
            (answer, thrown) -> {
              if (thrown != null) {
                failed(thrown); // and the flow has, too
              } else {
                synchronized (this) {
                  Resizing change = team.change();
                  if (change != null) {
                    change.answered(step.number(), answer);
                  }
                }
                goOn();
              }
            });
  }

  private synchronized FlowPart partOfChange() {
    return part;
  }

  /// The flow has failed, or was cancelled.
  void failed(Throwable thrown) {
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    synchronized (this) {
      if (asked != null) {
        waiting.add(asked);
      }
      turns.forEach(each -> waiting.add(each.promised()));
      asked = null;
      turns.clear();
      hasStopped = true;
    }
    for (CompletableFuture<Void> each : waiting) {
      boolean _ = each.completeExceptionally(thrown);
    }
  }

  /// A module has ended.
  void ended(End module) {
    synchronized (this) {
      team.ended(module);
    }
    goOn();
  }

  /// Returns the modules that a change waits for.
  synchronized List<End> waitsFor() {
    Resizing change = team.change();
    return change == null ? List.of() : change.waitsFor();
  }
}
