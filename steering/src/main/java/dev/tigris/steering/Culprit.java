package dev.tigris.steering;

import dev.tigris.flow.FlowGraph;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The part of a run that limits its speed, and why that is known.
///
/// Replicas that wait for credit are the victims: the culprit is behind the last of them. Where
/// none waits for credit, the stage that works most is the limit, if others wait for what it gives.
/// The cause is the disk if its replicas are more with files than busy, and the network if they
/// mostly wait for waters that are on their way to them. A stage
/// that waits for input from outside is no culprit, and neither is its caller: the run is as fast
/// as what it is given.
///
/// @param stage the stage, or the drain
/// @param replica which replica of it; -1 if all of them are
/// @param cause the kind of thing that is slow there
/// @param reason why
record Culprit(String stage, int replica, Cause cause, String reason) {
  /// The kinds of what can be slow at a replica.
  enum Cause {
    /// Its module works.
    MODULE,
    /// Its files.
    DISK,
    /// The network that brings waters to it from another process.
    NETWORK;

    /// Returns its name in texts.
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The shares of the time from which on a wait counts.
  private static final double WAITS = 0.2;

  private static final double BUSY = 0.7;
  private static final double OUTSIDE = 0.5;
  private static final double MOSTLY = 0.5;

  /// How many times the median of its stage one replica has to have, to be the culprit alone.
  private static final double ODD = 2;

  private static final int ALL = -1;
  private static final double PERCENT = 100;
  private static final double MILLIS = 1e3;

  Map<String, @Nullable Object> members() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("stage", stage);
    members.put("replica", replica == ALL ? null : replica);
    members.put("cause", cause.word());
    members.put("reason", reason);
    return members;
  }

  /// Returns the name of the stage or the replica.
  String name() {
    return replica == ALL ? stage : stage + "[" + replica + "]";
  }

  /// Returns whether another one is of the same part and cause.
  boolean isSame(Culprit other) {
    return cause == other.cause && name().equals(other.name());
  }

  /// Looks for the culprit; null if there is none.
  static @Nullable Culprit of(FlowGraph graph, Load load) {
    Set<String> waiting = new LinkedHashSet<>();
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
      return outside(graph, victim, seen);
    }
    String slow = slowest(next, load);
    return within(slow, load.working(slow), seen);
  }

  /// Returns what is behind a stage outside of the flow: a drain, or a stage of another program.
  private static @Nullable Culprit outside(FlowGraph graph, String victim, String seen) {
    return Stream.concat(
            graph.drains().stream()
                .filter(drain -> drain.stage().equals(victim))
                .map(
                    drain ->
                        new Culprit(
                            drain.name(),
                            ALL,
                            Cause.MODULE,
                            seen + ", and only this drain is behind it")),
            graph.edges().stream()
                .filter(edge -> edge.from().equals(victim) && isElsewhere(graph, edge.to()))
                .map(
                    edge ->
                        new Culprit(
                            edge.to(),
                            ALL,
                            Cause.MODULE,
                            seen + ", and another program is behind it")))
        .findFirst()
        .orElse(null);
  }

  private static boolean isElsewhere(FlowGraph graph, String stage) {
    return graph.stages().stream()
        .anyMatch(each -> each.name().equals(stage) && each.replicas() == 0);
  }

  /// Returns the stage that holds up those before it most.
  private static String slowest(List<String> stages, Load load) {
    return stages.stream()
        .max(Comparator.comparingDouble(stage -> holdsUp(load.working(stage))))
        .orElseThrow();
  }

  private static double holdsUp(List<Load.Replica> all) {
    return Math.max(mean(all, Load.Replica::works), mean(all, Load.Replica::network));
  }

  /// Tells whether all of a stage is slow, or one replica of it, and by which cause.
  private static Culprit within(String stage, List<Load.Replica> all, String seen) {
    double network = mean(all, Load.Replica::network);
    double works = mean(all, Load.Replica::works);
    Load.Replica waits = most(all, Load.Replica::network);
    Load.Replica most = most(all, Load.Replica::works);
    if (network >= MOSTLY && network > works) {
      return new Culprit(stage, ALL, Cause.NETWORK, seen + onTheWay(waits, waits.network()));
    }
    if (waits.network() >= MOSTLY && most.works() < BUSY) {
      return new Culprit(
          stage, waits.replica(), Cause.NETWORK, seen + onTheWay(waits, waits.network()));
    }
    Culprit odd = all.size() > 1 ? odd(stage, all, seen) : null;
    if (odd != null) {
      return odd;
    }
    double disk = mean(all, Load.Replica::disk);
    double busy = mean(all, Load.Replica::busy);
    return new Culprit(
        stage,
        ALL,
        cause(disk, busy),
        "%s; the replicas of this stage are %s of the time".formatted(seen, does(disk, busy)));
  }

  /// Looks for one of several replicas that is slower than its peers, or gets more than they do;
  /// null if there is none. All may be busy all of the time.
  private static @Nullable Culprit odd(String stage, List<Load.Replica> all, String seen) {
    List<Load.Replica> working = all.stream().filter(each -> each.works() >= BUSY).toList();
    List<Load.Replica> candidates =
        working.isEmpty() ? List.of(most(all, Load.Replica::works)) : working;
    double service = median(all, Load.Replica::serviceSeconds);
    Load.Replica slowest = most(candidates, Load.Replica::serviceSeconds);
    if (service > 0 && slowest.serviceSeconds() >= ODD * service) {
      return new Culprit(
          stage,
          slowest.replica(),
          cause(slowest.disk(), slowest.busy()),
          String.format(
              Locale.ROOT,
              "%s; it is %s of the time and takes %.2f ms a call, %.1f times the median of its stage",
              seen,
              does(slowest.disk(), slowest.busy()),
              slowest.serviceSeconds() * MILLIS,
              slowest.serviceSeconds() / service));
    }
    double calls = median(all, Load.Replica::callsPerSecond);
    Load.Replica most = most(candidates, Load.Replica::callsPerSecond);
    if (most.works() >= BUSY && most.callsPerSecond() >= ODD * calls) {
      return new Culprit(
          stage,
          most.replica(),
          cause(most.disk(), most.busy()),
          String.format(
              Locale.ROOT,
              "%s; it gets %.0f waters a second, and half of its stage get %.0f at most",
              seen,
              most.callsPerSecond(),
              calls));
    }
    return null;
  }

  private static Cause cause(double disk, double busy) {
    return disk > busy ? Cause.DISK : Cause.MODULE;
  }

  private static String does(double disk, double busy) {
    return cause(disk, busy) == Cause.DISK
        ? "with files " + percent(disk)
        : "busy " + percent(busy);
  }

  private static String onTheWay(Load.Replica replica, double share) {
    return "; waters to %s[%d] in process %d are on their way from process %d %s of the time"
        .formatted(
            replica.stage(),
            replica.replica(),
            replica.process(),
            replica.networkFrom(),
            percent(share));
  }

  private static Load.Replica most(List<Load.Replica> all, ToDoubleFunction<Load.Replica> of) {
    return all.stream().max(Comparator.comparingDouble(of)).orElseThrow();
  }

  /// Returns the stage that works most, if another waits for what it gives.
  private static @Nullable Culprit busiest(FlowGraph graph, Load load) {
    List<String> busy = new ArrayList<>();
    for (FlowGraph.Stage stage : graph.stages()) {
      if (mean(load.working(stage.name()), Load.Replica::works) >= BUSY) {
        busy.add(stage.name());
      }
    }
    if (busy.isEmpty()) {
      return null;
    }
    String most = slowest(busy, load);
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
