package dev.tigris.cluster.run;

import dev.tigris.cluster.Reach;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Results;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A run on threads of this JVM.
///
/// @param flow which runs
/// @param noted its folder; null if it has none
/// @param guests of other programs
record ThreadsRun(FlowRun flow, @Nullable ThreadsFolder noted, ThreadsGuests guests)
    implements ClusterRun {
  static ThreadsRun of(Described described, FlowRun flow, @Nullable ThreadsFolder noted) {
    return new ThreadsRun(flow, noted, new ThreadsGuests(described.flow(), flow));
  }

  @Override
  public Results await() throws RunException, InterruptedException {
    if (noted != null) {
      noted.await();
    }
    try {
      flow.await();
      return flow.results();
    } catch (FlowException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean await(Duration timeout) throws RunException, InterruptedException {
    if (noted != null && !noted.await(timeout)) {
      return false;
    }
    try {
      return flow.await(timeout);
    } catch (FlowException e) {
      throw failed(e);
    }
  }

  static RunException failed(FlowException e) {
    return new RunException(
        e.phase() == FlowException.Phase.CLOSE
            ? RunException.Kind.OUTPUT
            : RunException.Kind.MODULE,
        1,
        "the run failed: " + e.getMessage(),
        e.getCause() == null ? e : e.getCause());
  }

  @Override
  public void cancel() {
    flow.cancel();
  }

  @Override
  public void drain() {
    flow.drain();
  }

  @Override
  public CompletableFuture<Void> resize(String stage, int replicas) {
    return flow.resize(stage, replicas);
  }

  @Override
  public CompletableFuture<Void> tap(TapOrder order) {
    String why = order.refusal(graph());
    return why == null
        ? TapLine.open(order, 0, flow).attached()
        : CompletableFuture.failedFuture(new IllegalStateException(why));
  }

  @Override
  public CompletableFuture<Void> join(GuestOrder order) {
    return guests.join(order);
  }

  @Override
  public CompletableFuture<Void> leave(Guest guest) {
    return flow.leave(guest);
  }

  @Override
  public List<Reach> reaches() {
    return guests.reaches();
  }

  @Override
  public FlowGraph graph() {
    return flow.graph();
  }

  @Override
  public String waitsFor() {
    return flow.waitsFor().stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  @Override
  public boolean isDone() {
    return noted == null ? flow.isDone() : noted.isOver();
  }

  @Override
  public RunProgress progress() {
    FlowSnapshot now = flow.snapshot();
    FlowLoad load = flow.load();
    return new RunProgress(
        1,
        now.state() == FlowSnapshot.State.RUNNING
            ? RunProgress.Phase.RUNNING
            : RunProgress.Phase.OVER,
        now.elapsedNanos(),
        RunProgress.replicas(0, load),
        List.of(),
        RunProgress.edges(0, load),
        flow.results().withoutObjects());
  }

  @Override
  public Map<String, String> facts() {
    return noted == null ? Map.of() : noted.facts();
  }

  @Override
  public Optional<Path> folder() {
    return Optional.ofNullable(noted).map(ThreadsFolder::path);
  }
}
