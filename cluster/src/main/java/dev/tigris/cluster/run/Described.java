package dev.tigris.cluster.run;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Operation.End;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A flow as its program describes it, and where that wants its replicas.
///
/// @param program which has described it
/// @param flow the flow
/// @param graph what the flow says of itself
/// @param places the process of each replica, by stage
record Described(
    FlowProgram program, Flow flow, FlowGraph graph, Map<String, List<Integer>> places) {
  Described {
    places = new LinkedHashMap<>(places);
  }

  /// Lets a program describe its flow.
  ///
  /// @throws IllegalArgumentException if it wants replicas where there is no process, or has those
  ///     apart that have to be together
  static Described of(FlowProgram program, Arguments arguments) throws Exception {
    Flow flow = program.describe(arguments);
    FlowGraph graph = flow.graph();
    Placement placement = program.place(graph, arguments);
    Map<String, List<Integer>> places = new LinkedHashMap<>();
    for (FlowGraph.Stage stage : graph.stages()) {
      List<Integer> its = new ArrayList<>();
      for (int replica = 0; replica < stage.replicas(); replica++) {
        its.add(place(placement, new End(stage.name(), replica), arguments.processes()));
      }
      if (stage.staysTogether() && new HashSet<>(its).size() > 1) {
        throw new IllegalArgumentException(
            "the replicas of stage %s share a file and have to be in one process, and are placed in %s"
                .formatted(stage.name(), its));
      }
      places.put(stage.name(), its);
    }
    return new Described(program, flow, graph, places);
  }

  private static int place(Placement placement, End replica, int processes) {
    int place = placement.process(replica);
    if (place < 0 || place >= processes) {
      throw new IllegalArgumentException(
          "replica %s is placed in process %d, and there are %d, from 0"
              .formatted(replica, place, processes));
    }
    return place;
  }

  /// Returns where the replicas are.
  Placement placement() {
    return replica -> {
      List<Integer> its = places.get(replica.name());
      if (its == null) {
        throw new IllegalArgumentException("there is no stage of " + replica);
      }
      return its.get(replica.index());
    };
  }
}
