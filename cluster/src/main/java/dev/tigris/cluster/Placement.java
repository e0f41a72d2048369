package dev.tigris.cluster;

import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Operation.End;
import java.util.HashMap;
import java.util.Map;

/// Says in which process each replica of a flow runs. It is one for all processes of a run, each of
/// which has a number from 0.
///
/// Thread rule: any thread.
@FunctionalInterface
public interface Placement {
  /// Returns the number of the process that a replica of a stage runs in. The answer for a replica
  /// never changes, and is the same in all processes.
  int process(End replica);

  /// Returns a placement that has the replicas of one stage in these processes, dealt in turn, and
  /// all others where this one has them.
  ///
  /// @throws IllegalArgumentException if no process is given
  default Placement with(String stage, int... processes) {
    int[] own = processes.clone();
    if (own.length == 0) {
      throw new IllegalArgumentException(
          "stage %s is placed in no process: name one at least".formatted(stage));
    }
    return replica ->
        replica.name().equals(stage) ? own[replica.index() % own.length] : process(replica);
  }

  /// Deals all replicas to processes in turn, stage by stage in the order of the flow's
  /// description. Replicas that [have to stay together][FlowGraph.Stage#staysTogether] go to one
  /// process, as if they were one replica.
  ///
  /// @throws IllegalArgumentException if `processes` is not positive
  static Placement spread(FlowGraph graph, int processes) {
    if (processes < 1) {
      throw new IllegalArgumentException(
          "a flow cannot be spread over %d processes: let there be one at least"
              .formatted(processes));
    }
    Map<End, Integer> places = new HashMap<>();
    int turn = 0;
    for (FlowGraph.Stage stage : graph.stages()) {
      for (int replica = 0; replica < stage.replicas(); replica++) {
        places.put(new End(stage.name(), replica), turn % processes);
        if (!stage.staysTogether()) {
          turn++;
        }
      }
      if (stage.staysTogether()) {
        turn++;
      }
    }
    return replica -> {
      Integer place = places.get(replica);
      if (place == null) {
        throw new IllegalArgumentException(
            "flow %s has no replica %s".formatted(graph.flow(), replica));
      }
      return place;
    };
  }
}
