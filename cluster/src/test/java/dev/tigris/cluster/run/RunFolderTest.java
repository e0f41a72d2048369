package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.cluster.run.outputs.RunStillGoingException;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The folders of runs, and what workers print there.
class RunFolderTest {
  @TempDir private Path runs;

  private Path run(int number, boolean isOver) throws IOException {
    try (RunFolder made =
        RunFolder.make(
            runs, new RunId(0, number), Instant.ofEpochSecond(number), Map.of("program", "a\nb"))) {
      if (isOver) {
        made.over(Map.of("outcome", "done"));
      }
      return made.path();
    }
  }

  private long count() throws IOException {
    try (Stream<Path> all = Files.list(runs)) {
      return all.count();
    }
  }

  @Test
  void theLastRunsAreKeptAndThoseThatAreNotOver() throws IOException {
    Path first = run(0, true);
    Path undecided = run(1, false);
    for (int number = 2; number < RunFolder.KEPT + 4; number++) {
      Path _ = run(number, true);
    }
    assertTrue(Files.notExists(first), first::toString);
    assertTrue(Files.exists(undecided), undecided::toString);
    assertEquals(RunFolder.KEPT + 1, count());
  }

  @Test
  void aRunWhoseCoordinatorDiedIsDeletedUnlessItLeftOutputs() throws IOException {
    Path abandoned = run(0, false);
    Path hasOutputs = run(1, false);
    Path fresh = run(2, false);
    OutputNote note = new OutputNote(hasOutputs, new Epoch(new RunId(0, 1), 1), 0);
    note.making(runs.resolve(".made"), runs.resolve("made"));
    FileTime old = FileTime.from(Instant.EPOCH);
    for (Path each : List.of(abandoned, hasOutputs)) {
      Files.setLastModifiedTime(each.resolve("run"), old);
    }
    for (int number = 3; number < RunFolder.KEPT + 4; number++) {
      Path _ = run(number, true);
    }
    assertTrue(Files.notExists(abandoned), abandoned::toString);
    assertTrue(Files.exists(hasOutputs), hasOutputs::toString);
    assertTrue(Files.exists(fresh), fresh::toString);
  }

  @Test
  void twoWorkersThatWriteOneFileAreRefused() throws IOException {
    Epoch epoch = new Epoch(new RunId(0, 1), 2);
    Path target = runs.resolve("out");
    try (RunFolder made = RunFolder.make(runs, epoch.run(), Instant.EPOCH, Map.of())) {
      for (int worker = 0; worker < 2; worker++) {
        OutputNote note = new OutputNote(made.path(), epoch, worker);
        note.making(runs.resolve(".out" + worker), target);
        if (worker == 0) {
          made.refuseClash(epoch);
        }
      }
      new OutputNote(made.path(), new Epoch(epoch.run(), 1), 1)
          .making(runs.resolve(".other"), runs.resolve("other"));
      IOException refused = assertThrows(IOException.class, () -> made.refuseClash(epoch));
      assertTrue(refused.getMessage().contains(target.toString()), refused::getMessage);
      made.refuseClash(new Epoch(epoch.run(), 1));
    }
  }

  /// Such a lock is given back when any channel of the file is closed.
  @Test
  void theLockStaysWhileItsOwnProcessLooksAtTheFolder() throws IOException {
    try (RunFolder made = RunFolder.make(runs, new RunId(0, 1), Instant.EPOCH, Map.of())) {
      for (int i = 0; i < 2; i++) {
        assertThrows(RunStillGoingException.class, () -> RunRecovery.of(made.path()));
      }
      String folder = made.path().toString();
      Jvm.of(RecoversRun.class).quick().command(folder).start().expectLine("goes on").close();
    }
  }

  @Test
  void aWorkerThatCannotReachItsCoordinatorEndsWithAnError() throws IOException {
    try (RunFolder made = RunFolder.make(runs, new RunId(0, 1), Instant.EPOCH, Map.of())) {
      made.control(
          Map.of(
              "run", new RunId(0, 1).toString(),
              "token", "1",
              "provider", "tcp",
              "address", "127.0.0.1:1",
              "limits", "1 1 1000000 1000000000 1 50000000"));
      Child worker =
          Jvm.of(Main.class).quick().command(made.path().toString(), "1", "0").startUnread();
      assertEquals(1, worker.exitCode());
    }
  }

  @Test
  void onlyItsUserCanReadIt() throws IOException {
    try (RunFolder made = RunFolder.make(runs, new RunId(0, 1), Instant.EPOCH, Map.of())) {
      made.control(Map.of("token", "secret"));
      Path control = RunFolder.control(made.path());
      assertEquals("rwx------", permissions(made.path()));
      assertEquals("rw-------", permissions(control));
      assertEquals("secret", RunFolder.read(control).get("token"));
      Files.setPosixFilePermissions(control, PosixFilePermissions.fromString("rw-r--r--"));
      assertThrows(IOException.class, () -> RunFolder.read(control));
    }
  }

  @Test
  void aFactIsReadAsItWasWritten() throws IOException {
    String odd = "100%\n C:\\new\ta=b";
    try (RunFolder made = RunFolder.make(runs, new RunId(0, 1), Instant.EPOCH, Map.of())) {
      made.control(Map.of("address", odd));
      assertEquals(odd, RunFolder.read(RunFolder.control(made.path())).get("address"));
    }
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void theBeginningOfALongOutputIsLostAndNotItsEnd() throws Exception {
    Path file = runs.resolve("log");
    byte[] printed = ("x".repeat(60_000) + "\nthe last line\n").getBytes(StandardCharsets.UTF_8);
    LogWriter log = LogWriter.start(new ByteArrayInputStream(printed), file, 20_000);
    log.awaitEnd();
    assertEquals("the last line", log.lastLine());
    assertTrue(Files.readString(file).endsWith("\nthe last line\n"));
    long kept = Files.size(file) + Files.size(runs.resolve("log.old"));
    assertTrue(kept >= 20_000 && kept < 60_000, () -> "kept " + kept);
  }
}
