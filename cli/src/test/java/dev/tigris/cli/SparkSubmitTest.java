package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs on Spark that cannot be submitted.
class SparkSubmitTest {
  @Test
  void withoutSparkHomeTheCommandLineIsWrong() {
    CommandException e = assertThrows(CommandException.class, () -> SparkSubmit.of(Map.of()));
    assertEquals(ExitCode.USAGE, e.code());
    assertTrue(e.getMessage().contains("SPARK_HOME is not set"), e::getMessage);
  }

  @Test
  void aSparkHomeWithoutSparkIsNamed(@TempDir Path empty) {
    CommandException e =
        assertThrows(
            CommandException.class, () -> SparkSubmit.of(Map.of("SPARK_HOME", empty.toString())));
    assertEquals(ExitCode.USAGE, e.code());
    assertTrue(e.getMessage().contains(empty.toString()), e::getMessage);
  }

  @Test
  void theDriverRunsOnAWholeJavaThatIsRecent(@TempDir Path folder) throws Exception {
    String all = "java.base java.se jdk.incubator.vector jdk.security.auth";
    Path old = java(folder, "17.0.15", all);
    Path part = java(folder, "25.0.3", "java.base java.se");
    Path whole = java(folder, "26", all);
    assertEquals(whole, DriverJava.of(whole.toString(), old));
    assertEquals(whole, DriverJava.of(old.toString(), whole));
    assertEquals(whole, DriverJava.of(null, whole));
    CommandException e =
        assertThrows(CommandException.class, () -> DriverJava.of(old.toString(), part));
    assertEquals(ExitCode.USAGE, e.code());
    assertTrue(e.getMessage().contains(old.toString()), e::getMessage);
  }

  private static Path java(Path folder, String version, String modules) throws IOException {
    Path home = Files.createDirectory(folder.resolve(version));
    String text = "JAVA_VERSION=\"%s\"\nMODULES=\"%s\"\n".formatted(version, modules);
    Path _ = Files.writeString(home.resolve("release"), text);
    return home;
  }
}
