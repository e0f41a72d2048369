package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import dev.tigris.sort.RecordFormat;
import dev.tigris.sort.RecordOrder;
import dev.tigris.sort.SortJob;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What the options of `sort` ask the library for; what that does with them, its own tests show.
class SortCommandTest {
  @TempDir Path folder;

  private static SortJob job(String options) {
    var command = new CommandLine(new SortCommand().spec());
    var parsed = command.parseArgs((options + "data sorted").split(" ", -1));
    try {
      return SortCommand.job(List.of(Path.of("data")), Path.of("sorted"), parsed);
    } catch (CommandException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void forcesOneFileOfGensortsRecordsToTheDiskUnlessToldOtherwise() {
    SortJob job = job("");
    assertTrue(job.isForced());
    assertFalse(job.isPartitioned());
    assertEquals(RecordFormat.GENSORT, job.format());
  }

  @Test
  void everyOptionReachesTheSort() {
    assertFalse(job("--no-fsync ").isForced());
    assertTrue(job("--partitions ").isPartitioned());
    assertEquals(64 << 20, job("--memory 64m ").memoryBytes());
    assertEquals(3, job("--parallel 3 ").parallel());
    assertEquals(
        new RecordFormat(64, 8, 4), job("--record-size 64 --key-offset 8 --key-size 4 ").format());
    assertEquals(
        RecordOrder.ofRecords(64).key("8:u64le:desc").key("0:ascii:4").stable().unique(),
        job("--record-size 64 --key 8:u64le:desc --key 0:ascii:4 -s -u ").order());
  }

  @Test
  void sortsWithoutForcingTheOutputToTheDisk() {
    var shell = new Shell(folder);
    assertEquals(ExitCode.OK, shell.run("gen 1000 @/data").code());
    Result sorted = shell.run("sort --no-fsync @/data @/sorted");
    assertEquals(ExitCode.OK, sorted.code(), sorted.toString());
    Result checked = shell.run("check @/sorted");
    assertTrue(checked.out().contains("SUCCESS - all records are in order"), checked.toString());
  }

  @Test
  void sortsAndChecksByTypedKeys() {
    var shell = new Shell(folder);
    assertEquals(ExitCode.OK, shell.run("gen 1000 @/data").code());
    Result sorted = shell.run("sort --no-fsync --key 92:i64le:desc --key 0:u8 @/data @/sorted");
    assertEquals(ExitCode.OK, sorted.code(), sorted.toString());
    Result checked = shell.run("check --key 92:i64le:desc @/sorted");
    assertTrue(checked.out().contains("SUCCESS - all records are in order"), checked.toString());
    assertEquals(ExitCode.OUT_OF_ORDER, shell.run("check @/sorted").code());
    Result unique = shell.run("sort --no-fsync --key 0:u8 -u --json @/data @/unique");
    assertTrue(unique.out().contains("\"writtenRecords\":2"), unique.toString()); // of 256
    assertEquals(ExitCode.OK, shell.run("check --key 0:u8 -u @/unique").code());
    Result twice = shell.run("sort --no-fsync --key 0:u8 @/unique @/unique @/twice");
    assertEquals(ExitCode.OK, twice.code(), twice.toString());
    assertEquals(ExitCode.OK, shell.run("check --key 0:u8 @/twice").code());
    Result equal = shell.run("check --key 0:u8 -u @/twice");
    assertEquals(ExitCode.OUT_OF_ORDER, equal.code(), equal.toString());
    String expected = "ERROR - there are 251 records with the key of the one before them";
    assertTrue(equal.out().contains(expected), equal.toString());
  }
}
