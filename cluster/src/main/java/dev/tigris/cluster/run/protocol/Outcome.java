package dev.tigris.cluster.run.protocol;

import java.nio.ByteBuffer;
import java.util.List;

/// The end of a run.
public sealed interface Outcome {
  /// An attempt has succeeded.
  ///
  /// @param attempt which attempt
  /// @param results what the modules of each worker have counted, by worker
  /// @param unnamed says of each output that has not its name yet, where it lies and why: it is
  ///     left to recovery
  /// @param unclosed which streams have failed as they were closed, after the decision
  record Done(int attempt, List<ByteBuffer> results, List<String> unnamed, List<Failure> unclosed)
      implements Outcome {
    /// An outcome with its own lists.
    public Done {
      results = List.copyOf(results);
      unnamed = List.copyOf(unnamed);
      unclosed = List.copyOf(unclosed);
    }
  }

  /// Each attempt has failed, and none of their outputs has its name.
  ///
  /// @param attempts how often it was tried
  /// @param failure why the last one has failed
  record Failed(int attempts, Failure failure) implements Outcome {}

  /// The outputs are prepared, and the decision could not be written: maybe it is on the disk.
  /// Recovery finds out.
  ///
  /// @param attempt which attempt
  /// @param failure what has failed
  record Undecided(int attempt, Failure failure) implements Outcome {}
}
