package dev.tigris.bench.net;

import java.io.IOException;
import java.util.Optional;

/// A provider or a rival whose messages can be measured.
///
/// @param name as it stands in the results
/// @param missing the package to install first; empty if it is there
/// @param manner how it is measured, and what it says
/// @param starter starts the processes
record Contestant(String name, Optional<String> missing, Manner manner, Starter starter) {
  /// The way in which a contestant is measured.
  enum Manner {
    /// Its processes live as long as those of all others. It says everything.
    STANDING,
    /// Its processes start anew for each turn, so that it gets few of them. It knows no tails.
    TOOL,
    /// As a tool, for round trips only.
    PING_PONG_TOOL
  }

  boolean isSeldom() {
    return manner != Manner.STANDING;
  }

  boolean hasTails() {
    return manner == Manner.STANDING;
  }

  boolean hasBandwidth() {
    return manner != Manner.PING_PONG_TOOL;
  }

  /// Starts a pair of processes.
  @FunctionalInterface
  interface Starter {
    Exchange start(Place place) throws IOException, InterruptedException;
  }
}
