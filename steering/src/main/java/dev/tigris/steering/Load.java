package dev.tigris.steering;

import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The work of a run's replicas between two moments, and what has gone over its edges.
///
/// ```
/// busy + disk + waitsForInput + waitsForCredit = 1       0 <= network <= waitsForInput
/// ```
///
/// @param seconds the time between the two
/// @param replicas each replica that has reported
/// @param edges each reservoir, feed and drain
record Load(double seconds, List<Replica> replicas, List<EdgeLoad> edges) {
  /// The work of one replica.
  ///
  /// @param stage its stage
  /// @param replica which one, from 0
  /// @param process its process, from 0
  /// @param calls how often its module was called since the attempt began
  /// @param callsPerSecond how often between the two moments
  /// @param serviceSeconds how long a call takes
  /// @param busy the share of the time in which it worked
  /// @param disk the share in which it was with files
  /// @param waitsForInput the share in which it waited for input
  /// @param waitsForCredit the share in which it waited for credit of those behind it
  /// @param network the part of `waitsForInput` in which, for certain, waters were on their way to
  ///     it from another process, as [EdgeTraffic] has it
  /// @param networkFrom which process; -1 if none was
  /// @param isEnded whether it has ended
  record Replica(
      String stage,
      int replica,
      int process,
      long calls,
      double callsPerSecond,
      double serviceSeconds,
      double busy,
      double disk,
      double waitsForInput,
      double waitsForCredit,
      double network,
      int networkFrom,
      boolean isEnded) {
    Map<String, @Nullable Object> members() {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("stage", stage);
      members.put("replica", replica);
      members.put("process", process);
      members.put("calls", calls);
      members.put("callsPerSecond", rounded(callsPerSecond));
      members.put("serviceSeconds", serviceSeconds);
      members.put("busy", rounded(busy));
      members.put("disk", rounded(disk));
      members.put("waitsForInput", rounded(waitsForInput));
      members.put("network", rounded(network));
      members.put("waitsForCredit", rounded(waitsForCredit));
      members.put("ended", isEnded);
      return members;
    }

    /// Returns the share in which it does what nobody else can do for it.
    double works() {
      return busy + disk;
    }
  }

  /// The load of replicas that have not been seen twice.
  static final Load NONE = new Load(0, List.of(), List.of());

  private static final double NANOS = 1e9;
  private static final double DIGITS = 1e3;

  Load {
    replicas = List.copyOf(replicas);
    edges = List.copyOf(edges);
  }

  /// Returns a time in seconds, to the millisecond.
  static double seconds(long nanos) {
    return rounded(nanos / NANOS);
  }

  static double rounded(double value) {
    return Math.round(value * DIGITS) / DIGITS;
  }

  /// Returns the work between two moments of one attempt. Reports of the processes are a beat old
  /// at most, so that shares of short times are estimates.
  static Load between(RunProgress before, RunProgress after) {
    long nanos = Math.max(1, after.elapsedNanos() - before.elapsedNanos());
    boolean isOneAttempt = before.attempt() == after.attempt();
    Map<Key, FlowSnapshot.Replica> old = new HashMap<>();
    if (isOneAttempt) {
      before.replicas().forEach(each -> old.put(Key.of(each.state()), each.state()));
    }
    EdgeTraffic traffic = new EdgeTraffic(isOneAttempt ? before.edges() : List.of(), after);
    List<Replica> replicas = new ArrayList<>();
    for (RunProgress.Replica each : after.replicas()) {
      replicas.add(replica(each, old.get(Key.of(each.state())), nanos, traffic));
    }
    return new Load(nanos / NANOS, replicas, traffic.edges(nanos));
  }

  /// A replica among others.
  record Key(String stage, int replica) {
    static Key of(FlowSnapshot.Replica replica) {
      return new Key(replica.stage(), replica.replica());
    }
  }

  private static Replica replica(
      RunProgress.Replica each,
      FlowSnapshot.@Nullable Replica old,
      long nanos,
      EdgeTraffic traffic) {
    FlowSnapshot.Replica now = each.state();
    long calls = now.calls() - (old == null ? 0 : old.calls());
    double input = share(now.inputWaitNanos() - (old == null ? 0 : old.inputWaitNanos()), nanos);
    double credit = share(now.creditWaitNanos() - (old == null ? 0 : old.creditWaitNanos()), nanos);
    double disk = share(now.diskNanos() - (old == null ? 0 : old.diskNanos()), nanos);
    // A report may be older than the one before was.
    double more = Math.max(1, input + credit + disk);
    EdgeTraffic.OnTheWay coming = traffic.to(Key.of(now));
    double waits = input / more;
    return new Replica(
        now.stage(),
        now.replica(),
        each.process(),
        now.calls(),
        calls * NANOS / nanos,
        now.serviceNanos() / NANOS,
        now.isEnded() ? 0 : Math.max(0, 1 - (input + credit + disk) / more),
        now.isEnded() ? 0 : disk / more,
        now.isEnded() ? 0 : waits,
        now.isEnded() ? 0 : credit / more,
        now.isEnded() ? 0 : Math.max(0, waits + coming.share() - 1),
        coming.process(),
        now.isEnded());
  }

  static double share(long part, long whole) {
    return Math.clamp((double) part / whole, 0, 1);
  }

  /// Returns the replicas, those of each stage behind those of the stages before it.
  List<Replica> ordered(FlowGraph graph) {
    Set<String> order = new LinkedHashSet<>();
    List<String> left =
        new ArrayList<>(graph.stages().stream().map(FlowGraph.Stage::name).toList());
    while (!left.isEmpty()) {
      String next =
          left.stream()
              .filter(
                  stage ->
                      graph.edges().stream()
                          .allMatch(e -> !e.to().equals(stage) || order.contains(e.from())))
              .findFirst()
              .orElse(left.getFirst());
      boolean _ = order.add(next);
      boolean _ = left.remove(next);
    }
    List<String> ranks = List.copyOf(order);
    return replicas.stream()
        .sorted(
            Comparator.<Replica>comparingInt(each -> ranks.indexOf(each.stage()))
                .thenComparingInt(Replica::replica))
        .toList();
  }

  /// Returns the replicas of a stage that have not ended.
  List<Replica> working(String stage) {
    return replicas.stream().filter(r -> r.stage().equals(stage) && !r.isEnded()).toList();
  }
}
