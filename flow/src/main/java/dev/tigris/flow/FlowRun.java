package dev.tigris.flow;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A flow that was started. All methods may be called by any thread.
public interface FlowRun {
  /// Waits until the flow is over: all its threads have ended, and what it held is given back. A
  /// module that blocks where no interrupt reaches it, as in `System.in.read()`, holds that up.
  ///
  /// @throws FlowException if a module has failed; its cause is what the module threw
  /// @throws IllegalStateException if a module of this very flow calls it
  /// @throws java.util.concurrent.CancellationException if it was cancelled
  /// @throws InterruptedException if the waiting thread is interrupted; the flow runs on
  void await() throws FlowException, InterruptedException;

  /// Waits as [#await()] does, but not longer than `timeout`, and returns whether the flow is over.
  /// If not, it runs on.
  boolean await(Duration timeout) throws FlowException, InterruptedException;

  /// Stops the flow and returns at once; [#await()] says when it has stopped. Modules that wait for
  /// a stream stop waiting; the threads of all others are interrupted. Without effect when the
  /// flow is over.
  void cancel();

  /// Whether the flow is over, and nothing of it is left.
  boolean isDone();

  /// Returns the failure as soon as there is one, when the flow may not be over yet; null if there
  /// is none.
  @Nullable FlowException failure();

  /// Returns the state of its modules and streams. Cheap enough to be called many times a second.
  FlowSnapshot snapshot();
}
