package dev.tigris.flow;

/// The code of a stage of a [Flow]: a [Module] or a [Source]. Each replica is an instance of its
/// own with a thread of its own, which calls all methods.
public interface Operator {
  /// Called once, before the first water. The context may be kept. No water moves before all
  /// operators have been through this: it may put waters as far as there is credit, and a call that
  /// would wait for credit, or for a water, throws [IllegalStateException].
  default void init(ModuleContext context) throws Exception {}

  /// Called once when every input has ended, or a source has no more, to put what is left. Not
  /// called after an early end: neither when the operator itself threw [EndOfStreamException], nor
  /// when all of its consumers have ended.
  default void finish(Stream out) throws Exception {}

  /// Called last, and exactly once, for every operator whose `init` was called, however the flow
  /// ends. It cannot tell success from failure; [FlowRun#await] can.
  default void destroy() throws Exception {}
}
