package dev.tigris.bench.fork;

import dev.tigris.bench.Scale;
import java.util.List;

/// A plan by which processes measure a suite.
///
/// @param forks how many processes, one after the other
/// @param flags options of their JVM
/// @param quietMillis warm-up ends when the compiler has finished nothing for so long
/// @param sampleMillis how long one sample of one side is
/// @param pairs samples of each side in each process
public record Plan(int forks, List<String> flags, int quietMillis, int sampleMillis, int pairs) {

  /// A plan with the JVM's own defaults.
  public static Plan of(Scale scale, int quickForks, int fullForks) {
    return new Plan(
        scale.pick(1, quickForks, fullForks),
        List.of(),
        scale.pick(1, 250, 1_000),
        scale.pick(1, 6, 20),
        scale.pick(2, 11, 25));
  }

  /// Returns a copy with other options for the JVM.
  public Plan withFlags(List<String> others) {
    return new Plan(forks, others, quietMillis, sampleMillis, pairs);
  }
}
