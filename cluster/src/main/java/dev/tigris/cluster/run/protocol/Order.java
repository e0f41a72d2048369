package dev.tigris.cluster.run.protocol;

import java.util.List;

/// A message of the coordinator to a worker, at each change and as the answer to each report.
///
/// @param epoch the worker's attempt
/// @param answered the highest number of this worker's reports that has come; 0 if none has
/// @param step what to do, unless it was done already
public record Order(Epoch epoch, long answered, Step step) {
  /// The things to do, in the order in which they come.
  public sealed interface Step {
    /// Wait for the others.
    record Wait() implements Step {}

    /// Describe the flow. What to describe travels beside this.
    record Describe() implements Step {}

    /// Make the streams.
    ///
    /// @param addresses where the streams of each worker are reached
    record Wire(List<String> addresses) implements Step {
      /// A step with its own list.
      public Wire {
        addresses = List.copyOf(addresses);
      }
    }

    /// Make the modules, and let them initialize.
    record Initialize() implements Step {}

    /// Let the modules run.
    record Run() implements Step {}

    /// Let the modules run, and end what comes into the flow.
    record Drain() implements Step {}

    /// Bring the outputs to the disk, and vote.
    record Prepare() implements Step {}

    /// Give the outputs their names: the decision is on the disk.
    record Publish() implements Step {}

    /// End the modules, and delete all outputs of the attempt.
    ///
    /// @param reason why
    record Abort(String reason) implements Step {}

    /// End the process: nothing more is expected of it.
    record Leave() implements Step {}
  }
}
