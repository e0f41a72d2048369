package dev.tigris.flow;

/// A source of waters. Every stream has a spring, and carries its waters without a copy.
@FunctionalInterface
public interface Spring {
  /// Returns a water with room for at least `bytes` bytes, and of that size until [Water#setSize]
  /// changes it. The water may have been used before, so its data is arbitrary. This call never
  /// waits: [Stream#put] is what limits a module. [Water#footprintBytes(int)] says how much memory
  /// a new water takes.
  ///
  /// @throws IllegalArgumentException if `bytes` is negative
  /// @throws dev.tigris.memory.MemoryBudgetException if there is no memory for it
  Water createWater(int bytes);
}
