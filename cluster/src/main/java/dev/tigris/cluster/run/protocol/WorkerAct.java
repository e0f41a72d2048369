package dev.tigris.cluster.run.protocol;

import java.util.List;

/// One thing that a [WorkerProtocol] wants done, in the order in which it is given.
public sealed interface WorkerAct {
  /// Send a report. It may get lost.
  ///
  /// @param report the report
  record Send(Report report) implements WorkerAct {}

  /// Describe the flow. Then tell [WorkerProtocol#described] or [WorkerProtocol#failed].
  record Describe() implements WorkerAct {}

  /// Make the streams. Then tell [WorkerProtocol#wired] or [WorkerProtocol#failed].
  ///
  /// @param addresses where the streams of each worker are reached
  record Wire(List<String> addresses) implements WorkerAct {
    /// An act with its own list.
    public Wire {
      addresses = List.copyOf(addresses);
    }
  }

  /// Make the modules, and let them initialize. Then tell [WorkerProtocol#initialized] or
  /// [WorkerProtocol#failed].
  record Initialize() implements WorkerAct {}

  /// Let the modules run. Then tell [WorkerProtocol#ended] or [WorkerProtocol#failed].
  record Run() implements WorkerAct {}

  /// End what comes into the flow. The modules run, or have ended just now.
  record Drain() implements WorkerAct {}

  /// Bring the outputs and their note to the disk. Then tell [WorkerProtocol#prepared] or
  /// [WorkerProtocol#failed].
  record Prepare() implements WorkerAct {}

  /// Give the outputs their names, and delete nothing. Then tell [WorkerProtocol#published].
  record Publish() implements WorkerAct {}

  /// End the modules, or else the process, within the time of [Limits#fenceNanos]. Close the
  /// streams, and delete all outputs of the attempt, prepared ones too. Then tell
  /// [WorkerProtocol#stopped].
  ///
  /// @param reason why
  record Stop(String reason) implements WorkerAct {}

  /// Leave the prepared outputs and their note where they are, and tell the user how to recover.
  record Keep() implements WorkerAct {}

  /// End the process.
  record Leave() implements WorkerAct {}
}
