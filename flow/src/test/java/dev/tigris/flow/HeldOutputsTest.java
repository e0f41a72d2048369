package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.UnnamedOutput;
import dev.tigris.testing.host.FaultyDisk;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Outputs of one flow appear all or not at all, when their owner says so.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HeldOutputsTest {
  private static final int NUMBERS = 4000;

  @TempDir Path folder;

  /// Notes what it hears of.
  static final class Owner implements OutputOwner {
    final List<UnnamedOutput> outputs = new ArrayList<>();

    @Override
    public String mark() {
      return "0123456789abcdef0123456789abcdef.2.3";
    }

    @Override
    public synchronized void making(Path temporary, Path target) throws IOException {
      assertFalse(Files.exists(temporary));
      outputs.add(new UnnamedOutput(temporary, target));
    }
  }

  private final Owner owner = new Owner();

  private List<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /// Writes numbers to files, in turn.
  private static Flow flow(Path... files) {
    StreamKind[] kinds = new StreamKind[files.length];
    for (int i = 0; i < files.length; i++) {
      kinds[i] = FileStream.writing(files[i]);
    }
    return Flow.named("held")
        .source("count", Numbers.counting(0, NUMBERS))
        .drain("count", kinds)
        .build();
  }

  private void assertBytes(long bytes, Path... files) throws IOException {
    long found = 0;
    for (Path file : files) {
      found += Files.size(file);
    }
    assertEquals(bytes, found);
  }

  @Test
  void getTheirNamesWhenTheirOwnerSaysSo() throws Exception {
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    HeldEngine run = flow(first, second).start(owner);
    run.awaitModules();
    run.prepare();
    run.prepare();
    assertFalse(run.isDone());
    assertFalse(run.await(Duration.ZERO));
    assertEquals(2, names().size());
    assertEquals(2, owner.outputs.size());
    for (UnnamedOutput output : owner.outputs) {
      assertTrue(output.isUnnamed());
      assertFalse(Files.exists(output.target()));
      assertTrue(output.temporary().toString().contains("." + owner.mark() + "."));
    }
    run.publish();
    run.await();
    run.publish();
    assertEquals(List.of("first", "second"), names());
    assertBytes(NUMBERS * Long.BYTES, first, second);
    assertEquals(FlowSnapshot.State.DONE, run.snapshot().state());
  }

  @Test
  void areDeletedWhenTheFlowIsCancelled() throws Exception {
    for (boolean isPrepared : new boolean[] {false, true}) {
      HeldEngine run = flow(folder.resolve("first"), folder.resolve("second")).start(owner);
      run.awaitModules();
      if (isPrepared) {
        run.prepare();
      }
      run.cancel();
      assertThrows(CancellationException.class, run::await);
      assertThrows(CancellationException.class, run::prepare);
      assertThrows(CancellationException.class, run::publish);
      assertEquals(List.of(), names());
    }
  }

  @Test
  void areDeletedWhenTheFlowFails() throws Exception {
    HeldEngine run =
        Flow.named("fails")
            .source(
                "count",
                () ->
                    out -> {
                      Numbers.put(out, 1);
                      throw new IllegalArgumentException("late");
                    })
            .drain("count", FileStream.writing(folder.resolve("out")))
            .build()
            .start(owner);
    assertThrows(FlowException.class, run::awaitModules);
    assertThrows(FlowException.class, run::publish);
    assertEquals(1, owner.outputs.size());
    assertEquals(List.of(), names());
  }

  @Test
  void cannotBeDecidedOnWhileModulesRun() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    HeldEngine run =
        Flow.named("waits")
            .source(
                "wait",
                () ->
                    out -> {
                      go.await();
                      return false;
                    })
            .drain("wait", FileStream.writing(folder.resolve("out")))
            .build()
            .start(owner);
    assertThrows(IllegalStateException.class, run::prepare);
    assertThrows(IllegalStateException.class, run::publish);
    go.countDown();
    run.awaitModules();
    run.publish();
    assertEquals(List.of("out"), names());
  }

  @Test
  void anOwnerThatCannotNoteAnOutputFailsTheFlow() throws Exception {
    OutputOwner full =
        new OutputOwner() {
          @Override
          public String mark() {
            return "mark";
          }

          @Override
          public void making(Path temporary, Path target) throws IOException {
            throw new IOException("the note cannot be written");
          }
        };
    FlowException failure =
        assertThrows(FlowException.class, flow(folder.resolve("out")).start(full)::awaitModules);
    assertTrue(failure.getMessage().contains("the note cannot be written"), failure.getMessage());
    assertEquals(List.of(), names());
  }

  @Test
  void aFailedRenameKeepsTheDataAndSaysWhereItIs() throws Exception {
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    Path third = folder.resolve("third");
    HeldEngine run = flow(first, second, third).start(owner);
    run.awaitModules();
    run.prepare();
    Files.createDirectories(second.resolve("in the way"));
    FlowException failure = assertThrows(FlowException.class, run::publish);
    UnnamedOutput kept =
        owner.outputs.stream().filter(UnnamedOutput::isUnnamed).findFirst().orElseThrow();
    assertEquals(second.getFileName(), kept.target().getFileName());
    assertTrue(
        failure.getMessage().contains("All of its data is in " + kept.temporary()),
        failure.getMessage());
    assertEquals(
        List.of(kept.temporary().getFileName().toString(), "first", "second", "third"), names());
    Files.delete(second.resolve("in the way"));
    Files.delete(second);
    kept.publish(true);
    assertThrows(NoSuchFileException.class, () -> kept.publish(true));
    assertBytes(NUMBERS * Long.BYTES, first, second, third);
  }

  @Test
  void anOutputWhoseDataWasDeletedFailsThoughAnOldFileIsThere() throws Exception {
    Path out = Files.writeString(folder.resolve("out"), "old");
    HeldEngine run = flow(out).start(owner);
    run.awaitModules();
    run.prepare();
    Files.delete(owner.outputs.getFirst().temporary());
    FlowException failure = assertThrows(FlowException.class, run::publish);
    assertTrue(failure.getMessage().contains("cannot rename to file"), failure.getMessage());
    assertEquals("old", Files.readString(out));
  }

  @Test
  void aFullDiskLeavesNoOutputOnAnotherEither() throws Exception {
    try (SmallDisk disk = SmallDisk.inMemory(folder, 4096)) {
      Path here = Files.createDirectory(folder.resolve("here"));
      HeldEngine run = flow(here.resolve("first"), disk.folder().resolve("second")).start(owner);
      FlowException failure =
          assertThrows(
              FlowException.class,
              () -> {
                run.awaitModules();
                run.prepare();
              });
      assertTrue(failure.getMessage().contains("cannot write file"), failure.getMessage());
      assertEquals(0, here.toFile().list().length);
      assertEquals(0, disk.folder().toFile().list().length);
    }
  }

  @Test
  void aDiskThatFailsLeavesNoOutputOnAnotherEither() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(folder)) {
      Path here = Files.createDirectory(folder.resolve("here"));
      HeldEngine run = flow(here.resolve("first"), disk.folder().resolve("second")).start(owner);
      run.awaitModules();
      disk.faults("fsync=5");
      assertThrows(FlowException.class, run::prepare);
      assertThrows(FlowException.class, run::await);
      assertEquals(0, here.toFile().list().length);
      owner.outputs.forEach(output -> assertFalse(output.isUnnamed()));
    }
  }

  @Test
  void aFolderThatCannotBeSyncedLeavesTheNameAndSaysSo() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(folder)) {
      Path out = disk.folder().resolve("out");
      HeldEngine run = flow(out).start(owner);
      run.awaitModules();
      run.prepare();
      disk.faults("fsyncdir=5");
      FlowException failure = assertThrows(FlowException.class, run::publish);
      assertTrue(failure.getMessage().contains("cannot sync the name"), failure.getMessage());
      assertBytes(NUMBERS * Long.BYTES, out);
    }
  }

  /// Prepares, tells of each output, and waits for its end.
  static final class Prepares {
    public static void main(String[] arguments) throws Exception {
      Owner owner = new Owner();
      HeldEngine run = flow(Path.of(arguments[0]), Path.of(arguments[1])).start(owner);
      run.awaitModules();
      run.prepare();
      for (UnnamedOutput output : owner.outputs) {
        System.out.println(output.temporary());
        System.out.println(output.target());
      }
      System.out.println("prepared");
      new CountDownLatch(1).await();
    }
  }

  @Test
  void preparedOutputsOfAKilledProcessCanBePublished() throws Exception {
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    List<UnnamedOutput> outputs = new ArrayList<>();
    try (Child child =
        Jvm.of(Prepares.class).quick().command(first.toString(), second.toString()).start()) {
      String line = child.nextLine();
      while (!"prepared".equals(line)) {
        outputs.add(new UnnamedOutput(Path.of(line), Path.of(child.nextLine())));
        line = child.nextLine();
      }
      child.kill();
    }
    assertEquals(2, outputs.size());
    assertEquals(2, names().size());
    for (UnnamedOutput output : outputs) {
      output.publish(true);
    }
    assertEquals(List.of("first", "second"), names());
    assertBytes(NUMBERS * Long.BYTES, first, second);
  }
}
