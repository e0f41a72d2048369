package dev.tigris.flow;

import java.util.concurrent.CompletableFuture;

/// The modules and streams of one flow in this process, and the operations that make, join, start
/// and stop them (*TigrisMgr* in Welsh and Culler, 2000, section 2.4). [Flow#start] applies the
/// operations of the whole flow to a new engine. A program that calls [Flow#engine] applies them
/// itself, in an order of its own, also while modules run.
///
/// Each module's own thread applies the operations on that module, one after the other in the order
/// of the calls, between two calls of the module.
///
/// Any thread may call any of the methods.
public interface FlowEngine extends FlowRun {
  /// The outcome of an operation that was not refused.
  enum Answer {
    /// It was applied.
    APPLIED,
    /// Nothing was changed, because the module or the whole flow had ended.
    ENDED
  }

  /// Applies an operation: at once what makes a module or a stream; on the module's thread all
  /// other operations. Actions that depend on what this returns may run on the module's thread, and
  /// must not wait.
  ///
  /// @return its outcome. It fails with [IllegalStateException] if the operation is not possible in
  ///     the module's state, or with [FlowException] if a stream could not be opened, which fails
  ///     the flow, too
  /// @throws IllegalArgumentException if the operation names a module or stream that does not exist
  ///     or exists already, makes a stream that is not one of the flow's description, or joins a
  ///     stream to a module that is not at its end
  CompletableFuture<Answer> apply(Operation operation);

  /// Makes a step of a change of a stage's replicas, also in a flow that was sealed: it is not over
  /// as long as a module runs. It is answered as an operation is.
  ///
  /// @param part says where the ends of new streams are
  CompletableFuture<Answer> apply(Resizing.Step step, FlowPart part);

  /// Adds the stages by which a guest takes part to the flow. They have no replica before steps of
  /// a change add it. A guest that is known changes nothing.
  ///
  /// @throws IllegalArgumentException if it cannot take part
  void meet(Guest guest);

  /// Lets the flow be over when all its modules have ended: no module is created any more. Without
  /// this call, a flow whose modules have ended waits for others.
  void seal();
}
