package dev.tigris.bench.runs;

import java.io.IOException;
import java.nio.file.Path;

/// A system whose start is timed.
interface Contender {
  /// Returns its name as a peer.
  String name();

  /// Starts it, from nothing, and lets it work on a few elements and end.
  ///
  /// @param work for its own files
  /// @param notes for the notes of [FirstWaters]
  /// @return when it was started, in nanoseconds of the system's clock
  long start(Path work, Path notes) throws IOException, InterruptedException;
}
