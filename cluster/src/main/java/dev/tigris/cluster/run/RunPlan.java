package dev.tigris.cluster.run;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Operation;
import java.util.ArrayList;
import java.util.List;

/// The flow that a program describes, and where a run would have its replicas.
///
/// @param flow the description
/// @param processes how many processes there are; 1 on threads
public record RunPlan(FlowGraph flow, int processes) {
  /// Returns the process of each replica of a stage.
  ///
  /// @throws IllegalArgumentException if there is no such stage
  public List<Integer> places(String stage) {
    FlowGraph.Stage found =
        flow.stages().stream()
            .filter(each -> each.name().equals(stage))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "flow %s has no stage %s".formatted(flow.flow(), stage)));
    Placement placement = Placement.spread(flow, processes);
    List<Integer> places = new ArrayList<>();
    for (int replica = 0; replica < found.replicas(); replica++) {
      places.add(placement.process(new Operation.End(stage, replica)));
    }
    return places;
  }
}
