package dev.tigris.bench.runs;

import dev.tigris.cluster.Reach;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GuestOrder;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.cluster.run.TapOrder;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Results;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// A run of three stages and many replicas, all of whose numbers grow, for what steers it.
final class SteeredRun implements ClusterRun {
  static final int REPLICAS = 300;
  private static final List<String> STAGES = List.of("read", "work", "write");
  private static final int PROCESSES = 10;
  private static final long BEAT_NANOS = 250_000_000;

  private final Path folder;
  private final long started = System.nanoTime();
  private volatile Told told = new Told(-1, List.of());

  /// The reports of all processes at a beat.
  private record Told(long looks, List<RunProgress.Edge> edges) {}

  SteeredRun(Path folder) {
    this.folder = folder;
  }

  @Override
  public RunProgress progress() {
    long nanos = System.nanoTime() - started;
    List<RunProgress.Replica> replicas = new ArrayList<>(REPLICAS);
    for (int i = 0; i < REPLICAS; i++) {
      String stage = STAGES.get(i % STAGES.size());
      long calls = nanos / 1000 + i;
      FlowSnapshot.Replica state =
          new FlowSnapshot.Replica(stage, i / STAGES.size(), calls, 900, nanos / 3, 0, 0, false);
      replicas.add(new RunProgress.Replica(i % PROCESSES, state));
    }
    return new RunProgress(
        1, RunProgress.Phase.RUNNING, nanos, replicas, List.of(), edges(nanos), Results.NONE);
  }

  /// Returns what each process tells of the streams from its senders to all receivers: another list
  /// for each beat, as a coordinator has it.
  private List<RunProgress.Edge> edges(long nanos) {
    long looks = nanos / BEAT_NANOS;
    Told known = told;
    if (known.looks() != looks) {
      known = new Told(looks, edges(nanos, looks));
      told = known;
    }
    return known.edges();
  }

  private static List<RunProgress.Edge> edges(long nanos, long looks) {
    List<RunProgress.Edge> edges = new ArrayList<>();
    int each = REPLICAS / STAGES.size();
    int senders = each / PROCESSES;
    for (int process = 0; process < PROCESSES; process++) {
      for (int stage = 1; stage < STAGES.size(); stage++) {
        List<FlowLoad.Receiver> receivers = new ArrayList<>(each);
        for (int i = 0; i < each; i++) {
          long waters = senders * (nanos / 100_000 + i);
          receivers.add(
              new FlowLoad.Receiver(
                  i, senders, waters, waters << 13, 0, 40 * looks, 160 * looks, 0));
        }
        edges.add(
            new RunProgress.Edge(
                process,
                looks,
                new FlowLoad.Edge(
                    STAGES.get(stage),
                    STAGES.get(stage - 1),
                    STAGES.get(stage),
                    senders,
                    nanos,
                    receivers)));
      }
    }
    return edges;
  }

  @Override
  public FlowGraph graph() {
    List<FlowGraph.Stage> stages = new ArrayList<>();
    List<FlowGraph.Edge> edges = new ArrayList<>();
    for (String each : STAGES) {
      int index = stages.size();
      stages.add(
          new FlowGraph.Stage(each, REPLICAS / STAGES.size(), index == 0, "round-robin", false));
      if (index > 0) {
        edges.add(
            new FlowGraph.Edge(STAGES.get(index - 1), each, each, "lottery", 16, "memory", ""));
      }
    }
    return new FlowGraph("steered", stages, edges, List.of(), List.of(), false, null);
  }

  @Override
  public Map<String, String> facts() {
    return Map.of("run", "1f", "program", "bench.Steered", "arguments", "", "processes", "10");
  }

  @Override
  public Optional<Path> folder() {
    return Optional.of(folder);
  }

  @Override
  public CompletableFuture<Void> join(GuestOrder order) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> leave(Guest guest) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Reach> reaches() {
    return List.of();
  }

  @Override
  public String waitsFor() {
    return "";
  }

  @Override
  public boolean isDone() {
    return false;
  }

  @Override
  public Results await() {
    throw new UnsupportedOperationException("it has no end");
  }

  @Override
  public boolean await(Duration timeout) {
    return false;
  }

  @Override
  public void cancel() {}

  @Override
  public void drain() {}

  @Override
  public CompletableFuture<Void> resize(String stage, int replicas) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> tap(TapOrder order) {
    return CompletableFuture.completedFuture(null);
  }
}
