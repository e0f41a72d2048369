package dev.tigris.flow;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A flow that was started. Any thread may call any of the methods.
public interface FlowRun {
  /// Waits until the flow is over: all its threads have ended and its streams are closed. A module
  /// that blocks where no interrupt reaches it, as in `System.in.read()`, delays that.
  ///
  /// @throws FlowException if a module has failed; its cause is what the module threw
  /// @throws IllegalStateException if a module of this flow calls it
  /// @throws java.util.concurrent.CancellationException if it was cancelled
  /// @throws InterruptedException if the waiting thread is interrupted; the flow runs on
  void await() throws FlowException, InterruptedException;

  /// Waits as [#await()] does, for `timeout` at most, and returns whether the flow is over. A flow
  /// that is not over runs on.
  boolean await(Duration timeout) throws FlowException, InterruptedException;

  /// Stops the flow and returns at once; [#await()] waits until it has stopped. Modules that wait
  /// for a stream stop waiting, and all other threads of the flow are interrupted. Has no effect
  /// once the flow is over.
  void cancel();

  /// Ends what comes into the flow, and returns at once: sources produce nothing more, and feeds
  /// give nothing more, as if they had come to their ends. So the waters that are on their way are
  /// worked off, and the flow ends well with what it was given so far. A call of a module that
  /// takes long delays that. Has no effect once the flow is over.
  void drain();

  /// Changes the number of replicas of a stage while the flow runs. New ones get their share by the
  /// policies of the reservoirs. Those that leave take what was put before, and finish. No water is
  /// lost, doubled or reordered on its stream. A call of a module that takes long delays that.
  ///
  /// [ModuleContext#replicas] stays what it was at the start. Replicas count on: a new one never
  /// has the number of one that has left.
  ///
  /// @return completes when the stage has that many. It fails with [IllegalStateException] where
  ///     that is not possible, which changes nothing: a stage that is a source, has a feed or a
  ///     drain, is behind a routed reservoir, or has ended; or while another change goes on
  CompletableFuture<Void> resize(String stage, int replicas);

  /// Lets a replica of another program take part, while the flow runs. It gets its share by the
  /// policies of the reservoirs.
  ///
  /// @param streams says that the guest is elsewhere, and gives the streams from and to it. One
  ///     that has ended when it is opened tells that the guest cannot be reached
  /// @return completes when it takes part. It fails with [IllegalStateException] where that is not
  ///     possible, which changes nothing. When it takes part and is lost, the flow fails
  CompletableFuture<Void> join(Guest guest, FlowPart streams);

  /// Lets a guest leave: it gets nothing more, and works off what it has.
  ///
  /// @return completes when it has. It fails with [IllegalStateException] if it does not take part,
  ///     or another change goes on
  CompletableFuture<Void> leave(Guest guest);

  /// Copies what is put on a reservoir, from now on, for the reader of a tap. Replicas that join
  /// later are tapped, too.
  ///
  /// @return completes when each sender knows the tap, which a call of a module that takes long
  ///     delays. It fails with [IllegalStateException] if the flow has ended
  /// @throws IllegalArgumentException if no reservoir or drain has the tap's name
  CompletableFuture<Void> tap(Tap tap);

  /// Returns the flow as it is, with the stages of guests.
  FlowGraph graph();

  /// Returns the modules that a change of a stage waits for: each is in a call, or leaves.
  List<Operation.End> waitsFor();

  /// Returns whether the flow is over: all its threads have ended and its streams are closed.
  boolean isDone();

  /// Returns the failure of the flow as soon as there is one, even if the flow is not over yet, or
  /// null.
  @Nullable FlowException failure();

  /// Returns what the flow is doing now, or has done. It is cheap enough to be called many times a
  /// second.
  FlowSnapshot snapshot();

  /// Returns the work of the modules so far, and what goes over the edges. It is much smaller than
  /// [#snapshot] where there are many streams. Some of it are sums over all calls of this.
  FlowLoad load();

  /// Returns what the modules have told so far by [ModuleContext#results]. It is complete when the
  /// flow is over.
  Results results();
}
