package dev.tigris.steering;

import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowLoad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The traffic over the edges of a run between two moments, put together from what its processes
/// say of their ends of the streams.
///
/// **On its way.** For a replica R and a process P that it is not in,
///
/// ```
/// onTheirWay(P) = (outstanding(P) - arrived) / window(P)
///
/// network       = max(0, waitsForInput(R) + max over P of onTheirWay(P) - 1)
/// ```
///
/// Each of the three is an average over the reports in between. `outstanding` and `window` are of
/// the streams from P to R, as their senders see them. `arrived` is of all streams to R from other
/// processes, as R's process sees them: what lies there or is in R's hands. The difference is on
/// its way to R, or as an acknowledgement on its way back.
///
/// `network` is the least time that both can have had in common: R waited, and the windows from P
/// were full of waters on their way. (The share of the time in which two things hold is at least
/// the sum of their shares less one.) So a slow receiver is not called a slow network, since it
/// does not wait; nor is a slow sender, whose windows are empty; nor a receiver that waits for one
/// stream while others have come, since those have arrived.
final class EdgeTraffic {
  private static final double NANOS = 1e9;
  private static final FlowLoad.Receiver NONE = new FlowLoad.Receiver(0, 0, 0, 0, 0, 0, 0, 0);

  /// The waters on their way to a replica.
  ///
  /// @param share how full they made the windows, from 0 to 1
  /// @param process where they came from; -1 if none did
  record OnTheWay(double share, int process) {
    static final OnTheWay NOTHING = new OnTheWay(0, -1);
  }

  /// An edge in one process.
  private record Place(int process, String reservoir, String from) {
    static Place of(RunProgress.Edge edge) {
      return new Place(edge.process(), edge.state().reservoir(), edge.state().from());
    }
  }

  /// An edge in all processes.
  private static final class Sums {
    final FlowLoad.Edge edge;
    int senders;
    long creditWaitNanos;
    final Map<Integer, Sum> receivers = new HashMap<>();

    Sums(FlowLoad.Edge edge) {
      this.edge = edge;
    }
  }

  /// A receiver of an edge, in all processes; or what one process has sent to a replica.
  private static final class Sum {
    /// The traffic that comes to the replica, and its process; null and -1 if it is none.
    @Nullable Coming coming;

    int process = -1;
    int streams;
    long waters;
    long bytes;
    double outstanding;
    double window;
  }

  /// The traffic that other processes have sent to a replica, and how much has arrived.
  private static final class Coming {
    final Map<Integer, Sum> from = new HashMap<>();
    double arrived;
  }

  private final Map<Load.Key, Integer> places = new HashMap<>();
  private final Map<List<String>, Sums> edges = new LinkedHashMap<>();
  private final Map<Load.Key, Coming> coming = new HashMap<>();

  /// Looks at what was told.
  ///
  /// @param before the edges at the first moment
  /// @param after the run at the second one
  EdgeTraffic(List<RunProgress.Edge> before, RunProgress after) {
    after.replicas().forEach(each -> places.put(Load.Key.of(each.state()), each.process()));
    Map<Place, RunProgress.Edge> old = new HashMap<>();
    before.forEach(each -> old.put(Place.of(each), each));
    after.edges().forEach(each -> add(each, old.get(Place.of(each))));
  }

  private void add(RunProgress.Edge now, RunProgress.@Nullable Edge old) {
    FlowLoad.Edge edge = now.state();
    Sums sums = edges.computeIfAbsent(List.of(edge.reservoir(), edge.from()), _ -> new Sums(edge));
    sums.senders += edge.senders();
    sums.creditWaitNanos +=
        edge.creditWaitNanos() - (old == null ? 0 : old.state().creditWaitNanos());
    double looks = Math.max(1, now.looks() - (old == null ? 0 : old.looks()));
    List<FlowLoad.Receiver> receivers = edge.receivers();
    List<FlowLoad.Receiver> before = old == null ? List.of() : old.state().receivers();
    for (int i = 0; i < receivers.size(); i++) {
      FlowLoad.Receiver each = receivers.get(i);
      // A process adds receivers behind those that there are.
      FlowLoad.Receiver was =
          i < before.size() && before.get(i).replica() == each.replica() ? before.get(i) : NONE;
      double outstanding = (each.outstanding() - was.outstanding()) / looks;
      double window = (each.window() - was.window()) / looks;
      Sum sum = sums.receivers.get(each.replica());
      if (sum == null) {
        sum = sum(edge.to(), each.replica());
        sums.receivers.put(each.replica(), sum);
      }
      sum.streams += each.streams();
      sum.waters += each.waters() - was.waters();
      sum.bytes += each.bytes() - was.bytes();
      sum.outstanding += outstanding;
      sum.window += window;
      Coming its = sum.coming;
      if (its != null) {
        its.arrived += (each.arrived() - was.arrived()) / looks;
        if (sum.process != now.process()) {
          Sum from = its.from.computeIfAbsent(now.process(), _ -> new Sum());
          from.outstanding += outstanding;
          from.window += window;
        }
      }
    }
  }

  private Sum sum(String stage, int replica) {
    Load.Key key = new Load.Key(stage, replica);
    Sum sum = new Sum();
    Integer place = places.get(key);
    if (place != null) {
      sum.process = place;
      sum.coming = coming.computeIfAbsent(key, _ -> new Coming());
    }
    return sum;
  }

  /// Returns what was on its way to a replica.
  OnTheWay to(Load.Key replica) {
    Coming its = coming.get(replica);
    if (its == null) {
      return OnTheWay.NOTHING;
    }
    OnTheWay most = OnTheWay.NOTHING;
    for (Map.Entry<Integer, Sum> each : its.from.entrySet()) {
      Sum sum = each.getValue();
      double share = sum.window == 0 ? 0 : (sum.outstanding - its.arrived) / sum.window;
      if (share > most.share()) {
        most = new OnTheWay(Math.min(1, share), each.getKey());
      }
    }
    return most;
  }

  /// Returns the traffic of each edge, in the order in which they were told of.
  List<EdgeLoad> edges(long nanos) {
    List<EdgeLoad> all = new ArrayList<>();
    for (Sums each : edges.values()) {
      List<EdgeLoad.Receiver> receivers = new ArrayList<>();
      new TreeMap<>(each.receivers)
          .forEach(
              (replica, sum) ->
                  receivers.add(
                      new EdgeLoad.Receiver(
                          replica,
                          sum.process,
                          sum.streams,
                          sum.waters * NANOS / nanos,
                          sum.bytes * NANOS / nanos,
                          sum.window == 0 ? 0 : Math.clamp(sum.outstanding / sum.window, 0, 1),
                          false)));
      all.add(
          new EdgeLoad(
                  each.edge.reservoir(),
                  each.edge.from(),
                  each.edge.to(),
                  Load.share(each.creditWaitNanos, Math.max(1, nanos * each.senders)),
                  receivers)
              .compared());
    }
    return all;
  }
}
