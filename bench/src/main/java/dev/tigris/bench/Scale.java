package dev.tigris.bench;

/// The time that a run may take, which decides how narrow its intervals are.
///
/// [#TINY] only shows that every bench works and computes the right results: the tests run it.
/// [#QUICK] takes under two minutes a module. [#FULL] is what stands in `bench/results`.
public enum Scale {
  /// A few milliseconds a figure; its numbers mean nothing.
  TINY,
  /// Under two minutes a module; variants are left out.
  QUICK,
  /// What the results folder holds.
  FULL;

  /// Selects one of three values by scale.
  public int pick(int tiny, int quick, int full) {
    return switch (this) {
      case TINY -> tiny;
      case QUICK -> quick;
      case FULL -> full;
    };
  }
}
