package dev.tigris.flow;

/// The code of a stage of a [Flow]: a [Module] or a [Source]. Each replica is an instance of its
/// own with a thread of its own, on which all methods are called.
public interface Operator {
  /// Prepares the operator; called once, before the first water. The operator may keep the context.
  /// No water moves before this method has returned for all operators of the flow. It may put
  /// waters as far as there is credit. A call that would wait, for credit or for a water, throws
  /// [IllegalStateException].
  default void init(ModuleContext context) throws Exception {}

  /// Puts what is left; called once, when every input has ended or a source has no more. It is not
  /// called after an early end: neither when the operator threw [EndOfStreamException], nor when
  /// all of its receivers have ended.
  default void finish(Stream out) throws Exception {}

  /// Releases what the operator holds; called last and exactly once, for every operator whose
  /// `init` was called, however the flow ends. It cannot tell success from failure; [FlowRun#await]
  /// can.
  default void destroy() throws Exception {}
}
