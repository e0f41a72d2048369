package dev.tigris.flow;

/// Where waters come from. Every stream has one, whose waters it carries without a copy.
@FunctionalInterface
public interface Spring {
  /// A water with room for at least `bytes` bytes, and of that size until [Water#setSize] says
  /// otherwise. What it holds is arbitrary: it may have been used before. It never waits; what
  /// limits a module is [Stream#put].
  ///
  /// It takes 64 bytes more than that, rounded up: above 1 MiB to whole 2 MiB.
  ///
  /// @throws IllegalArgumentException if `bytes` is negative
  /// @throws dev.tigris.memory.MemoryBudgetException if there is no memory for it
  Water createWater(int bytes);
}
