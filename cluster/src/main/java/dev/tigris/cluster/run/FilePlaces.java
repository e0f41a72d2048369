package dev.tigris.cluster.run;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Operation.End;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Has replicas that read files run where these lie, and deals all others to the processes in turn.
/// A replica is dealt with the others if each process has its files, or if none has all of them.
final class FilePlaces {
  private final int processes;
  private final Placement spread;
  private final Map<Path, List<Integer>> where;
  private final Map<End, Integer> places = new HashMap<>();

  /// How many replicas of all stages each process has.
  private final int[] placed;

  private FilePlaces(int processes, Placement spread, Map<Path, List<Integer>> where) {
    this.processes = processes;
    this.spread = spread;
    this.where = where;
    this.placed = new int[processes];
  }

  /// Says where files lie.
  interface Where {
    /// Returns how many hosts there are.
    int hosts();

    /// Returns for each file the processes on whose host it lies.
    ///
    /// @throws IOException if a host does not answer
    List<List<Integer>> processesWith(List<Path> files) throws IOException;
  }

  /// The processes are on one host.
  record OneHost(int processes) implements Where {
    @Override
    public int hosts() {
      return 1;
    }

    @Override
    public List<List<Integer>> processesWith(List<Path> files) {
      List<Integer> all = IntStream.range(0, processes).boxed().toList();
      return files.stream().map(file -> Files.exists(file) ? all : List.<Integer>of()).toList();
    }
  }

  /// Returns where the replicas of a flow are.
  ///
  /// @throws IOException if a host does not answer
  static Placement of(FlowGraph graph, Arguments arguments) throws IOException {
    Placement spread = Placement.spread(graph, arguments.processes());
    Map<End, Set<Path>> read = read(graph);
    if (read.isEmpty() || arguments.hosts() == 1) {
      return spread;
    }
    Set<Path> files = new LinkedHashSet<>();
    read.values().forEach(files::addAll);
    var places = new FilePlaces(arguments.processes(), spread, arguments.processesWith(files));
    for (FlowGraph.Stage stage : graph.stages()) {
      places.place(stage, read);
    }
    return replica -> places.places.getOrDefault(replica, spread.process(replica));
  }

  /// Returns the files that each replica reads.
  private static Map<End, Set<Path>> read(FlowGraph graph) {
    Map<String, FlowGraph.Stage> stages = new HashMap<>();
    graph.stages().forEach(stage -> stages.put(stage.name(), stage));
    Map<End, Set<Path>> read = new LinkedHashMap<>();
    for (FlowGraph.Feed feed : graph.feeds()) {
      FlowGraph.@Nullable Stage stage = stages.get(feed.stage());
      for (int i = 0; stage != null && i < feed.reads().size(); i++) {
        List<Path> its = feed.reads().get(i);
        if (!its.isEmpty()) {
          int replica = stage.staysTogether() ? 0 : i % stage.replicas();
          read.computeIfAbsent(new End(feed.stage(), replica), end -> new LinkedHashSet<>())
              .addAll(its);
        }
      }
    }
    return read;
  }

  private void place(FlowGraph.Stage stage, Map<End, Set<Path>> read) {
    int[] taken = new int[processes];
    int parts = stage.staysTogether() ? 1 : stage.replicas();
    for (int part = 0; part < parts; part++) {
      End end = new End(stage.name(), part);
      Set<Path> its = read.get(end);
      int place = its == null ? spread.process(end) : nearest(its, taken, spread.process(end));
      taken[place]++;
      placed[place]++;
      places.put(end, place);
    }
    for (int replica = parts; replica < stage.replicas(); replica++) {
      int together = places.getOrDefault(new End(stage.name(), 0), 0);
      places.put(new End(stage.name(), replica), together);
    }
  }

  /// Returns the process that has the files, and the fewest replicas of the stage, and then of all.
  private int nearest(Set<Path> files, int[] taken, int otherwise) {
    Set<Integer> have = new TreeSet<>();
    IntStream.range(0, processes).forEach(have::add);
    for (Path file : files) {
      have.retainAll(where.getOrDefault(file, List.of()));
    }
    if (have.isEmpty() || have.size() == processes) {
      return otherwise;
    }
    return Collections.min(
        have,
        Comparator.<Integer>comparingInt(process -> taken[process])
            .thenComparingInt(process -> placed[process]));
  }
}
