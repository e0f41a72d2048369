package dev.tigris.flow;

/// An engine whose outputs do not get their names when the modules have ended: its owner decides
/// that, maybe together with others.
///
/// ```
///   modules run --awaitModules--> ended --prepare--> prepared --publish--> over
///        |                          |                   |
///        +---------cancel-----------+-------------------+----> over, and no output is left
/// ```
///
/// [FlowRun#isDone] and [FlowRun#await()] wait for the decision, too.
///
/// Any thread may call any of the methods.
public interface HeldEngine extends FlowEngine {
  /// Waits until all modules have ended well. The outputs are under temporary names.
  ///
  /// @throws FlowException if the flow has failed; nothing of its outputs is left
  /// @throws java.util.concurrent.CancellationException if it was cancelled
  /// @throws InterruptedException if the waiting thread is interrupted; the flow runs on
  void awaitModules() throws FlowException, InterruptedException;

  /// Brings all outputs to the disk under their temporary names, with their folders. From then on
  /// [#publish] fails only where a name cannot be given.
  ///
  /// @throws FlowException if that fails; nothing of the outputs is left
  /// @throws IllegalStateException if modules run
  /// @throws java.util.concurrent.CancellationException if it was cancelled
  void prepare() throws FlowException;

  /// Prepares the outputs if they are not, and gives all of them their names. It goes on when one
  /// of them fails, and deletes no output that was prepared.
  ///
  /// @throws FlowException if an output could not get its name: the message says where its data is
  /// @throws IllegalStateException if modules run
  /// @throws java.util.concurrent.CancellationException if it was cancelled
  void publish() throws FlowException;
}
