package dev.tigris.bench.net;

import java.io.IOException;
import java.util.Optional;

/// Somebody whose messages can be measured.
///
/// @param name as it stands in the results
/// @param missing what would have to be installed first; empty if nothing
/// @param seldom whether its processes start anew for each turn, so that it gets few of them
/// @param starter starts the processes
record Contestant(String name, Optional<String> missing, boolean seldom, Starter starter) {
  /// Starts a pair of processes.
  @FunctionalInterface
  interface Starter {
    Exchange start(Place place) throws IOException, InterruptedException;
  }
}
