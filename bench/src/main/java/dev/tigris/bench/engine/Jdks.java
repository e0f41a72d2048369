package dev.tigris.bench.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The JDKs of this machine, for engines that do not run on that of Tigris.
public final class Jdks {
  /// Names the home of the JDK that runs Flink.
  public static final String FLINK_JAVA = "TIGRIS_BENCH_FLINK_JAVA";

  /// The releases of Java that Flink 2.3 runs on, the newest first.
  private static final List<Integer> FLINK_RELEASES = List.of(21, 17);

  private Jdks() {}

  /// Returns the newest JDK here that Flink runs on: what [#FLINK_JAVA] names, or one of those that
  /// the system has installed; empty if there is none.
  public static Optional<Path> flink() throws IOException {
    String named = System.getenv(FLINK_JAVA);
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    Path all = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(all)) {
      return Optional.empty();
    }
    List<Path> homes;
    try (Stream<Path> found = Files.list(all)) {
      homes = found.filter(home -> Files.isExecutable(home.resolve("bin/java"))).sorted().toList();
    }
    for (int release : FLINK_RELEASES) {
      for (Path home : homes) {
        if (String.valueOf(home.getFileName()).matches(".*\\b%d\\b.*".formatted(release))) {
          return Optional.of(home);
        }
      }
    }
    return Optional.empty();
  }
}
