package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Signal;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemporaryFolderTest {
  @TempDir Path folder;
  private Path input;

  @BeforeEach
  void makeInput() throws Exception {
    input = folder.resolve("input");
    GenerateJob.to(input, 1_000).run();
  }

  private List<String> files() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }

  /// What runs a program that has a temporary folder; what it says is in one stream.
  private static Command command(Class<?> program, Path argument) {
    return Jvm.of(program).command(argument.toString());
  }

  /// In ASCII, and where the locale can spell them, in characters of three bytes and of four.
  static Stream<String> longest() {
    Stream<String> names =
        Stream.of("n".repeat(255), "\u1000".repeat(85), "\ud83d\ude00".repeat(63));
    return names.limit("UTF-8".equals(System.getProperty("sun.jnu.encoding")) ? 3 : 1);
  }

  @ParameterizedTest
  @MethodSource("longest")
  void hasRoomForTheLongestNames(String name) throws Exception {
    SortJob.of(List.of(input), folder.resolve(name)).run();
    assertEquals(List.of("input", name), files());
  }

  @Test
  void leavesNothingWhereTheProcessHasNoDescriptorsLeft(@TempDir Path other) throws Exception {
    Command limited =
        command(FolderWithoutDescriptors.class, other).behind("prlimit", "--nofile=64", "--");
    List<String> said = limited.run().expect(0).lines();
    assertEquals(
        List.of("OUTPUT", "0 left of one that could not be made", "0 left of one that was closed"),
        said);
  }

  @Test
  void movesNothingToItsPlaceThatTheEndOfTheProcessDeletes() throws Exception {
    Path place = folder.resolve("place");
    Child process = command(FolderAtTheEnd.class, place).start().expectLine("ready");
    process.terminate();
    List<String> lines = process.outcome().expect(Signal.TERM.exitCode()).lines();
    List<String> said = lines.subList(1, lines.size());
    assertTrue(!Files.exists(place), () -> "there is a folder: " + said);
    // Or nothing: it may end before that.
    assertTrue(
        said.stream().allMatch(line -> line.contains("another program deleted")), said.toString());
    assertEquals(List.of("input"), files());
  }

  /// As in `/proc`, and in a folder that is deleted at that moment.
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void saysThatThereCanBeNoFolder() {
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "there is no folder of that kind");
    SortException refused =
        assertThrows(SortException.class, () -> new TemporaryFolder(Path.of("/proc/sorted")));
    assertEquals(SortException.Kind.OUTPUT, refused.kind(), refused.getMessage());
    assertTrue(String.valueOf(refused.getMessage()).contains("/proc"), refused.getMessage());
  }

  /// As where names are in another encoding: a link can lead there.
  @Test
  void isDeletedWhereAFoldersNameCannotBeSpelled() throws Exception {
    String make = "d=$(printf 'f\\377'); mkdir \"$d\" && ln -s \"$d\" link";
    assumeTrue(Command.shell(make).in(folder).succeeds(), "names are text on this file system");
    SortJob sort = SortJob.of(List.of(input), folder.resolve("link/sorted"));
    sort.run();
    sort.run(); // replaces what it has made
    Path there = folder.resolve("link").toRealPath();
    assertEquals(List.of(there.resolve("sorted")), list(there));
  }

  @Test
  void refusesANameThatIsTooLongBeforeItBegins() throws Exception {
    SortJob sort =
        SortJob.of(List.of(input), folder.resolve("n".repeat(256)))
            .progress((phase, done, total) -> assertEquals("", phase + " has begun"));
    SortException refused = assertThrows(SortException.class, sort::run);
    assertEquals(SortException.Kind.OUTPUT, refused.kind());
    assertTrue(String.valueOf(refused.getMessage()).contains("a shorter one"));
    assertEquals(List.of("input"), files());
  }

  /// A lock is let go of when any sort of this process closes the file, and another process then
  /// takes the folder for that of a dead one.
  @Test
  void keepsTheLockOfAFolderThatIsReachedThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    Path output = folder.resolve("sorted");
    try (TemporaryFolder living = new TemporaryFolder(output)) {
      new TemporaryFolder(link.resolve("sorted")).close();
      assertEquals(0, SortProcess.start(input, output, 64 << 20).finish());
      assertTrue(Files.exists(living.resolve("lock")));
    }
  }

  @Test
  void saysThatAFolderHasTakenTheOutputsNameMeanwhile() throws Exception {
    Path output = folder.resolve("sorted");
    for (String made : List.of("file", "folder")) {
      try (TemporaryFolder living = new TemporaryFolder(output)) {
        Path place = living.resolve(made);
        Path _ = made.equals("file") ? Files.createFile(place) : Files.createDirectory(place);
        Files.createFile(Files.createDirectories(output).resolve(made));
        SortException refused =
            assertThrows(SortException.class, () -> living.publish(made, output, false));
        assertEquals(SortException.Kind.OUTPUT, refused.kind(), refused.getMessage());
        assertTrue(String.valueOf(refused.getMessage()).contains("name another"));
      }
    }
    assertEquals(List.of("input", "sorted"), files());
  }

  @Test
  void saysThatItIsElsewhereWhenItsFolderWasMoved() throws Exception {
    List<String> said =
        command(FolderThatIsMoved.class, folder.resolve("results")).run().expect(0).lines();
    assertTrue(said.stream().anyMatch(line -> line.contains("was moved")), said.toString());
  }

  /// The folder of the output is there, and nothing is wrong with that.
  @Test
  void saysThatItWasDeletedMeanwhile() throws Exception {
    Path output = folder.resolve("sorted");
    try (TemporaryFolder living = new TemporaryFolder(output)) {
      SortException refused =
          assertThrows(SortException.class, () -> living.publish("output", output, false));
      assertEquals(SortException.Kind.DATA, refused.kind(), refused.getMessage());
      assertTrue(String.valueOf(refused.getMessage()).contains("sort again"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sorted", "so\trted \\040"})
  void refusesAMountPointBeforeTheWork(String name) throws Exception {
    Path output = Files.createFile(folder.resolve(name));
    Set<Progress.Phase> begun = ConcurrentHashMap.newKeySet();
    try (SmallDisk _ = SmallDisk.bind(Files.createFile(folder.resolve("other")), output)) {
      SortJob job = SortJob.of(List.of(input), output).progress((phase, _, _) -> begun.add(phase));
      SortException refused = assertThrows(SortException.class, job::run);
      assertEquals(SortException.Kind.OUTPUT, refused.kind(), refused.getMessage());
      assertTrue(String.valueOf(refused.getMessage()).contains("mount point"));
    }
    assertEquals(Set.of(), begun);
    assertEquals(0, Files.size(output));
  }

  @Test
  void saysThatAMountPointCannotBeReplaced() throws Exception {
    Path output = Files.createFile(folder.resolve("sorted"));
    try (TemporaryFolder living = new TemporaryFolder(output);
        SmallDisk _ = SmallDisk.bind(Files.createFile(folder.resolve("other")), output)) {
      Files.createFile(living.resolve("output"));
      SortException refused =
          assertThrows(SortException.class, () -> living.publish("output", output, false));
      assertEquals(SortException.Kind.OUTPUT, refused.kind(), refused.getMessage());
      assertTrue(String.valueOf(refused.getMessage()).contains("mount point"));
    }
  }

  @Test
  void saysWhyAFileCannotBeWrittenWithoutItsNameAgain() {
    var immutable = new FileSystemException("sorted", null, "Operation not permitted");
    SortException refused = SortException.writing(Path.of("sorted"), immutable);
    assertEquals(SortException.Kind.OUTPUT, refused.kind());
    assertEquals(
        "sorted cannot be written (Operation not permitted): write to another place",
        refused.getMessage());
  }

  /// As in `/tmp`, where everybody may write, and each may replace their own files only.
  @Test
  void saysThatAFileOfAnotherUserMayNotBeReplacedBeforeItSorts() throws Exception {
    Path common = Files.createDirectory(folder.resolve("common"));
    Path theirs = Files.createFile(common.resolve("theirs"));
    try {
      Files.setAttribute(theirs, "unix:uid", 65_533);
      Files.setAttribute(common, "unix:uid", 65_534);
      Files.setAttribute(common, "unix:mode", 01777);
    } catch (FileSystemException e) {
      abort("skipped: only root can give a folder away");
    }
    SortProcess sort = SortProcess.startWithoutPrivileges(input, theirs);
    String step = sort.nextLine();
    while (step != null && step.contains("SAMPLE")) {
      step = sort.nextLine();
    }
    assertTrue(step != null && step.startsWith("refused: OUTPUT: "), step);
    assertTrue(step.contains("Name another output"), step);
    sort.finish();
    assertEquals(List.of(theirs), list(common));
    assertEquals(0, Files.size(theirs));
  }

  private static List<Path> list(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void isNotStoppedOnceTheOutputIsInItsPlace() throws Exception {
    Thread.currentThread().interrupt();
    TemporaryFolder.forceFolder(folder, folder);
    assertTrue(Thread.interrupted(), "the interrupt is for others");
  }

  /// As when a process is asked to stop before the sort has begun.
  @Test
  void mayBeMadeWhenTheProcessIsEnding() throws Exception {
    assertNull(SortProcess.refusalAtTheEnd(input, folder.resolve("sorted")));
    assertEquals(List.of("input", "sorted"), files());
  }

  /// As with file systems in user space and NFS, for a file that was deleted while it was open.
  @Test
  void waitsForDeletedFilesToBeGone() throws Exception {
    Path emptied = Files.createDirectory(folder.resolve("emptied"));
    Path hidden = Files.createFile(emptied.resolve(".fuse_hidden1"));
    TemporaryFolder.delete(
        emptied,
        millis -> {
          if (millis > 1) {
            OutputPaths.deleteQuietly(hidden);
          }
        });
    assertEquals(List.of("input"), files());
  }

  @Test
  void doesNotWaitLongForAFileThatStays() throws Exception {
    Path emptied = Files.createDirectory(folder.resolve("emptied"));
    Files.createFile(emptied.resolve("stays"));
    var waited = new AtomicInteger();
    assertThrows(
        DirectoryNotEmptyException.class, () -> TemporaryFolder.delete(emptied, waited::addAndGet));
    assertEquals(255, waited.get());
    assertEquals(List.of("emptied", "input"), files());
  }
}
