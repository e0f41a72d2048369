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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

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

  /// Ends what comes into the flow, and returns at once: sources produce nothing more, and feeds
  /// give nothing more, as if they had come to their ends. All that is on its way is worked off,
  /// and the run ends well, with outputs of what it was given so far. If a process is lost
  /// meanwhile, the run fails: it is not tried again. Has no effect when its modules have ended.
  void drain();

  /// Changes the number of replicas of a stage while the modules run, as
  /// [dev.tigris.flow.FlowRun#resize] does. A new replica is in the process that has the fewest of
  /// its stage. An attempt that follows another one begins with the described number.
  ///
  /// @return completes when the stage has that many. It fails with [IllegalStateException] where
  ///     that is not possible, which changes nothing, or if the run ends before
  CompletableFuture<Void> resize(String stage, int replicas);

  /// Sends copies of what is put on a reservoir to a [TapReader] on this host, from now on, while
  /// the modules run. They go until the attempt ends, or the reader closes. Replicas that join
  /// later are tapped, too. A reader that fails is left, and does not disturb the run.
  ///
  /// @return completes when each sender knows of it. It fails with [IllegalStateException] where
  ///     that is not possible
  CompletableFuture<Void> tap(TapOrder order);

  /// Lets a module of another program take part while the modules run, as
  /// [dev.tigris.flow.FlowRun#join] does: it is in [dev.tigris.cluster.GuestStreams]. It waits for
  /// other changes. An attempt that follows another one begins without it.
  ///
  /// @return completes when it takes part. It fails with [IllegalStateException] where that is not
  ///     possible, which changes nothing
  CompletableFuture<Void> join(GuestOrder order);

  /// Lets a guest leave: it gets nothing more, and works off what it has.
  ///
  /// @return completes when it has. It fails with [IllegalStateException] if it does not take part
  CompletableFuture<Void> leave(Guest guest);

  /// Returns where the processes of the run listen for streams, by their numbers; empty before all
  /// of them do. A run on threads begins to listen when this is called.
  List<Reach> reaches();

  /// Returns the modules that a change of a stage waits for, in words: each is in a call, or
  /// leaves. It is empty if no change goes on.
  String waitsFor();

  /// Returns whether the run is over.
  boolean isDone();

  /// Returns what the run is doing now, or has done.
  RunProgress progress();

  /// Returns the stages of the flow that runs, and what joins them.
  FlowGraph graph();

  /// Returns what its folder tells of the run: `run`, its 32 hexadecimal digits, `program`,
  /// `arguments`, and `processes`, 0 for threads. It is empty for a run without a folder.
  Map<String, String> facts();

  /// Returns the folder of the run, with what its workers print; empty for a run on threads, unless
  /// [Cluster#withFolder] says otherwise.
  Optional<Path> folder();
}
