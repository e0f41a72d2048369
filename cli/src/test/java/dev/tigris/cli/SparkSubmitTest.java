package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
}
