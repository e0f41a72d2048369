package dev.tigris.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Applications that are submitted, whose executors or drivers are told to end.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SparkExecutorsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String COUNT = "2000";
  private static final String PROGRAM = Sums.class.getName();
  private static final long SUM = Sums.expected(2000);

  @TempDir private Path temporary;

  private SparkHome spark = new SparkHome(Path.of(""));
  private Path hangs = Path.of("");

  @BeforeEach
  void makeHome() throws IOException {
    spark = SparkHome.in(temporary);
    hangs = temporary.resolve("hangs");
  }

  @Test
  @Soak("starts a master, a worker, a driver and three executors")
  void anotherExecutorTakesThePlaceOfOneThatIsKilled() {
    replaces("KILL", 17_078);
  }

  @Test
  @Soak("waits until an executor counts as hung")
  void anotherExecutorTakesThePlaceOfOneThatIsStopped() {
    replaces("STOP", 17_077);
  }

  @Test
  @Slow("starts a driver")
  void aDriverThatIsInterruptedLeavesNothing() throws Exception {
    assumeFalse(Signal.INT.isIgnored());
    Path out = Files.createDirectory(temporary.resolve("out"));
    String program = Holds.class.getName();
    Child application =
        spark.submit(
            "local[2]", "2", "0", "0", "-", program, out.toString(), "make", hangs.toString());
    Wait.until(application::printed, PATIENCE, () -> Files.exists(hangs));
    assertTrue(isMade(out), application::printed);
    signal("INT", application.handle());
    assertEquals(Signal.INT.exitCode(), application.exitCode());
    assertFalse(isMade(out), application::printed);
  }

  private static boolean isMade(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.findAny().isPresent();
    }
  }

  private void replaces(String signal, int port) {
    String url = "spark://127.0.0.1:" + port;
    try (Child master = spark.master(port);
        Child worker = spark.worker(url)) {
      Child application =
          spark.submit(url, "2", "0", "3", "-", PROGRAM, COUNT, "-1", hangs.toString());
      Wait.until(application::printed, PATIENCE, () -> Files.exists(hangs)); // then a source hangs
      signal(signal, executors(worker.handle()).getFirst());
      application.outcome().expect(0);
      List<String> lines = application.printed().lines().toList();
      assertTrue(lines.contains("tigris attempts 2"), application::printed);
      assertTrue(lines.contains("tigris result sum " + SUM), application::printed);
      assertNotEquals(result(lines, "process"), result(lines, "process.least"));
      worker.terminate();
      master.terminate();
    }
  }

  private static String result(List<String> lines, String name) {
    String start = "tigris result " + name + " ";
    return lines.stream().filter(line -> line.startsWith(start)).findFirst().orElseThrow();
  }

  private static List<ProcessHandle> executors(ProcessHandle parent) {
    return parent.children().toList();
  }

  private static void signal(String name, ProcessHandle process) {
    String _ = Command.of("kill", "-" + name, String.valueOf(process.pid())).output();
  }
}
