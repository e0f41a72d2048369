package dev.tigris.cluster.run.outputs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.HeldEngine;
import dev.tigris.testing.host.FaultyDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is found in a run's folder when its processes have ended, and what is made of it.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RunRecoveryTest {
  private static final RunId RUN = new RunId(0x0123456789abcdefL, -1);
  private static final Epoch FIRST = new Epoch(RUN, 1);
  private static final Epoch SECOND = FIRST.next();

  @TempDir Path temporary;
  private Path folder;
  private Path outputs;

  @BeforeEach
  void makeFolders() throws IOException {
    folder = Files.createDirectory(temporary.resolve("20261129-" + RUN));
    outputs = Files.createDirectory(temporary.resolve("outputs"));
    tell("");
  }

  private void tell(String more) throws IOException {
    Files.writeString(folder.resolve("run"), "version=1\narguments=100%\nrun=" + RUN + "\n" + more);
  }

  private List<String> names() throws IOException {
    try (var files = Files.list(outputs)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /// Makes an output as a worker does, and prepares it.
  private OutputNote make(Epoch epoch, int worker, String name, boolean isPrepared)
      throws IOException {
    OutputNote note = new OutputNote(folder, epoch, worker);
    Path made = outputs.resolve("." + name + "." + note.mark() + ".partial");
    note.making(made, outputs.resolve(name));
    Files.writeString(made, "of " + epoch);
    if (isPrepared) {
      note.prepare();
    }
    return note;
  }

  private RunRecovery.Result finish() throws IOException {
    try (RunRecovery recovery = RunRecovery.of(folder)) {
      return recovery.finish();
    }
  }

  /// A worker and the coordinator, or recovery, may name an output at one time.
  @Test
  void twoThatNameAnOutputAtOnceBothFindItNamed() throws Exception {
    for (int i = 0; i < 30; i++) {
      OutputNote own = make(FIRST, i, "out" + i, true);
      OutputNote found = OutputNote.in(folder).getFirst();
      var other = CompletableFuture.supplyAsync(found::publish, Thread.ofPlatform()::start);
      assertEquals(List.of(), own.publish());
      assertEquals(List.of(), other.get());
      assertTrue(names().contains("out" + i));
    }
  }

  @Test
  void deletesEverythingWithoutADecision() throws Exception {
    OutputNote _ = make(FIRST, 0, "a", true);
    OutputNote _ = make(SECOND, 0, "a", true);
    OutputNote _ = make(SECOND, 1, "b", false);
    try (RunRecovery recovery = RunRecovery.of(folder)) {
      assertNull(recovery.decided());
      assertEquals(3, recovery.notes().size());
      assertEquals(new RunRecovery.Result(0, 3, List.of()), recovery.finish());
    }
    assertEquals(List.of(), names());
    assertEquals(Decision.giveUp(RUN), Decision.readFrom(folder));
    assertEquals(new RunRecovery.Result(0, 0, List.of()), finish());
  }

  @Test
  void deletesTheNoteOfAProcessThatDiedBeforeItWroteAnything() throws Exception {
    Path empty = Files.createFile(folder.resolve("worker-1.1.outputs"));
    assertEquals(new RunRecovery.Result(0, 0, List.of()), finish());
    assertFalse(Files.exists(empty));
  }

  @Test
  void namesTheOutputsOfTheDecidedAttempt() throws Exception {
    OutputNote _ = make(FIRST, 0, "a", true);
    OutputNote _ = make(SECOND, 0, "a", true);
    OutputNote _ = make(SECOND, 1, "50% of\nb\t", true);
    Decision.publish(SECOND).writeTo(folder);
    assertEquals(new RunRecovery.Result(2, 1, List.of()), finish());
    assertEquals(List.of("50% of\nb\t", "a"), names());
    assertEquals("of " + SECOND, Files.readString(outputs.resolve("a")));
    assertEquals(new RunRecovery.Result(0, 0, List.of()), finish());
    assertEquals(List.of("50% of\nb\t", "a"), names());
  }

  @Test
  void goesOnWhereTheWorkerWasInterrupted() throws Exception {
    OutputNote note = make(FIRST, 0, "a", false);
    Path second = outputs.resolve(".b.partial");
    note.making(second, outputs.resolve("b"));
    Files.writeString(second, "b");
    note.prepare();
    Decision.publish(FIRST).writeTo(folder);
    note.outputs().getFirst().publish(true);
    assertEquals(new RunRecovery.Result(2, 0, List.of()), finish());
    assertEquals(List.of("a", "b"), names());
  }

  /// A file that had the name before is not the output.
  @Test
  void noticesAnOutputWhoseDataIsGone() throws Exception {
    Path target = Files.writeString(outputs.resolve("a"), "of an earlier run");
    OutputNote note = make(FIRST, 0, "a", true);
    OutputNote _ = make(FIRST, 1, "b", true);
    Decision.publish(FIRST).writeTo(folder);
    Files.delete(note.outputs().getFirst().temporary());
    RunRecovery.Result result = finish();
    assertEquals(1, result.named());
    assertEquals(1, result.unnamed().size());
    assertTrue(result.unnamed().getFirst().contains("is gone"), result.toString());
    assertEquals("of an earlier run", Files.readString(target));
    Files.delete(folder.resolve("worker-0.1.outputs")); // as it says
    assertEquals(new RunRecovery.Result(0, 0, List.of()), finish());
  }

  @Test
  void keepsWhatCannotBeRenamedAndSaysWhereItIs() throws Exception {
    OutputNote note = make(FIRST, 0, "a", true);
    OutputNote _ = make(FIRST, 1, "b", true);
    Decision.publish(FIRST).writeTo(folder);
    Path inTheWay = Files.createDirectories(outputs.resolve("a").resolve("in the way"));
    RunRecovery.Result result = finish();
    assertEquals(1, result.named());
    assertEquals(1, result.unnamed().size());
    String where = note.outputs().getFirst().temporary().toString();
    assertTrue(result.unnamed().getFirst().contains(where), result.toString());
    Files.delete(inTheWay);
    Files.delete(outputs.resolve("a"));
    assertEquals(new RunRecovery.Result(1, 0, List.of()), finish());
    assertEquals("of " + FIRST, Files.readString(outputs.resolve("a")));
  }

  @Test
  void leavesARunAloneWhoseCoordinatorLives() throws Exception {
    OutputNote _ = make(FIRST, 0, "a", true);
    try (FileChannel held = FileChannel.open(folder.resolve("run"), StandardOpenOption.WRITE)) {
      FileLock lock = held.lock();
      assertTrue(lock.isValid());
      assertThrows(RunStillGoingException.class, this::finish);
    }
    assertEquals(1, names().size());
    assertFalse(Decision.isIn(folder));
  }

  @Test
  void asksTheUserWhereTheCoordinatorIsOnAnotherHost() throws Exception {
    tell("coordinator=far:/runs/x\n");
    OutputNote _ = make(FIRST, 0, "a", true);
    OutputNote _ = make(SECOND, 0, "a", true);
    try (RunRecovery recovery = RunRecovery.of(folder)) {
      assertEquals("far:/runs/x", recovery.askedElsewhere());
      assertThrows(IllegalStateException.class, recovery::finish);
      assertEquals(new RunRecovery.Result(1, 1, List.of()), recovery.decide(2));
    }
    assertEquals("of " + SECOND, Files.readString(outputs.resolve("a")));
    try (RunRecovery recovery = RunRecovery.of(folder)) {
      assertNull(recovery.askedElsewhere());
      assertThrows(IllegalStateException.class, () -> recovery.decide(0));
      assertEquals(SECOND, recovery.decided());
    }
  }

  @Test
  void cannotPublishWhatWasNotPrepared() throws Exception {
    tell("coordinator=far:/runs/x\n");
    OutputNote _ = make(FIRST, 0, "a", true);
    OutputNote _ = make(FIRST, 1, "b", false);
    try (RunRecovery recovery = RunRecovery.of(folder)) {
      IOException refused = assertThrows(IOException.class, () -> recovery.decide(1));
      assertTrue(refused.getMessage().contains("worker 1"), refused.getMessage());
      assertFalse(Decision.isIn(folder));
      assertEquals(new RunRecovery.Result(0, 2, List.of()), recovery.decide(0));
    }
    assertEquals(List.of(), names());
  }

  @Test
  void aWorkerCannotVoteAfterRecovery() throws Exception {
    OutputNote note = make(FIRST, 0, "a", false);
    assertEquals(1, finish().deleted());
    assertThrows(IOException.class, note::prepare);
    assertEquals(List.of(), OutputNote.in(folder));
    assertTrue(Files.exists(folder.resolve("over")));
  }

  @Test
  void twoRecoveriesExcludeEachOther() throws Exception {
    try (RunRecovery _ = RunRecovery.of(folder)) {
      assertThrows(RunStillGoingException.class, this::finish);
    }
    assertEquals(0, finish().named());
  }

  @Test
  void aDecisionThatWasNotRenamedIsNone() throws Exception {
    OutputNote _ = make(FIRST, 0, "a", true);
    Files.writeString(folder.resolve("decision.partial"), "version=1\nattempt=1\n");
    assertNull(Decision.readFrom(folder));
    assertEquals(1, finish().deleted());
  }

  @Test
  void refusesADamagedDecision() throws Exception {
    OutputNote _ = make(FIRST, 0, "a", true);
    Decision.publish(FIRST).writeTo(folder);
    assertThrows(IOException.class, () -> Decision.publish(SECOND).writeTo(folder));
    Path file = folder.resolve("decision");
    String right = Files.readString(file);
    for (String wrong :
        List.of(
            "",
            right.substring(0, right.length() - 2),
            right.replace("attempt=1", "attempt=2"),
            right.replace("version=1", "version=2"))) {
      Files.writeString(file, wrong);
      assertThrows(IOException.class, this::finish, wrong);
      assertEquals(1, names().size());
    }
  }

  @Test
  void aNoteThatWasCutIsNoVote() throws Exception {
    OutputNote note = make(FIRST, 0, "a", true);
    Path file = folder.resolve("worker-0.1.outputs");
    String whole = Files.readString(file);
    for (int length = 0; length < whole.length(); length++) {
      Files.writeString(file, whole.substring(0, length));
      try {
        for (OutputNote each : OutputNote.in(folder)) {
          assertFalse(each.isPrepared());
        }
      } catch (IOException e) {
        assertNotNull(e.getMessage());
      }
    }
    Files.writeString(file, whole);
    OutputNote found = OutputNote.in(folder).getFirst();
    assertTrue(found.isPrepared());
    assertEquals(note.outputs(), found.outputs());
    assertEquals(note.epoch(), found.epoch());
  }

  @Test
  void aDecisionIsSureToBeMissingWhenItCouldNotBeWritten() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(temporary)) {
      Path there = Files.createDirectory(disk.folder().resolve("run"));
      disk.faults("fsync=5");
      assertThrows(IOException.class, () -> Decision.publish(FIRST).writeTo(there));
      assertFalse(Decision.isIn(there));
      disk.faults("fsyncdir=5");
      assertThrows(IOException.class, () -> Decision.publish(FIRST).writeTo(there));
      assertTrue(Decision.isIn(there));
      assertThrows(IOException.class, () -> Decision.readFrom(there));
      disk.faults();
      assertEquals(Decision.publish(FIRST), Decision.readFrom(there));
    }
  }

  /// Runs a flow as a worker does, to its vote.
  static final class Votes {
    public static void main(String[] arguments) throws Exception {
      OutputNote note = new OutputNote(Path.of(arguments[0]), FIRST, 0);
      HeldEngine run =
          Flow.named("copy")
              .stage("pass", () -> (in, out) -> out.put(in))
              .feed("pass", FileStream.reading(Path.of(arguments[1]), 100))
              .drain("pass", FileStream.writing(Path.of(arguments[2])))
              .build()
              .start(note);
      run.awaitModules();
      if (arguments[3].equals("prepared")) {
        run.prepare();
        note.prepare();
      }
      System.out.println("there");
      new CountDownLatch(1).await();
    }
  }

  private void kill(String when) throws Exception {
    Path in = Files.write(temporary.resolve("in"), new byte[10_000]);
    Path out = outputs.resolve("out");
    try (Child child =
        Jvm.of(Votes.class)
            .quick()
            .command(folder.toString(), in.toString(), out.toString(), when)
            .start()) {
      Child _ = child.expectLine("there");
      child.kill();
    }
    assertEquals(1, names().size());
    assertFalse(Files.exists(out));
  }

  @Test
  void finishesForAVoterThatWasKilled() throws Exception {
    kill("prepared");
    Decision.publish(FIRST).writeTo(folder);
    assertEquals(new RunRecovery.Result(1, 0, List.of()), finish());
    assertEquals(List.of("out"), names());
    assertEquals(10_000, Files.size(outputs.resolve("out")));
  }

  @Test
  void leavesNothingOfAWorkerThatWasKilledBeforeItsVote() throws Exception {
    kill("running");
    assertEquals(new RunRecovery.Result(0, 1, List.of()), finish());
    assertEquals(List.of(), names());
  }

  @Test
  void findsRunsByTheirDigits() throws Exception {
    assertEquals(List.of(folder), RunRecovery.find(temporary, RUN.toString()));
    assertEquals(List.of(folder), RunRecovery.find(temporary, "0123"));
    assertEquals(List.of(), RunRecovery.find(temporary, "ffee"));
    assertEquals(List.of(), RunRecovery.find(temporary.resolve("none"), "0123"));
  }
}
