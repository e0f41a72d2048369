package dev.tigris.bench.cluster;

import dev.tigris.flow.Flow;
import java.util.List;

/// A flow that two processes run, of which each describes all.
interface Experiment {
  /// Returns the whole flow.
  Flow flow();

  /// Returns the numbers that the modules of this process have found, when its part is over.
  List<Double> numbers();

  /// Returns an experiment of a name, with the numbers that say how it is set up.
  static Experiment named(String name, List<String> setUp) {
    return switch (name) {
      case Stall.NAME -> Stall.of(setUp);
      case Perturbed.NAME -> Perturbed.of(setUp);
      default -> throw new IllegalArgumentException("there is no experiment " + name);
    };
  }
}
