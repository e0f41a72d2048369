package dev.tigris.steering;

import dev.tigris.flow.FlowGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The part of a run that limits its speed, and why that is known.
///
/// Replicas that wait for credit are the victims: the culprit is behind the last of them. Where
/// none waits for credit, the busiest stage is the limit, if others wait for what it gives. A stage
/// that waits for input from outside is no culprit, and neither is its caller: the run is as fast
/// as what it is given.
///
/// @param stage the stage, or the drain
/// @param replica which replica of it; -1 if all of them are
/// @param reason why
record Culprit(String stage, int replica, String reason) {
  /// The shares of the time from which on a wait counts.
  private static final double WAITS = 0.2;

  private static final double BUSY = 0.7;
  private static final double OUTSIDE = 0.5;

  /// How many times the median of its stage one replica has to have, to be the culprit alone.
  private static final double ODD = 2;

  private static final int ALL = -1;
  private static final double PERCENT = 100;
  private static final double MILLIS = 1e3;

  Map<String, @Nullable Object> members() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("stage", stage);
    members.put("replica", replica == ALL ? null : replica);
    members.put("reason", reason);
    return members;
  }

  /// Returns the name of the stage or the replica.
  String name() {
    return replica == ALL ? stage : stage + "[" + replica + "]";
  }

  /// Looks for the culprit; null if there is none.
  static @Nullable Culprit of(FlowGraph graph, Load load) {
    Set<String> waiting = new HashSet<>();
    for (FlowGraph.Stage stage : graph.stages()) {
      if (mean(load.working(stage.name()), Load.Replica::waitsForCredit) >= WAITS) {
        waiting.add(stage.name());
      }
    }
    for (String victim : waiting) {
      if (behind(graph, victim).stream().noneMatch(waiting::contains)) {
        return behindLast(graph, load, victim);
      }
    }
    return waiting.isEmpty() ? busiest(graph, load) : null;
  }

  /// Returns all stages behind one.
  private static Set<String> behind(FlowGraph graph, String stage) {
    Set<String> found = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(stage));
    while (!open.isEmpty()) {
      String from = open.remove();
      for (FlowGraph.Edge edge : graph.edges()) {
        if (edge.from().equals(from) && found.add(edge.to())) {
          open.add(edge.to());
        }
      }
    }
    return found;
  }

  private static @Nullable Culprit behindLast(FlowGraph graph, Load load, String victim) {
    String seen =
        "%s waits for credit %s of the time"
            .formatted(victim, percent(mean(load.working(victim), Load.Replica::waitsForCredit)));
    List<String> next =
        graph.edges().stream()
            .filter(edge -> edge.from().equals(victim))
            .map(FlowGraph.Edge::to)
            .filter(stage -> !load.working(stage).isEmpty())
            .toList();
    if (next.isEmpty()) {
      return graph.drains().stream()
          .filter(drain -> drain.stage().equals(victim))
          .map(drain -> new Culprit(drain.name(), ALL, seen + ", and only this drain is behind it"))
          .findFirst()
          .orElse(null);
    }
    String slow = busiest(next, load);
    return within(slow, load.working(slow), seen);
  }

  private static String busiest(List<String> stages, Load load) {
    return stages.stream()
        .max(Comparator.comparingDouble(stage -> mean(load.working(stage), Load.Replica::busy)))
        .orElseThrow();
  }

  /// Tells whether all of a stage is slow, or one replica of it.
  private static Culprit within(String stage, List<Load.Replica> all, String seen) {
    Load.Replica most =
        all.stream().max(Comparator.comparingDouble(Load.Replica::busy)).orElseThrow();
    if (all.size() > 1) {
      double service = median(all, Load.Replica::serviceSeconds);
      if (service > 0 && most.serviceSeconds() >= ODD * service) {
        return new Culprit(
            stage,
            most.replica(),
            String.format(
                Locale.ROOT,
                "%s; it is busy %s of the time and takes %.2f ms a call, %.1f times the median of its stage",
                seen,
                percent(most.busy()),
                most.serviceSeconds() * MILLIS,
                most.serviceSeconds() / service));
      }
      double calls = median(all, Load.Replica::callsPerSecond);
      if (most.busy() >= BUSY && most.callsPerSecond() >= ODD * calls) {
        return new Culprit(
            stage,
            most.replica(),
            String.format(
                Locale.ROOT,
                "%s; it gets %.0f waters a second, and half of its stage get %.0f at most",
                seen,
                most.callsPerSecond(),
                calls));
      }
    }
    return new Culprit(
        stage,
        ALL,
        "%s; the replicas of this stage are busy %s of the time"
            .formatted(seen, percent(mean(all, Load.Replica::busy))));
  }

  /// Returns the busiest stage, if another waits for what it gives.
  private static @Nullable Culprit busiest(FlowGraph graph, Load load) {
    List<String> busy = new ArrayList<>();
    for (FlowGraph.Stage stage : graph.stages()) {
      List<Load.Replica> working = load.working(stage.name());
      if (!working.isEmpty() && mean(working, Load.Replica::busy) >= BUSY) {
        busy.add(stage.name());
      }
    }
    if (busy.isEmpty()) {
      return null;
    }
    String most = busiest(busy, load);
    List<String> starved =
        graph.edges().stream()
            .filter(edge -> edge.from().equals(most))
            .map(FlowGraph.Edge::to)
            .filter(to -> mean(load.working(to), Load.Replica::waitsForInput) >= OUTSIDE)
            .toList();
    if (starved.isEmpty() && graph.stages().size() > 1) {
      return null;
    }
    return within(
        most,
        load.working(most),
        starved.isEmpty()
            ? "it is the only stage"
            : "%s waits for its input".formatted(starved.getFirst()));
  }

  private static double mean(List<Load.Replica> all, ToDoubleFunction<Load.Replica> of) {
    return all.stream().mapToDouble(of).average().orElse(0);
  }

  private static double median(List<Load.Replica> all, ToDoubleFunction<Load.Replica> of) {
    double[] sorted = all.stream().mapToDouble(of).sorted().toArray();
    return sorted[(sorted.length - 1) / 2];
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", share * PERCENT);
  }
}
