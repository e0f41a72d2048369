package dev.tigris.verify.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jcstress.annotations.JCStressTest;

/// Runs the stress tests. To see [WeakenedHandOver] fail, run jcstress by hand with
/// the class path of the tests:
///
/// ```
/// java -cp ... org.openjdk.jcstress.Main -t dev.tigris.verify.stress
/// ```
class StressTest {
  /// The names of all tests of jcstress that are to pass, in whichever packages they lie: some use
  /// what only their own package can.
  private static List<String> tests() throws Exception {
    Path here = Path.of(StressTest.class.getResource(".").toURI());
    Path root = here.resolve("../../../..").normalize(); // of dev.tigris.verify.stress
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> each.toString().endsWith("Test.class")).toList()) {
        String name =
            root.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", "");
        Class<?> type = Class.forName(name, false, StressTest.class.getClassLoader());
        if (type.isAnnotationPresent(JCStressTest.class)) {
          names.add(name);
        }
      }
    }
    return names;
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
    List<String> tests = tests();
    String names = "^(%s)$".formatted(String.join("|", tests)).replace(".", "\\.");
    String output = stress(folder, names, Tier.choose(2, 300));
    assertTrue(
        output.contains("All remaining tests: %d matching".formatted(tests.size())),
        () -> "all tests must run: " + output);
  }
}
