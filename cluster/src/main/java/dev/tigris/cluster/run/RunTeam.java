package dev.tigris.cluster.run;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Resizing;
import dev.tigris.flow.Team;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The replicas of a run's attempt, and the change that is being made to them: which steps each
/// worker has to make. A replica that joins is in the process that has the fewest of its stage.
///
/// Thread rule: the coordinator's thread, but for [#waitsFor].
final class RunTeam {
  private final Described described;
  private final List<StepLog.Asking> workers = new ArrayList<>();
  private final Map<End, Integer> added = new HashMap<>();
  private final Team team;
  private @Nullable CompletableFuture<Void> asked;
  private volatile String waitsFor = "";

  /// The taps that some workers have not answered, by worker and number.
  private final Map<TapKey, TapChange> taps = new HashMap<>();

  private record TapKey(int worker, long number) {}

  /// A tap that is being attached.
  private static final class TapChange {
    private final CompletableFuture<Void> promised;
    private int left;

    TapChange(CompletableFuture<Void> promised, int left) {
      this.promised = promised;
      this.left = left;
    }

    void answered(int worker, Answer answer) {
      left--;
      if (answer == Answer.ENDED) {
        boolean _ =
            promised.completeExceptionally(
                new IllegalStateException(
                    "process %d has ended its part, or cannot reach the reader of the tap"
                        .formatted(worker)));
      } else if (left == 0) {
        boolean _ = promised.complete(null);
      }
    }
  }

  RunTeam(Described described, int processes) {
    this.described = described;
    this.team = new Team(described.flow());
    for (int i = 0; i < processes; i++) {
      workers.add(new StepLog.Asking());
    }
  }

  /// Begins to resize a stage.
  void resize(String stage, int count, CompletableFuture<Void> promised) {
    String why = team.resize(stage, count);
    if (why != null) {
      boolean _ = promised.completeExceptionally(new IllegalStateException(why));
      return;
    }
    asked = promised;
    goOn();
  }

  /// Lets each worker attach a tap.
  void tap(TapOrder order, CompletableFuture<Void> promised) {
    TapChange change = new TapChange(promised, workers.size());
    for (int worker = 0; worker < workers.size(); worker++) {
      taps.put(new TapKey(worker, workers.get(worker).add(order)), change);
    }
  }

  private void goOn() {
    boolean isSettled = false;
    while (!isSettled) {
      Resizing change = team.change();
      if (change != null) {
        List<Resizing.Step> fresh = change.next();
        fresh.forEach(this::ask);
        if (!fresh.isEmpty() || !change.isOver()) {
          break;
        }
      }
      isSettled = team.settle();
      if (isSettled) {
        waitsFor = ""; // before anyone hears that the change was made
        settle(team.refused());
      }
    }
    Resizing change = team.change();
    waitsFor = change == null ? "" : text(change);
  }

  private String text(Resizing change) {
    List<String> modules = new ArrayList<>();
    for (End module : change.waitsFor()) {
      modules.add("%s in process %d".formatted(module, place(module)));
    }
    return String.join(", ", modules);
  }

  private void ask(Resizing.Step step) {
    if (step.kind() == Resizing.Kind.ADD) {
      added.put(step.module(), emptiest(step.module().name()));
    }
    Map<End, Integer> processes = new LinkedHashMap<>();
    processes.put(step.module(), place(step.module()));
    Resizing.Link link = step.link();
    if (link != null) {
      processes.put(link.from(), place(link.from()));
      processes.put(link.to(), place(link.to()));
    }
    workers.get(place(step.module())).add(step, processes);
  }

  private int emptiest(String stage) {
    int[] counts = new int[workers.size()];
    for (End each : team.replicas(stage)) {
      counts[place(each)]++;
    }
    int best = 0;
    for (int i = 1; i < counts.length; i++) {
      best = counts[i] < counts[best] ? i : best;
    }
    return best;
  }

  private int place(End replica) {
    Integer its = added.get(replica);
    return its != null ? its : described.placement().process(replica);
  }

  private void settle(@Nullable String refusal) {
    CompletableFuture<Void> waiting = asked;
    asked = null;
    if (waiting != null && refusal != null) {
      boolean _ = waiting.completeExceptionally(new IllegalStateException(refusal));
    } else if (waiting != null) {
      boolean _ = waiting.complete(null);
    }
  }

  /// Returns the steps that a worker has not answered.
  List<StepLog.Numbered> open(int worker) {
    return workers.get(worker).open();
  }

  /// Takes what a worker reports: its answers, and which of its replicas have ended.
  ///
  /// @return whether there are steps that were not sent
  boolean heard(int worker, Map<Long, Answer> answers, List<RunProgress.Replica> replicas) {
    Resizing before = team.change();
    for (RunProgress.Replica each : replicas) {
      FlowSnapshot.Replica state = each.state();
      if (state.isEnded()) {
        team.ended(new End(state.stage(), state.replica()));
      }
    }
    answers.forEach(
        (number, answer) -> {
          StepLog.Numbered its = workers.get(worker).answered(number);
          TapChange tap = taps.remove(new TapKey(worker, number));
          if (tap != null) {
            tap.answered(worker, answer);
          } else if (its != null && its.step() != null && before != null) {
            before.answered(its.step().number(), answer);
          }
        });
    if (before == null) {
      return false;
    }
    goOn();
    return workers.stream().anyMatch(each -> !each.isEmpty());
  }

  /// The attempt is over, or given up.
  void failed(String why) {
    CompletableFuture<Void> waiting = asked;
    asked = null;
    if (waiting != null) {
      boolean _ = waiting.completeExceptionally(new IllegalStateException(why));
    }
    for (TapChange each : taps.values()) {
      boolean _ = each.promised.completeExceptionally(new IllegalStateException(why));
    }
    taps.clear();
  }

  /// Returns the modules that a change waits for, in words; empty if none goes on. Any thread.
  String waitsFor() {
    return waitsFor;
  }
}
