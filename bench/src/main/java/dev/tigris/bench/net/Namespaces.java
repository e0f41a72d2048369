package dev.tigris.bench.net;

import java.util.Optional;

/// Whether this machine makes network namespaces.
public final class Namespaces {
  private Namespaces() {}

  /// Why it does not, or why a command is missing; empty if all is there.
  ///
  /// @param command of the package iproute2
  public static Optional<String> obstacle(String command) {
    return Place.namespaceObstacle()
        .or(
            () ->
                Place.isInstalled(command)
                    ? Optional.empty()
                    : Optional.of("%s is missing: install iproute2".formatted(command)));
  }
}
