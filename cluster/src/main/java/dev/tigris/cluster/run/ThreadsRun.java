package dev.tigris.cluster.run;

import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Results;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A run on threads of this JVM.
///
/// @param flow which runs
record ThreadsRun(FlowRun flow) implements ClusterRun {
  @Override
  public Results await() throws RunException, InterruptedException {
    try {
      flow.await();
      return flow.results();
    } catch (FlowException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean await(Duration timeout) throws RunException, InterruptedException {
    try {
      return flow.await(timeout);
    } catch (FlowException e) {
      throw failed(e);
    }
  }

  private static RunException failed(FlowException e) {
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
  public boolean isDone() {
    return flow.isDone();
  }

  @Override
  public RunProgress progress() {
    FlowSnapshot now = flow.snapshot();
    return new RunProgress(
        1,
        now.state() == FlowSnapshot.State.RUNNING
            ? RunProgress.Phase.RUNNING
            : RunProgress.Phase.OVER,
        now.elapsedNanos(),
        now.replicas().stream().map(state -> new RunProgress.Replica(0, state)).toList(),
        List.of(),
        flow.results().withoutObjects());
  }

  @Override
  public Optional<Path> folder() {
    return Optional.empty();
  }
}
