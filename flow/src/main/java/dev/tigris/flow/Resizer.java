package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Resizes the stages of a flow on threads: makes the steps of a [Resizing], and gives it the
/// answers, each of which comes on the thread of its module.
///
/// Thread rule: any thread.
final class Resizer {
  private final LocalRun run;
  private final Team team;

  /// How often threads have wanted to go on while one was at it.
  private final AtomicInteger rounds = new AtomicInteger();

  private @Nullable CompletableFuture<Void> asked;

  Resizer(LocalRun run, Flow flow) {
    this.run = run;
    this.team = new Team(flow);
  }

  /// Begins to resize a stage.
  CompletableFuture<Void> resize(String stage, int count) {
    CompletableFuture<Void> promised = new CompletableFuture<>();
    synchronized (this) {
      String why = team.resize(stage, count);
      if (why != null) {
        return CompletableFuture.failedFuture(new IllegalStateException(why));
      }
      if (team.change() == null) {
        return CompletableFuture.completedFuture(null); // it has so many
      }
      asked = promised;
    }
    goOn();
    return promised;
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
    CompletableFuture<?> _ =
        run.apply(step, Plan.WHOLE)
            .whenComplete(
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

  /// The flow has failed, or was cancelled.
  void failed(Throwable thrown) {
    CompletableFuture<Void> waiting;
    synchronized (this) {
      waiting = asked;
      asked = null;
    }
    if (waiting != null) {
      boolean _ = waiting.completeExceptionally(thrown);
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
