package dev.tigris.steering;

import dev.tigris.cluster.Reach;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GuestOrder;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.cluster.run.TapOrder;
import dev.tigris.flow.FlowGraph;
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
import java.util.concurrent.atomic.AtomicInteger;

/// A run whose numbers a test sets: `read` gives to `work`, and `work` to `write`.
final class FakeRun implements ClusterRun {
  static final String HOSTILE = "wo\u001b[2Jrk\"\n";

  final AtomicInteger cancels = new AtomicInteger();
  final AtomicInteger drains = new AtomicInteger();
  final List<String> asked = new ArrayList<>();
  final CompletableFuture<Void> resized = new CompletableFuture<>();
  final List<RunProgress.Replica> replicas = new ArrayList<>();
  final List<RunProgress.Edge> edges = new ArrayList<>();
  RunProgress.Phase phase = RunProgress.Phase.RUNNING;
  int attempt = 1;
  long elapsedNanos;
  FlowGraph graph = chain("read", "work", "write");

  /// Sets what a replica has done.
  void set(String stage, int replica, long calls, long service, long input, long credit) {
    set(0, new FlowSnapshot.Replica(stage, replica, calls, service, input, credit, 0, false));
  }

  /// Sets what a replica has done, and where it is.
  void set(int process, FlowSnapshot.Replica state) {
    replicas.removeIf(
        each ->
            each.state().stage().equals(state.stage())
                && each.state().replica() == state.replica());
    replicas.add(new RunProgress.Replica(process, state));
  }

  static FlowGraph chain(String... stages) {
    List<FlowGraph.Stage> all = new ArrayList<>();
    List<FlowGraph.Edge> edges = new ArrayList<>();
    for (int i = 0; i < stages.length; i++) {
      all.add(new FlowGraph.Stage(stages[i], 4, i == 0, "round-robin", false));
      if (i > 0) {
        edges.add(
            new FlowGraph.Edge(stages[i - 1], stages[i], "r" + i, "lottery", 16, "memory", ""));
      }
    }
    return new FlowGraph("test", all, edges, List.of(), List.of(), false, null);
  }

  @Override
  public Results await() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean await(Duration timeout) {
    return isDone();
  }

  @Override
  public void cancel() {
    int _ = cancels.incrementAndGet();
    phase = RunProgress.Phase.ABORTING;
  }

  @Override
  public void drain() {
    int _ = drains.incrementAndGet();
  }

  @Override
  public CompletableFuture<Void> resize(String stage, int count) {
    asked.add(stage + " " + count);
    return resized;
  }

  @Override
  public CompletableFuture<Void> tap(TapOrder order) {
    asked.add(order.reservoir() + " " + order.perSecond() + " " + order.address());
    return resized;
  }

  @Override
  public CompletableFuture<Void> join(GuestOrder order) {
    asked.add("join " + order.guest().reservoir() + " " + order.process());
    return resized;
  }

  @Override
  public CompletableFuture<Void> leave(Guest guest) {
    asked.add("leave " + guest.reservoir() + " " + guest.key());
    return resized;
  }

  @Override
  public List<Reach> reaches() {
    return List.of(new Reach("x", List.of(new Reach.Way("tcp", "127.0.0.1:9"))));
  }

  @Override
  public String waitsFor() {
    return "read[0] in process 2";
  }

  @Override
  public boolean isDone() {
    return phase == RunProgress.Phase.OVER;
  }

  @Override
  public RunProgress progress() {
    return new RunProgress(attempt, phase, elapsedNanos, replicas, List.of(), edges, Results.NONE);
  }

  @Override
  public FlowGraph graph() {
    return graph;
  }

  @Override
  public Map<String, String> facts() {
    return Map.of("run", "1f", "program", "a.B", "arguments", "");
  }

  @Override
  public Optional<Path> folder() {
    return Optional.empty();
  }
}
