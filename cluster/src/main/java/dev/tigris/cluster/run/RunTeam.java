package dev.tigris.cluster.run;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Resizing;
import dev.tigris.flow.Team;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The replicas of a run's attempt, and the change that is being made to them: which steps each
/// worker has to make. A replica that joins is in the process that has the fewest of its stage.
///
/// Thread rule: the coordinator's thread, but for [#waitsFor] and [#graph].
final class RunTeam {
  /// More than so many guests that wait are refused.
  private static final int MOST_TURNS = 1_000;

  private final Described described;
  private final List<StepLog.Asking> workers = new ArrayList<>();
  private final Map<End, Integer> added = new HashMap<>();
  private final Team team;
  private final Deque<Turn> turns = new ArrayDeque<>();
  private @Nullable CompletableFuture<Void> asked;
  private volatile String waitsFor = "";

  /// The flow as it is, with the stages of guests. Any thread.
  private volatile FlowGraph graph;

  /// How many guests there were. Each has a number behind those of the processes, as if it were
  /// alone in one.
  private int guests;

  /// A change by guests, which waits for the end of another one.
  ///
  /// @param wanted begins it, and returns why it is refused; null if it is not
  private record Turn(Supplier<@Nullable String> wanted, CompletableFuture<Void> promised) {}

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
    this.graph = described.graph();
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
    if (team.change() == null) { // it has so many
      boolean _ = promised.complete(null);
      return;
    }
    asked = promised;
    goOn();
  }

  /// Lets a guest join, as soon as no other change goes on.
  void join(GuestOrder order, CompletableFuture<Void> promised) {
    begin(new Turn(() -> join(order), promised));
  }

  /// Returns the process for the module that stands for a guest. A guest that gives has chosen it,
  /// since it connects there. For others, it is one whose part has not ended, if there is such.
  private int placeOf(GuestOrder order) {
    if (order.guest().gives() || isAlive(order.process())) {
      return order.process();
    }
    for (int i = 0; i < workers.size(); i++) {
      if (isAlive(i)) {
        return i;
      }
    }
    return order.process();
  }

  private boolean isAlive(int process) {
    return team.sizes().keySet().stream()
        .anyMatch(stage -> team.replicas(stage).stream().anyMatch(each -> place(each) == process));
  }

  private @Nullable String join(GuestOrder order) {
    if (order.process() < 0 || order.process() >= workers.size()) {
      return "there is no process %d: there are %d, from 0"
          .formatted(order.process(), workers.size());
    }
    String why = team.join(order.guest());
    Resizing change = team.change();
    if (why == null && change != null) {
      int itself = workers.size() + guests++;
      added.put(change.replica(), placeOf(order));
      added.put(Objects.requireNonNull(change.guest()), itself);
      graph = team.graph(described.graph());
      workers.forEach(
          each -> {
            long _ = each.add(new StepLog.Work.OfGuest(order, itself));
          });
    }
    return why;
  }

  /// Lets a guest leave, as soon as no other change goes on.
  void leave(Guest guest, CompletableFuture<Void> promised) {
    begin(new Turn(() -> team.leave(guest), promised));
  }

  private void begin(Turn turn) {
    if (turns.size() >= MOST_TURNS) {
      settle(turn.promised(), "%,d guests wait already".formatted(MOST_TURNS));
      return;
    }
    turns.addLast(turn);
    goOn();
  }

  /// Begins the next change by guests, if none goes on.
  private void beginNext() {
    while (team.change() == null && !turns.isEmpty()) {
      Turn turn = turns.removeFirst();
      String why = turn.wanted().get();
      if (why == null && team.change() != null) {
        asked = turn.promised();
      } else {
        settle(turn.promised(), why);
      }
    }
  }

  /// Returns the flow as it is, with the stages of guests. Any thread.
  FlowGraph graph() {
    return graph;
  }

  /// Lets each worker attach a tap.
  void tap(TapOrder order, CompletableFuture<Void> promised) {
    TapChange change = new TapChange(promised, workers.size());
    for (int worker = 0; worker < workers.size(); worker++) {
      taps.put(new TapKey(worker, workers.get(worker).add(new StepLog.Work.OfTap(order))), change);
    }
  }

  private void goOn() {
    beginNext();
    for (Resizing change = team.change(); change != null; change = team.change()) {
      List<Resizing.Step> fresh = change.next();
      fresh.forEach(this::ask);
      if (!fresh.isEmpty() || !change.isOver()) {
        break;
      }
      if (team.settle()) {
        waitsFor = ""; // before anyone hears that the change was made
        settle(asked, team.refused());
        asked = null;
        beginNext();
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
    if (step.kind() == Resizing.Kind.ADD && !added.containsKey(step.module())) {
      added.put(step.module(), emptiest(step.module().name()));
    }
    Map<End, Integer> processes = new LinkedHashMap<>();
    processes.put(step.module(), place(step.module()));
    Resizing.Link link = step.link();
    if (link != null) {
      processes.put(link.from(), place(link.from()));
      processes.put(link.to(), place(link.to()));
    }
    long _ = workers.get(place(step.module())).add(new StepLog.Work.OfChange(step, processes));
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

  private static void settle(@Nullable CompletableFuture<Void> waiting, @Nullable String refusal) {
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
          } else if (its != null
              && its.work() instanceof StepLog.Work.OfChange change
              && before != null) {
            before.answered(change.step().number(), answer);
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
    settle(asked, why);
    asked = null;
    turns.forEach(each -> settle(each.promised(), why));
    turns.clear();
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
