package dev.tigris.cluster.run;

import dev.tigris.flow.FlowGraph;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The flow that a program describes, and where a run would have its replicas. Later versions may
/// have more components, so read them by their methods and construct none yourself.
///
/// @param flow the description
/// @param processes how many processes there are; 1 on threads
/// @param places the process of each replica, from 0, by stage
/// @param warnings what is likely to be wrong on several processes
public record RunPlan(
    FlowGraph flow, int processes, Map<String, List<Integer>> places, List<String> warnings) {
  /// Copies the collections.
  public RunPlan {
    places = new LinkedHashMap<>(places);
    warnings = List.copyOf(warnings);
  }

  /// Returns the process of each replica of a stage.
  ///
  /// @throws IllegalArgumentException if there is no such stage
  public List<Integer> places(String stage) {
    List<Integer> its = places.get(stage);
    if (its == null) {
      throw new IllegalArgumentException("flow %s has no stage %s".formatted(flow.flow(), stage));
    }
    return its;
  }
}
