package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.tigris.testing.host.SmallDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class SortFaultsTest {
  private static final long MEGABYTE = 1 << 20;

  @TempDir Path folder;
  private Path input;
  private Path output;

  @BeforeEach
  void makeInput() throws Exception {
    input = folder.resolve("input");
    output = folder.resolve("sorted");
    GenerateJob.to(input, 100_000).run();
  }

  @Test
  void refusesAnInputThatIsNotAWholeNumberOfRecords() throws Exception {
    Files.write(input, new byte[17], StandardOpenOption.APPEND);
    SortException refused = refusal(sort(), SortException.Kind.INPUT);
    assertTrue(refused.getMessage().contains("17 bytes are left over"), refused.getMessage());
    assertTrue(refused.getMessage().contains(input.toString()), refused.getMessage());
  }

  @Test
  void refusesAMissingInput() throws Exception {
    Files.delete(input);
    assertTrue(refusal(sort(), SortException.Kind.INPUT).getMessage().contains("does not exist"));
  }

  @Test
  void refusesAnUnreadableInput() throws Exception {
    Files.setPosixFilePermissions(input, PosixFilePermissions.fromString("---------"));
    // Root reads everything, unless it gives the privilege up.
    String refused =
        Files.isReadable(input)
            ? SortProcess.startWithoutPrivileges(input, output).refusal()
            : refusal(sort(), SortException.Kind.INPUT).getMessage();
    assertTrue(refused != null && refused.contains("cannot be read"), refused);
    assertFalse(Files.exists(output));
  }

  @Test
  void saysThatTheInputsAreMoreFilesThanMayBeOpen() throws Exception {
    Path many = Files.createDirectory(folder.resolve("many"));
    for (int i = 0; i < 100; i++) {
      Files.write(many.resolve("input-" + i), new byte[100]);
    }
    String refused = SortProcess.refusalWithFewFiles(80, many, output);
    assertTrue(refused != null && refused.contains("ulimit -n"), refused);
    assertTrue(refused.startsWith("IO: "), "as when it is the output that cannot be opened");
    assertFalse(Files.exists(output));
  }

  @Test
  void saysThatTheOutputIsLargerThanAFileMayBe() throws Exception {
    String refused = SortProcess.refusalWithSmallFiles(1 << 20, input, output);
    assertTrue(refused != null && refused.contains("ulimit -f"), refused);
    assertEquals(List.of("input"), list(folder));
  }

  @Test
  void refusesADirectoryAsInput() throws Exception {
    Path directory = Files.createDirectory(folder.resolve("directory"));
    SortJob job = SortJob.of(List.of(input, directory), output);
    String refused = refusal(job, SortException.Kind.INPUT).getMessage();
    assertTrue(refused.startsWith(directory + " is a directory"), refused);
  }

  @Test
  void refusesInputsThatLeadNowhere() throws Exception {
    Path circle = folder.resolve("circle");
    Files.createSymbolicLink(circle, circle);
    SortJob job = SortJob.of(List.of(circle), output);
    String refused = refusal(job, SortException.Kind.INPUT).getMessage();
    assertTrue(refused.contains("cannot be opened"), refused);
    assertFalse(Files.exists(output));
  }

  @Test
  void refusesToWriteOverItsInputUnderAnyName() throws Exception {
    byte[] before = Files.readAllBytes(input);
    Path hard = Files.createLink(folder.resolve("hard"), input);
    Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic"), input);
    for (Path name : List.of(input, hard, symbolic, folder.resolve("./input"))) {
      SortJob job = SortJob.of(List.of(input), name);
      assertTrue(refusal(job, SortException.Kind.OUTPUT).getMessage().contains("same file"));
    }
    assertArrayEquals(before, Files.readAllBytes(input));
  }

  @Test
  void writesWhereASymbolicLinkLeadsTo() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path target = Files.createFile(elsewhere.resolve("target"));
    Files.createSymbolicLink(output, target);
    sort().run();
    assertTrue(Files.isSymbolicLink(output));
    assertEquals(10_000_000, Files.size(target));
    assertEquals(List.of("target"), list(elsewhere));
    GenerateJob.to(output, 1_000).run();
    assertTrue(Files.isSymbolicLink(output));
    assertEquals(100_000, Files.size(target));
  }

  @Test
  void refusesASymbolicLinkToNothingAsOutput() throws Exception {
    Files.createSymbolicLink(output, folder.resolve("nothing"));
    assertTrue(refusal(sort(), SortException.Kind.OUTPUT).getMessage().contains("symbolic link"));
    assertTrue(Files.isSymbolicLink(output));
  }

  @Test
  void deletesNothingThatALinkAmongLeftoversLeadsTo() throws Exception {
    Path others = Files.createDirectories(folder.resolve("others/folder")).getParent();
    Files.createFile(others.resolve("lock"));
    Files.createFile(others.resolve("folder/file"));
    Files.createSymbolicLink(folder.resolve(".sorted.tigris-1-00000000"), others);
    Path dead = Files.createDirectory(folder.resolve(".sorted.tigris-2-00000000"));
    Files.createFile(dead.resolve("lock"));
    Files.createSymbolicLink(dead.resolve("output"), others);
    sort().run();
    assertEquals(List.of("folder", "lock"), list(others));
    assertEquals(List.of("file"), list(others.resolve("folder")));
    assertFalse(Files.exists(dead));
  }

  @Test
  void leavesWhatAnotherUserHasMadeAlone() throws Exception {
    Path dead = Files.createDirectory(folder.resolve(".sorted.tigris-3-00000000"));
    Files.createFile(dead.resolve("lock"));
    UserPrincipal nobody =
        dead.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    try {
      Files.setOwner(dead, nobody);
    } catch (FileSystemException e) {
      abort("skipped: only root can give a folder away");
    }
    sort().run();
    assertEquals(List.of("lock"), list(dead));
  }

  @Test
  void refusesAnOutputInAMissingFolder() {
    SortJob job = SortJob.of(List.of(input), folder.resolve("missing").resolve("sorted"));
    assertTrue(refusal(job, SortException.Kind.OUTPUT).getMessage().contains("create it first"));
  }

  @Test
  void refusesADirectoryAsOutput() throws Exception {
    Files.createDirectory(output);
    assertTrue(refusal(sort(), SortException.Kind.OUTPUT).getMessage().contains("is a directory"));
    refusal(sort().partitioned(), SortException.Kind.OUTPUT);
  }

  @Test
  void refusesAFolderThatIsNotWritable() throws Exception {
    try (SmallDisk disk = SmallDisk.readOnly(folder)) {
      SortJob job = SortJob.of(List.of(input), disk.folder().resolve("sorted"));
      assertTrue(refusal(job, SortException.Kind.OUTPUT).getMessage().contains("not writable"));
    }
  }

  @Test
  void leavesNothingBehindWhenTheDiskIsFull() throws Exception {
    byte[] before = Files.readAllBytes(input);
    try (SmallDisk disk = SmallDisk.inMemory(folder, 4 * MEGABYTE)) {
      for (long memory : new long[] {256 * MEGABYTE, 0}) {
        SortJob job = SortJob.of(List.of(input), disk.folder().resolve("sorted")).parallel(1);
        long bytes = memory == 0 ? SortJobTest.leastMemory(job) : memory;
        SortException failed = refusal(job.memory(bytes), SortException.Kind.DISK_FULL);
        assertTrue(failed.getMessage().contains("free some space"), failed.getMessage());
        assertEquals(List.of(), list(disk.folder()));
      }
    }
    assertArrayEquals(before, Files.readAllBytes(input));
  }

  /// Files that grow get room before they need it, but not much more than they will need.
  @Test
  void needsLittleMoreOfTheDiskThanItsRecordsTwice() throws Exception {
    GenerateJob.to(input, 1_600_000).run();
    try (SmallDisk disk = SmallDisk.inMemory(folder, 360 * MEGABYTE)) {
      Path sorted = disk.folder().resolve("sorted");
      SortJob job = SortJob.of(List.of(input), sorted).parallel(1).memory(8 * MEGABYTE);
      assertTrue(job.run().spilledBytes() > 150 * MEGABYTE);
    }
  }

  @Test
  void noticesAnInputThatIsCutShortWhileItIsRead() {
    AtomicBoolean isCut = new AtomicBoolean();
    SortJob job =
        sort()
            .parallel(1)
            .progress(
                (phase, done, total) -> {
                  if (phase == Progress.Phase.PARTITION && isCut.compareAndSet(false, true)) {
                    truncate(input);
                  }
                });
    SortException failed = refusal(job, SortException.Kind.DATA);
    assertTrue(failed.getMessage().contains("was cut short"), failed.getMessage());
  }

  private static void truncate(Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(1_000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void leavesNothingBehindWhenItIsInterrupted() throws Exception {
    Thread caller = Thread.currentThread();
    SortJob job =
        sort()
            .progress(
                (phase, done, total) -> {
                  if (phase == Progress.Phase.SORT) {
                    caller.interrupt();
                  }
                });
    assertThrows(InterruptedException.class, job::run);
    assertEquals(List.of("input"), list(folder));
  }

  /// An operation on a file that an interrupt ends fails for a reason that says nothing to anybody.
  @Test
  void saysThatItWasInterruptedInTheMiddleOfAnOperationOnAFile() throws Exception {
    for (Executable job :
        List.<Executable>of(
            sort()::run, CheckJob.of(List.of(input))::run, GenerateJob.to(output, 1_000)::run)) {
      Thread.currentThread().interrupt();
      String message = assertThrows(InterruptedException.class, job).getMessage();
      assertTrue(message != null && message.contains("was interrupted"), message);
    }
    assertFalse(Thread.interrupted());
    assertEquals(List.of("input"), list(folder));
  }

  @Test
  void twoSortsAtOnceDoNotDisturbEachOther() throws Exception {
    AtomicReference<SortJob.Result> inner = new AtomicReference<>();
    SortJob outer =
        sort()
            .progress(
                (phase, done, total) -> {
                  if (phase == Progress.Phase.SYNC && inner.get() == null) {
                    inner.set(runUnchecked(sort())); // same input, same output, in the middle
                  }
                });
    SortJob.Result result = outer.run();
    assertEquals(result.checksum(), inner.get().checksum());
    assertEquals(List.of("input", "sorted"), list(folder));
    assertSortedInput("after two sorts");
  }

  private static SortJob.Result runUnchecked(SortJob job) {
    try {
      return job.run();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void twoProcessesAtOnceDoNotDisturbEachOther() throws Exception {
    SortProcess other = SortProcess.start(input, output, 256 * MEGABYTE);
    assertTrue(other.awaitSteps(70)); // its folder is made and it partitions
    sort().run();
    assertEquals(0, other.finish());
    assertEquals(List.of("input", "sorted"), list(folder));
    assertSortedInput("after two processes");
  }

  /// The output has all records of the input, in order.
  private void assertSortedInput(String when) throws Exception {
    CheckSummary sorted = CheckJob.of(List.of(output)).run().summary();
    CheckSummary given = CheckJob.of(List.of(input)).run().summary();
    assertTrue(sorted.isOrdered(), when);
    assertEquals(given.records(), sorted.records(), when);
    assertEquals(given.checksum(), sorted.checksum(), when);
  }

  @Test
  void cleansUpWhenItIsTerminated() throws Exception {
    SortProcess terminated = SortProcess.start(input, output, 12 * MEGABYTE);
    assertTrue(terminated.awaitSteps(80));
    terminated.terminate();
    List<String> left = new ArrayList<>(list(folder));
    left.remove("sorted"); // if it was faster than the signal
    assertEquals(List.of("input"), left);
  }

  private SortJob sort() {
    return SortJob.of(List.of(input), output).memory(256 * MEGABYTE);
  }

  /// The job fails in this way, and leaves no output and no temporary files.
  private SortException refusal(SortJob job, SortException.Kind kind) {
    boolean existed = Files.exists(job.output());
    SortException refused = assertThrows(SortException.class, job::run);
    assertEquals(kind, refused.kind(), refused.getMessage());
    assertEquals(existed, Files.exists(job.output()));
    assertNull(list(folder).stream().filter(name -> name.startsWith(".")).findFirst().orElse(null));
    return refused;
  }

  private static List<String> list(Path folder) {
    try (var files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nothingAppearsBeforeItIsComplete() throws Exception {
    AtomicBoolean appeared = new AtomicBoolean();
    sort()
        .progress(
            (phase, done, total) -> {
              if (phase != Progress.Phase.SYNC && Files.exists(output)) {
                appeared.set(true);
              }
            })
        .run();
    assertFalse(appeared.get());
    assertTrue(Files.exists(output));
  }
}
