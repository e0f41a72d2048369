package dev.tigris.cli.demo;

import dev.tigris.flow.Reservoir;

/// The ways of choosing a consumer that [PerturbedReservoir] compares.
public enum Balancing {
  /// One after the other, whether it is slow or not (the papers' deterministic reservoir, in the
  /// hands of the sending module).
  ROUTED("routed"),
  /// One after the other.
  ROUND_ROBIN("round-robin"),
  /// Any that has credit.
  RANDOM("random"),
  /// Any, the more likely the more credit it has.
  LOTTERY("lottery"),
  /// The one expected to finish first.
  LEAST_OUTSTANDING("least-outstanding");

  private final String label;

  Balancing(String label) {
    this.label = label;
  }

  /// Returns its name in tables and figures.
  public String label() {
    return label;
  }

  Reservoir reservoir() {
    return switch (this) {
      case ROUTED -> Reservoir.routed();
      case ROUND_ROBIN -> Reservoir.roundRobin();
      case RANDOM -> Reservoir.random();
      case LOTTERY -> Reservoir.lottery();
      case LEAST_OUTSTANDING -> Reservoir.leastOutstanding();
    };
  }
}
