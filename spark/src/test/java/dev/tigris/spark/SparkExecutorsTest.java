package dev.tigris.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Flows in executors that are processes, and that are killed.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SparkExecutorsTest {
  private static final String COUNT = "2000";
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
  @Slow("starts Spark and two executors")
  void anotherExecutorTakesThePlaceOfOneThatIsKilled() {
    Child application =
        spark.application("local-cluster[2,1,1024]", 2, List.of(COUNT, "-1", hangs.toString()));
    Wait.until("a source hangs", () -> Files.exists(hangs));
    signal("KILL", executors(application.handle()).getFirst());
    expect(application, 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"KILL", "STOP"})
  @Soak("starts a master, two workers and executors, and waits for Spark's time-outs")
  void aStandaloneClusterReplacesAnExecutor(String name) {
    Child master =
        spark.daemon(
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            "17077",
            "--webui-port",
            "18080");
    String url = "spark://127.0.0.1:17077";
    try (master;
        Child one = worker(url);
        Child other = worker(url)) {
      Child application = spark.application(url, 2, List.of(COUNT, "-1", hangs.toString()));
      Wait.until("a source hangs", () -> Files.exists(hangs));
      signal(name, executors(one.handle()).getFirst());
      expect(application, 2);
      other.terminate();
    }
  }

  private Child worker(String url) {
    return spark.daemon(
        "org.apache.spark.deploy.worker.Worker",
        "--cores",
        "2",
        "--memory",
        "2g",
        "--webui-port",
        "0",
        url);
  }

  /// Reads over what Spark logs.
  private static void expect(Child application, int attempts) {
    String line = application.nextLine();
    while (line != null && !line.startsWith("attempts ")) {
      line = application.nextLine();
    }
    assertEquals(
        "attempts %d, sum %d, more processes".formatted(attempts, SUM), line, application::printed);
    application.outcome().expect(0);
  }

  private static List<ProcessHandle> executors(ProcessHandle parent) {
    return parent.children().toList();
  }

  private static void signal(String name, ProcessHandle process) {
    String _ = Command.of("kill", "-" + name, String.valueOf(process.pid())).output();
  }
}
