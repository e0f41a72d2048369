package dev.tigris.bench.runs;

import dev.tigris.bench.sort.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Processes that are timed by the clock that all processes of a host share.
final class Commands {
  private Commands() {}

  /// Runs a command to its end, and returns when it was started.
  static long timed(List<String> words, Path work) throws IOException, InterruptedException {
    Command command = new Command(words);
    long start = System.nanoTime();
    command.run(work).orThrow(command);
    return start;
  }
}
