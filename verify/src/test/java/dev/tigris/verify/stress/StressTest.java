package dev.tigris.verify.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the stress tests of this package. To see [WeakenedHandOver] fail, run jcstress by hand with
/// the class path of the tests:
///
/// ```
/// java -cp ... org.openjdk.jcstress.Main -t dev.tigris.verify.stress
/// ```
class StressTest {
  /// All classes of this package that are named so, but this one, and those of calls, groups and
  /// taps, which use what only their own package can.
  private static long count() throws Exception {
    Path here = Path.of(StressTest.class.getResource(".").toURI());
    return count(here)
        - 1
        + count(here.resolve("../../message/call"))
        + count(here.resolve("../../cluster/group"))
        + count(here.resolve("../../flow"));
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith("Test.class")).count();
    }
  }

  /// Runs those whose names match.
  private static String stress(Path folder, String names, int iterations) {
    return Jvm.onClassPath("org.openjdk.jcstress.Main", Jvm.classPath().toArray(Path[]::new))
        .command(
            "-t",
            names,
            "-m",
            "quick",
            "-f",
            "1",
            "-iters",
            String.valueOf(iterations),
            "-time",
            "200",
            "-sc", // all actors in one compilation: no variants of each test
            "false",
            "-af", // no pinning: other tests may be running
            "NONE",
            "-jvmArgs",
            "--enable-native-access=ALL-UNNAMED",
            "-r",
            folder.resolve("results").toString())
        .in(folder)
        .patience(Duration.ofHours(12))
        .output();
  }

  @Test
  @Slow("a JVM for each of the stress tests")
  @Soak("300 iterations of each: a minute")
  void ringsAndObjectsKeepTheirOrderUnderStress(@TempDir Path folder) throws Exception {
    String output = stress(folder, "(stress|call|group|flow)\\.\\w+Test$", Tier.choose(2, 300));
    assertTrue(
        output.contains("All remaining tests: %d matching".formatted(count())),
        () -> "all tests must run: " + output);
  }
}
