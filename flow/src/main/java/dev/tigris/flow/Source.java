package dev.tigris.flow;

/// An operator without input, where a dataflow begins. The rules of [Module] hold for it too.
@FunctionalInterface
public interface Source extends Operator {
  /// Puts some waters, or none, and returns whether there is more. The engine calls it until it
  /// returns false, or until all receivers have ended.
  ///
  /// @throws EndOfStreamException if the source has to end at once, without [#finish]
  boolean produce(Stream out) throws Exception;
}
