package dev.tigris.cluster.run;

import dev.tigris.cluster.Reach;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Results;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A run on processes, as the user sees it.
final class ProcessesRun implements ClusterRun {
  /// How long the end of this JVM waits for that of the run.
  private static final Duration LAST = Duration.ofSeconds(10);

  private final Coordinator coordinator;
  private final Path folder;

  private ProcessesRun(Coordinator coordinator, Path folder) {
    this.coordinator = coordinator;
    this.folder = folder;
  }

  /// Starts the coordinator's thread. If this JVM is asked to end, the run is cancelled.
  static ProcessesRun start(Coordinator coordinator, Path folder) {
    ProcessesRun run = new ProcessesRun(coordinator, folder);
    Thread hook = new Thread(run::end, "tigris-run-end");
    Runtime.getRuntime().addShutdownHook(hook);
    Thread.ofPlatform()
        .name("tigris-run")
        .start(
            () -> {
              coordinator.run();
              forget(hook);
            });
    return run;
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is ending, and the hook with it
    }
  }

  private void end() {
    cancel();
    try {
      coordinator.over().get(LAST.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      // its workers end with this process
    }
  }

  @Override
  public Results await() throws RunException, InterruptedException {
    try {
      return coordinator.over().get().results();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the coordinator has failed", e.getCause());
    }
  }

  @Override
  public boolean await(Duration timeout) throws RunException, InterruptedException {
    try {
      Ending ending =
          coordinator.over().get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
      Results _ = ending.results();
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the coordinator has failed", e.getCause());
    }
  }

  @Override
  public void cancel() {
    coordinator.cancel();
  }

  @Override
  public void drain() {
    coordinator.drain();
  }

  @Override
  public CompletableFuture<Void> resize(String stage, int replicas) {
    return coordinator.resize(stage, replicas);
  }

  @Override
  public CompletableFuture<Void> tap(TapOrder order) {
    return coordinator.tap(order);
  }

  @Override
  public CompletableFuture<Void> join(GuestOrder order) {
    return coordinator.join(order);
  }

  @Override
  public CompletableFuture<Void> leave(Guest guest) {
    return coordinator.leave(guest);
  }

  @Override
  public List<Reach> reaches() {
    return coordinator.reaches();
  }

  @Override
  public String waitsFor() {
    return coordinator.waitsFor();
  }

  @Override
  public boolean isDone() {
    return coordinator.over().isDone();
  }

  @Override
  public RunProgress progress() {
    return coordinator.progress();
  }

  @Override
  public FlowGraph graph() {
    return coordinator.graph();
  }

  @Override
  public Map<String, String> facts() {
    return coordinator.facts();
  }

  @Override
  public Optional<Path> folder() {
    return Optional.of(folder);
  }
}
