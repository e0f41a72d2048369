package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A bench that is stopped while a process of its own measures.
@Timeout(60)
class StopTest {
  private static final int SIGTERM = 128 + 15;

  @TempDir Path folder;
  private Path work;
  private Path temporary;
  private Process bench;
  private ProcessHandle measuring;

  /// At its full size, which takes longer than this test.
  @BeforeEach
  void measure() throws IOException {
    work = folder.resolve("work");
    temporary = Files.createDirectory(folder.resolve("temporary"));
    bench =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "memory.view",
                "--dir",
                work.toString())
            .redirectErrorStream(true)
            .start();
    BufferedReader output = bench.inputReader();
    for (String line = output.readLine(); !line.contains("process 1 of"); ) {
      line = output.readLine();
    }
    while (bench.children().findFirst().isEmpty()) {
      Thread.onSpinWait();
    }
    measuring = bench.children().findFirst().orElseThrow();
  }

  @AfterEach
  void end() {
    bench.destroyForcibly();
    measuring.destroyForcibly();
  }

  private static List<Path> in(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void leavesNothingBehindWhenItIsAskedToEnd() throws Exception {
    bench.destroy();

    assertEquals(SIGTERM, bench.waitFor());
    assertFalse(measuring.isAlive());
    assertEquals(List.of(), in(work));
    assertEquals(List.of(), in(temporary));
  }

  @Test
  void whatItLeavesWhenItIsKilledTheNextOneDeletes() throws Exception {
    bench.destroyForcibly().waitFor();

    measuring.onExit().get(30, TimeUnit.SECONDS);
    for (Path left : in(in(work).getFirst())) {
      assertEquals(0, Files.size(left), "it has measured to its end for nobody: " + left);
    }
    assertEquals(List.of(), in(temporary));
    RunFolder.in(work).close();
    assertEquals(List.of(), in(work));
  }
}
