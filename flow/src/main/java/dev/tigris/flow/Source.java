package dev.tigris.flow;

/// An operator without input: where a dataflow begins. The same rules as for [Module] hold.
@FunctionalInterface
public interface Source {
  /// Called once, before anything is produced. The context may be kept.
  default void init(ModuleContext context) throws Exception {}

  /// Puts some waters, or none, and says whether there is more. Called until it returns false, or
  /// until all consumers have ended.
  ///
  /// @throws EndOfStreamException to end at once, without [#finish]
  boolean produce(Stream out) throws Exception;

  /// Called once after `produce` has returned false, to put what is left.
  default void finish(Stream out) throws Exception {}

  /// Called last, and exactly once, for every source whose `init` was called, however the flow
  /// ends.
  default void destroy() throws Exception {}
}
