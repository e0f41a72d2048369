package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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
  private BufferedReader output;
  private ProcessHandle measuring;

  /// At its full size, which takes longer than this test.
  @BeforeEach
  void measure() throws IOException {
    work = folder.resolve("work");
    temporary = Files.createDirectory(folder.resolve("temporary"));
    bench =
        Jvm.start(
            List.of("--enable-native-access=ALL-UNNAMED", "-Djava.io.tmpdir=" + temporary),
            Main.class,
            "memory.view",
            "--dir",
            work.toString());
    output = bench.inputReader();
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
    bench.toHandle().destroy(); // which leaves its output open

    assertEquals("# stopped\n", output.readAllAsString());
    assertEquals(SIGTERM, bench.waitFor());
    assertFalse(measuring.isAlive());
    assertEquals(List.of(), in(work));
    assertEquals(List.of(), in(temporary));
  }

  @Test
  void saysWhatItCannotDelete() throws Exception {
    Path run = Undeletable.runIn(work);
    try (var _ = Undeletable.inRunOf(work, folder)) {
      bench.toHandle().destroy(); // which leaves its output open

      List<String> said = output.readAllAsString().lines().toList();
      assertEquals(SIGTERM, bench.waitFor());
      assertEquals(2, said.size(), () -> String.join("\n", said));
      assertTrue(said.getFirst().startsWith("# '%s' is left: ".formatted(run)), said.getFirst());
      assertTrue(said.getFirst().contains("File name too long"), said.getFirst());
      assertEquals("# stopped", said.getLast());
    }
    RunFolder.in(work).close();
    assertEquals(List.of(), in(work));
  }

  @Test
  void whatItLeavesWhenItIsKilledTheNextOneDeletes() throws Exception {
    bench.destroyForcibly().waitFor();

    measuring.onExit().get(30, TimeUnit.SECONDS);
    for (Path left : in(Undeletable.runIn(work))) {
      assertEquals(0, Files.size(left), "it has measured to its end for nobody: " + left);
    }
    assertEquals(List.of(), in(temporary));
    RunFolder.in(work).close();
    assertEquals(List.of(), in(work));
  }

  @Test
  void anotherOneLeavesAloneWhatItHas() throws Exception {
    List<Path> before = in(work);
    RunFolder.in(work).close();
    assertEquals(Set.copyOf(before), Set.copyOf(in(work)));
    assertEquals(2, before.size());
  }
}
