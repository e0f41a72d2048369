package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The outputs of a run's processes appear together, or not at all.
@Slow("starts three JVMs a test")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RunOutputsTest {
  private static final List<String> ALL = List.of("out-0", "out-1", "out-2");

  @TempDir private Path temporary;
  private Path folder = Path.of("");
  private Path hangs = Path.of("");

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(temporary.resolve("outputs"));
    hangs = temporary.resolve("hangs");
  }

  private Cluster cluster() {
    return Cluster.processes(Writes.REPLICAS).withRuns(temporary.resolve("runs"));
  }

  private static List<String> names(Path of) throws IOException {
    try (var files = Files.list(of)) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }

  private void assertAll() throws IOException {
    assertEquals(ALL, names(folder));
    for (String name : ALL) {
      assertEquals(Writes.WATERS * Writes.WATER_BYTES, Files.size(folder.resolve(name)));
    }
  }

  private static void assertNoNotes(ClusterRun run) throws IOException {
    List<String> notes = new ArrayList<>(names(run.folder().orElseThrow()));
    notes.removeIf(name -> !name.endsWith(".outputs"));
    assertEquals(List.of(), notes);
  }

  @Test
  void ofAllProcessesAppear() throws Exception {
    ClusterRun run = cluster().start(Writes.class, folder.toString());
    var _ = run.await();
    assertAll();
    assertNoNotes(run);
  }

  @Test
  void ofNoProcessAppearIfOneCannotBePrepared() throws Exception {
    ClusterRun run = cluster().withAttempts(2).start(Writes.class, folder.toString(), "blocks");
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.OUTPUT, failure.kind(), failure.toString());
    assertTrue(failure.getMessage().contains("out-1"), failure.getMessage());
    assertEquals(1, failure.attempts());
    assertEquals(List.of("out-1"), names(folder));
    assertEquals(List.of("in the way"), names(folder.resolve("out-1")));
    assertNoNotes(run);
  }

  @Test
  void ofNoProcessAppearIfTheirDiskIsFull() throws Exception {
    int most = Writes.REPLICAS * Writes.WATERS * Writes.WATER_BYTES;
    try (SmallDisk disk = SmallDisk.inMemory(temporary, most / 2)) {
      Path there = disk.folder();
      ClusterRun run = cluster().withAttempts(2).start(Writes.class, there.toString());
      RunException failure = assertThrows(RunException.class, run::await);
      assertEquals(1, failure.attempts(), failure.toString());
      assertTrue(failure.getMessage().contains("No space left"), failure.getMessage());
      assertEquals(List.of(), names(there));
      assertNoNotes(run);
    }
  }

  @Test
  void ofNoProcessAppearIfTheDiskOfTheRunsFolderIsFull() throws Exception {
    Path here = temporary.resolve("here");
    Path go = temporary.resolve("go");
    try (SmallDisk disk = SmallDisk.inMemory(temporary, 1 << 20)) {
      ClusterRun run =
          Cluster.processes(Numbered.REPLICAS)
              .withRuns(disk.folder().resolve("runs"))
              .start(Numbered.class, folder.toString(), "100", here.toString(), go.toString());
      Wait.until("the flow is half done", () -> Files.exists(here));
      Path rest = disk.folder().resolve("rest");
      assertThrows(
          IOException.class, () -> Files.write(rest, new byte[2 << 20])); // the disk is full
      Path _ = Files.createFile(go);
      RunException failure = assertThrows(RunException.class, run::await);
      assertEquals(RunException.Kind.OUTPUT, failure.kind(), failure.toString());
      assertTrue(failure.getMessage().contains("No space left"), failure.getMessage());
      assertEquals(List.of(), names(folder));
    }
  }

  private ClusterRun hanging(int attempts) throws Exception {
    ClusterRun run =
        cluster()
            .withAttempts(attempts)
            .start(Writes.class, folder.toString(), "hangs", hangs.toString());
    Wait.until("a source hangs", () -> Files.exists(hangs));
    return run;
  }

  @Test
  void ofAnAttemptWithAKilledProcessAreDeleted() throws Exception {
    ClusterRun run = hanging(2);
    String own = run.folder().orElseThrow().toString();
    List<ProcessHandle> workers =
        ProcessHandle.current()
            .children()
            .filter(each -> each.info().commandLine().orElse("").contains(own))
            .toList();
    assertEquals(3, workers.size());
    assertTrue(workers.getFirst().destroyForcibly());
    var _ = run.await();
    assertEquals(2, run.progress().attempt());
    assertAll();
    assertNoNotes(run);
  }

  @Test
  void ofACancelledRunAreDeleted() throws Exception {
    ClusterRun run = hanging(2);
    assertTrue(names(folder).stream().anyMatch(name -> name.contains(".partial")));
    run.cancel();
    assertThrows(CancellationException.class, run::await);
    assertEquals(List.of(), names(folder));
    assertNoNotes(run);
  }
}
