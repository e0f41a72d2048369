package dev.tigris.steering;

import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The work of a run's replicas between two moments.
///
/// ```
/// busy + waitsForInput + waitsForCredit = 1
/// ```
///
/// @param seconds the time between the two
/// @param replicas each replica that has reported
record Load(double seconds, List<Replica> replicas) {
  /// The work of one replica.
  ///
  /// @param stage its stage
  /// @param replica which one, from 0
  /// @param process its process, from 0
  /// @param calls how often its module was called since the attempt began
  /// @param callsPerSecond how often between the two moments
  /// @param serviceSeconds how long a call takes
  /// @param busy the share of the time in which it worked
  /// @param waitsForInput the share in which it waited for input
  /// @param waitsForCredit the share in which it waited for credit of those behind it
  /// @param isEnded whether it has ended
  record Replica(
      String stage,
      int replica,
      int process,
      long calls,
      double callsPerSecond,
      double serviceSeconds,
      double busy,
      double waitsForInput,
      double waitsForCredit,
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
      members.put("waitsForInput", rounded(waitsForInput));
      members.put("waitsForCredit", rounded(waitsForCredit));
      members.put("ended", isEnded);
      return members;
    }
  }

  /// The load of replicas that have not been seen twice.
  static final Load NONE = new Load(0, List.of());

  private static final double NANOS = 1e9;
  private static final double DIGITS = 1e3;

  Load {
    replicas = List.copyOf(replicas);
  }

  /// Returns a time in seconds, to the millisecond.
  static double seconds(long nanos) {
    return rounded(nanos / NANOS);
  }

  private static double rounded(double value) {
    return Math.round(value * DIGITS) / DIGITS;
  }

  /// Returns the work between two moments of one attempt. Reports of the processes are a beat old
  /// at most, so that shares of short times are estimates.
  static Load between(RunProgress before, RunProgress after) {
    long nanos = Math.max(1, after.elapsedNanos() - before.elapsedNanos());
    Map<String, FlowSnapshot.Replica> old = new HashMap<>();
    if (before.attempt() == after.attempt()) {
      before.replicas().forEach(each -> old.put(key(each.state()), each.state()));
    }
    List<Replica> replicas = new ArrayList<>();
    for (RunProgress.Replica each : after.replicas()) {
      replicas.add(replica(each, old.get(key(each.state())), nanos));
    }
    return new Load(nanos / NANOS, replicas);
  }

  private static String key(FlowSnapshot.Replica replica) {
    return replica.replica() + " " + replica.stage();
  }

  private static Replica replica(
      RunProgress.Replica each, FlowSnapshot.@Nullable Replica old, long nanos) {
    FlowSnapshot.Replica now = each.state();
    long calls = now.calls() - (old == null ? 0 : old.calls());
    double input = share(now.inputWaitNanos() - (old == null ? 0 : old.inputWaitNanos()), nanos);
    double credit = share(now.creditWaitNanos() - (old == null ? 0 : old.creditWaitNanos()), nanos);
    double more = Math.max(1, input + credit); // a report may be older than the one before was
    return new Replica(
        now.stage(),
        now.replica(),
        each.process(),
        now.calls(),
        calls * NANOS / nanos,
        now.serviceNanos() / NANOS,
        now.isEnded() ? 0 : Math.max(0, 1 - (input + credit) / more),
        now.isEnded() ? 0 : input / more,
        now.isEnded() ? 0 : credit / more,
        now.isEnded());
  }

  private static double share(long part, long whole) {
    return Math.clamp((double) part / whole, 0, 1);
  }

  /// Returns the replicas of a stage that have not ended.
  List<Replica> working(String stage) {
    return replicas.stream().filter(r -> r.stage().equals(stage) && !r.isEnded()).toList();
  }
}
