package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
  @TempDir Path folder;
  private Path work;
  private Path temporary;
  private Child bench;
  private ProcessHandle measuring;

  /// At its full size, which takes longer than this test.
  @BeforeEach
  void measure() throws IOException {
    work = folder.resolve("work");
    temporary = Files.createDirectory(folder.resolve("temporary"));
    bench =
        Jvm.of(Main.class)
            .options("-Djava.io.tmpdir=" + temporary)
            .command("memory.view", "--dir", work.toString())
            .start();
    for (String line = bench.nextLine(); !line.contains("process 1 of"); ) {
      line = bench.nextLine();
    }
    Wait.until("it measures", () -> bench.handle().children().findFirst().isPresent());
    measuring = bench.handle().children().findFirst().orElseThrow();
  }

  @AfterEach
  void end() {
    bench.close();
    measuring.destroyForcibly();
  }

  private static List<Path> in(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void leavesNothingBehindWhenItIsAskedToEnd() throws Exception {
    bench.terminate();

    assertEquals("# stopped", bench.nextLine());
    assertNull(bench.nextLine());
    assertEquals(Signal.TERM.exitCode(), bench.exitCode());
    assertFalse(measuring.isAlive());
    assertEquals(List.of(), in(work));
    assertEquals(List.of(), in(temporary));
  }

  @Test
  void saysWhatItCannotDelete() throws Exception {
    Path run = Undeletable.runIn(work);
    try (var _ = Undeletable.inRunOf(work, folder)) {
      bench.terminate();

      List<String> said = new ArrayList<>();
      for (String line = bench.nextLine(); line != null; line = bench.nextLine()) {
        said.add(line);
      }
      assertEquals(Signal.TERM.exitCode(), bench.exitCode());
      assertEquals(2, said.size(), () -> String.join("\n", said));
      assertTrue(
          said.getFirst().startsWith("# '%s' cannot be deleted: ".formatted(run)), said.getFirst());
      assertTrue(said.getFirst().contains("File name too long"), said.getFirst());
      assertEquals("# stopped", said.getLast());
    }
    RunFolder.in(work).close();
    assertEquals(List.of(), in(work));
  }

  @Test
  void whatItLeavesWhenItIsKilledTheNextOneDeletes() throws Exception {
    bench.kill();

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
