package dev.tigris.verify.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs the stress tests of this package, each for less than a second. To run them for longer, or
/// to see [WeakenedHandOver] fail, run jcstress by hand with the class path of the tests:
///
/// ```
/// java -cp ... org.openjdk.jcstress.Main -t dev.tigris.verify.stress
/// ```
class StressTest {
  /// All classes of this package that are named so, but this one.
  private static long count() throws Exception {
    try (Stream<Path> files = Files.list(Path.of(StressTest.class.getResource(".").toURI()))) {
      return files.filter(file -> file.toString().endsWith("Test.class")).count() - 1;
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void ringsAndObjectsKeepTheirOrderUnderStress(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("log");
    Process jcstress =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-t",
                "stress\\.\\w+Test$",
                "-m",
                "quick",
                "-f",
                "1",
                "-iters",
                "2",
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
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      int code = jcstress.waitFor();
      String output = Files.readString(log);
      assertEquals(0, code, output);
      assertTrue(
          output.contains("All remaining tests: %d matching".formatted(count())),
          () -> "all tests must run: " + output);
    } finally {
      jcstress.destroyForcibly();
    }
  }
}
