package dev.tigris.bench.runs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/// The notes of [FirstWater], and of the programs of peers.
final class FirstWaters {
  private static final String NOTE = "\\d+\\.\\d+";

  private FirstWaters() {}

  /// Returns when the first element came to a receiver, in nanoseconds of the system's clock; empty
  /// if none has come.
  ///
  /// @param process tells of which processes
  static OptionalLong first(Path folder, LongPredicate process) throws IOException {
    List<Path> notes;
    try (Stream<Path> files = Files.list(folder)) {
      notes = files.filter(file -> name(file).matches(NOTE)).toList();
    }
    OptionalLong first = OptionalLong.empty();
    for (Path note : notes) {
      String name = name(note);
      String text = Files.readString(note);
      if (!text.isEmpty() && process.test(Long.parseLong(name.substring(0, name.indexOf('.'))))) {
        long its = Long.parseLong(text);
        first = OptionalLong.of(first.isPresent() ? Math.min(first.getAsLong(), its) : its);
      }
    }
    return first;
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }
}
