package dev.tigris.cluster.run;

import dev.tigris.flow.Results;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/// A run that was started by [Cluster#start]. Any thread may call any of the methods.
public interface ClusterRun {
  /// Waits until the run is over: its modules have ended, its outputs have their names, and its
  /// processes are gone.
  ///
  /// @return what the modules of the attempt that ended well have told
  /// @throws RunException if the run has failed
  /// @throws CancellationException if it was cancelled
  /// @throws InterruptedException if the waiting thread is interrupted; the run goes on
  Results await() throws RunException, InterruptedException;

  /// Waits as [#await()] does, for `timeout` at most, and returns whether the run is over. A run
  /// that is not over goes on.
  boolean await(Duration timeout) throws RunException, InterruptedException;

  /// Stops the run and returns at once; [#await()] waits until it has stopped. Has no effect once
  /// the outputs are about to get their names.
  void cancel();

  /// Stops the run and waits until it is over, however it ends. An interrupt does not end the wait:
  /// the thread is interrupted again when this returns.
  default void cancelAndAwait() {
    cancel();
    boolean isInterrupted = false;
    while (!isDone()) {
      try {
        Results _ = await();
      } catch (RunException | CancellationException e) {
        break;
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns whether the run is over.
  boolean isDone();

  /// Returns what the run is doing now, or has done.
  RunProgress progress();

  /// Returns the folder of the run, with what its workers print; empty for a run on threads.
  Optional<Path> folder();
}
