package dev.tigris.flow;

/// An operator without input: where a dataflow begins. The same rules as for [Module] hold.
@FunctionalInterface
public interface Source extends Operator {
  /// Puts some waters, or none, and says whether there is more. Called until it returns false, or
  /// until all consumers have ended.
  ///
  /// @throws EndOfStreamException to end at once, without [#finish]
  boolean produce(Stream out) throws Exception;
}
