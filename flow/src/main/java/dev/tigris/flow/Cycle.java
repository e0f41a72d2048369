package dev.tigris.flow;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Looks for stages that lead back to themselves.
final class Cycle {
  private Cycle() {}

  /// Follows the reservoirs from every stage, and returns the stages of a cycle in their order;
  /// none if there is no cycle. Without recursion: a flow may have more stages in a row than a
  /// stack has frames.
  static List<String> find(Collection<String> stages, List<Flow.Edge> edges) {
    Map<String, List<String>> downstream = new HashMap<>();
    for (Flow.Edge edge : edges) {
      downstream.computeIfAbsent(edge.from(), _ -> new ArrayList<>()).add(edge.to());
    }
    Set<String> visited = new HashSet<>();
    // The way to where the search is: each stage, with those behind it that are left to follow.
    var path = new LinkedHashMap<String, Iterator<String>>();
    for (String start : stages) {
      if (visited.add(start)) {
        path.put(start, downstream.getOrDefault(start, List.of()).iterator());
      }
      while (!path.isEmpty()) {
        Iterator<String> left = path.lastEntry().getValue();
        if (!left.hasNext()) {
          path.pollLastEntry();
          continue;
        }
        String next = left.next();
        if (path.containsKey(next)) {
          return path.keySet().stream().dropWhile(stage -> !stage.equals(next)).toList();
        }
        if (visited.add(next)) {
          path.put(next, downstream.getOrDefault(next, List.of()).iterator());
        }
      }
    }
    return List.of();
  }
}
