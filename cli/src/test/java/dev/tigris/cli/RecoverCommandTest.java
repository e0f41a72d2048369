package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import dev.tigris.cluster.run.outputs.Decision;
import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoverCommandTest {
  private static final RunId RUN = new RunId(0x3f9aL << 48, 7);
  private static final Epoch FIRST = new Epoch(RUN, 1);
  private static final String RECOVER = "recover --runs @/runs ";

  @TempDir Path folder;
  private Shell shell;
  private Path run;
  private Path out;

  @BeforeEach
  void leaveARun() throws IOException {
    shell = new Shell(folder);
    run = Files.createDirectories(folder.resolve("runs").resolve("20261129-014500-" + RUN));
    out = folder.resolve("out");
    tell("");
    OutputNote note = new OutputNote(run, FIRST, 0);
    Path made = folder.resolve(".out.partial");
    note.making(made, out);
    Files.writeString(made, "data");
    note.prepare();
  }

  private void tell(String more) throws IOException {
    Files.writeString(run.resolve("run"), "version=1\nrun=%s\n%s".formatted(RUN, more));
  }

  @Test
  void finishesWhatWasDecided() throws Exception {
    Decision.publish(FIRST).writeTo(run);
    Result listed = shell.run(RECOVER.strip());
    assertEquals(ExitCode.OK, listed.code());
    assertTrue(listed.out().contains("attempt 1 was decided"), listed.out());
    assertTrue(listed.out().contains(out.toString()), listed.out());
    Result done = shell.run(RECOVER + "3f9a");
    assertEquals(ExitCode.OK, done.code(), done.err());
    assertEquals("1 outputs have their names, 0 were deleted\n", done.out());
    assertEquals("data", Files.readString(out));
    assertTrue(shell.run(RECOVER.strip()).out().startsWith("Nothing to recover"));
  }

  @Test
  void deletesWhatWasNot() {
    Result listed = shell.run(RECOVER + "--json");
    assertTrue(listed.out().contains("\"decidedAttempt\":null"), listed.out());
    Result done = shell.run(RECOVER + RUN + " --json");
    assertEquals(ExitCode.OK, done.code(), done.err());
    assertTrue(done.out().contains("\"named\":0,\"deleted\":1,\"unnamed\":[]"), done.out());
    assertFalse(Files.exists(out));
    assertFalse(Files.exists(folder.resolve(".out.partial")));
  }

  @Test
  void saysWhatCannotBeNamed() throws Exception {
    Decision.publish(FIRST).writeTo(run);
    Files.createDirectories(out.resolve("in the way"));
    Result failed = shell.run(RECOVER + "3f9a");
    assertEquals(ExitCode.BAD_OUTPUT, failed.code());
    assertTrue(failed.err().contains(".out.partial cannot be renamed to " + out), failed.err());
    assertEquals("data", Files.readString(folder.resolve(".out.partial")));
  }

  @Test
  void leavesARunAloneThatIsGoingOn() throws Exception {
    try (FileChannel held = FileChannel.open(run.resolve("run"), StandardOpenOption.WRITE)) {
      FileLock lock = held.lock();
      assertTrue(lock.isValid());
      Result refused = shell.run(RECOVER + "3f9a");
      assertEquals(ExitCode.FAILED, refused.code());
      assertTrue(refused.err().contains("still runs"), refused.err());
      assertTrue(shell.run(RECOVER.strip()).out().startsWith("Nothing to recover"));
    }
  }

  @Test
  void letsTheUserDecideWhereTheCoordinatorIsElsewhere() throws Exception {
    tell("coordinator=far:/runs\n");
    Result asked = shell.run(RECOVER + "3f9a");
    assertEquals(ExitCode.FAILED, asked.code());
    assertTrue(asked.err().contains("far:/runs"), asked.err());
    Result done = shell.run(RECOVER + "3f9a --publish 1");
    assertEquals(ExitCode.OK, done.code(), done.err());
    assertEquals("data", Files.readString(out));
  }

  /// Hosts may share the folder of all runs.
  @Test
  void goesThroughAllFoldersOfOneRun() throws Exception {
    Decision.publish(FIRST).writeTo(run);
    Path other = Files.createDirectory(Path.of(run + ".7000.1"));
    Files.writeString(
        other.resolve("run"), "version=1\nrun=%s\ncoordinator=far:/runs\n".formatted(RUN));
    OutputNote note = new OutputNote(other, FIRST, 1);
    Path made = folder.resolve(".other.partial");
    note.making(made, folder.resolve("other"));
    Files.writeString(made, "more");
    note.prepare();
    for (int again = 0; again < 2; again++) {
      Result done = shell.run(RECOVER + "3f9a");
      assertEquals(ExitCode.OK, done.code(), done.err());
      assertEquals("data", Files.readString(out));
      assertEquals("more", Files.readString(folder.resolve("other")));
    }
    assertTrue(shell.run(RECOVER.strip()).out().startsWith("Nothing to recover"));
  }

  @Test
  void digitsOfTheTimeAreNotOfTheRun() {
    Result refused = shell.run(RECOVER + "20261129");
    assertEquals(ExitCode.BAD_INPUT, refused.code());
    assertTrue(refused.err().contains("there is no run"), refused.err());
  }

  @Test
  void oneDamagedFolderHidesNoOther() throws Exception {
    Decision.publish(FIRST).writeTo(run);
    for (String other : List.of("20261128-1", "20261130-2")) {
      Path damaged = Files.createDirectories(folder.resolve("runs").resolve(other));
      Files.createFile(damaged.resolve("run"));
    }
    Result listed = shell.run(RECOVER.strip());
    assertEquals(ExitCode.BAD_INPUT, listed.code());
    assertTrue(listed.out().contains("attempt 1 was decided"), listed.out());
    assertTrue(listed.err().contains("20261128-1: "), listed.err());
    assertTrue(listed.err().contains("20261130-2: "), listed.err());
  }

  @Test
  void refusesWhatMakesNoSense() {
    for (String line :
        new String[] {"--discard", "3f9a --discard --publish 1", "3f9a --publish 0"}) {
      assertEquals(ExitCode.USAGE, shell.run(RECOVER + line).code(), line);
    }
    assertEquals(ExitCode.USAGE, shell.run(RECOVER + "3f9a --publish 1").code());
    assertEquals(ExitCode.USAGE, shell.run(RECOVER).code(), "an empty RUN is any");
    assertEquals(ExitCode.BAD_INPUT, shell.run(RECOVER + "abcdef").code());
  }
}
