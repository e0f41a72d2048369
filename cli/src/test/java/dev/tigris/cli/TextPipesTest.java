package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.testing.Slow;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `tigris sort --lines` where text comes from pipes and goes to them, and where that fails.
class TextPipesTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void openShell() {
    shell = new Shell(folder);
  }

  private void pipe(String name) {
    String _ = Command.of("mkfifo", folder.resolve(name).toString()).output();
  }

  private static String numbers(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "%07d\n".formatted(i * 7919L % count))
        .collect(Collectors.joining());
  }

  @Test
  void readsANamedPipeAndWritesOne() throws Exception {
    pipe("in");
    pipe("out");
    Child writer =
        Command.shell("printf 'b\\na\\n' > in; cat out").in(folder).errorsApart().start();
    Shell.Result result = shell.run("sort --lines @/in @/out");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("a\nb\n", writer.outcome().orThrow());
  }

  @Test
  void checksAndMergesWhatIsCompressedOrComesFromAPipe() throws Exception {
    Files.writeString(folder.resolve("lines"), "b\na\n");
    assertEquals(ExitCode.OK, shell.run("sort --lines @/lines @/sorted.gz").code());
    assertEquals(ExitCode.OK, shell.run("check --lines -u @/sorted.gz").code());
    Shell.Result result = shell.run("sort --lines -c -r @/sorted.gz");
    assertEquals(ExitCode.OUT_OF_ORDER, result.code(), result.toString());
    result = shell.run("sort --lines -m @/sorted.gz @/sorted.gz @/merged");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("a\na\nb\nb\n", Files.readString(folder.resolve("merged")));
    pipe("in");
    Child writer = Command.shell("printf 'b\\na\\n' > in").in(folder).start();
    result = shell.run("check --lines -k 1,1 @/in");
    assertEquals(ExitCode.OUT_OF_ORDER, result.code(), result.toString());
    assertEquals(0, writer.exitCode());
  }

  @Test
  void mergesPipesAsTheyCome() throws Exception {
    pipe("one");
    pipe("other");
    Child writer =
        Command.shell("printf '1\\n3\\n' > one & printf '2\\n10\\n' > other; wait")
            .in(folder)
            .start();
    Shell.Result result = shell.run("sort --lines -m -n @/one @/other @/merged");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("1\n2\n3\n10\n", Files.readString(folder.resolve("merged")));
    assertEquals(0, writer.exitCode());
  }

  /// The code is that of a program that SIGPIPE ends.
  @Test
  void endsQuietlyWhenItsReaderHasEnough() throws Exception {
    Files.writeString(folder.resolve("lines"), numbers(200_000));
    Child sort =
        OwnProcess.command(
                folder, "-Dtigris.test=true", Redirect.PIPE, "sort", "--lines", "lines", "-")
            .startUnread();
    assertEquals(141, sort.exitCode());
    assertEquals("", Files.readString(folder.resolve("err")));
  }

  @Test
  void leavesNothingBehindWhenItIsKilledAndSortsAgain() throws Exception {
    pipe("in");
    Child writer = Command.shell("exec 3> in; echo open; read _").in(folder).start();
    Child sort =
        OwnProcess.tigris(
            folder, "-Dtigris.test=true", Redirect.DISCARD, "sort", "--lines", "in", "sorted");
    Child _ = writer.expectLine("open"); // it reads the pipe, whose end does not come
    sort.terminate();
    assertEquals(Signal.TERM.exitCode(), sort.exitCode());
    writer.say("");
    assertEquals(0, writer.exitCode());
    assertFalse(hasHiddenFiles());
    assertFalse(Files.exists(folder.resolve("sorted")));
  }

  /// A process that is killed cleans nothing up; the next sort to that name does.
  @Test
  @Slow("the kill of a sort of records is in the quick tier")
  void aRerunCleansUpAfterAKill() throws Exception {
    pipe("in");
    Child writer = Command.shell("exec 3> in; echo open; read _").in(folder).start();
    Child sort =
        OwnProcess.tigris(
            folder, "-Dtigris.test=true", Redirect.DISCARD, "sort", "--lines", "in", "sorted");
    Child _ = writer.expectLine("open");
    sort.kill();
    int _ = sort.exitCode();
    writer.say("");
    assertEquals(0, writer.exitCode());
    assertTrue(hasHiddenFiles());
    Files.writeString(folder.resolve("lines"), "b\na\n");
    Shell.Result result = shell.run("sort --lines @/lines @/sorted");
    assertEquals(ExitCode.OK, result.code(), result.toString());
    assertEquals("a\nb\n", Files.readString(folder.resolve("sorted")));
    assertFalse(hasHiddenFiles());
  }

  private boolean hasHiddenFiles() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith("."));
    }
  }

  /// With little memory, lines that are spilled fill the disk before the output does.
  @ParameterizedTest
  @ValueSource(strings = {"4m", "64m"})
  @Slow("the quick tier has a disk that a copy of the input fills")
  void saysThatTheDiskIsFullAndLeavesNothing(String memory) throws Exception {
    Files.writeString(folder.resolve("lines"), numbers(100_000).repeat(8));
    try (SmallDisk _ = SmallDisk.inMemory(folder, 4 << 20)) {
      Shell.Result result =
          shell.run("sort --lines --memory %s @/lines @/small-disk/sorted".formatted(memory));
      assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
      assertTrue(result.err().contains("free some space"), result.err());
      try (Stream<Path> left = Files.list(folder.resolve("small-disk"))) {
        assertEquals(0, left.count());
      }
    }
  }

  /// A small file that becomes a large one is not the memory's concern, but the disk's.
  @ParameterizedTest
  @ValueSource(strings = {"bomb.gz", "bomb.zst"})
  void saysThatABombHasFilledTheDisk(String bomb) throws Exception {
    byte[] lines = new byte[8 << 20];
    Arrays.fill(lines, (byte) '\n');
    Files.write(folder.resolve("lines"), lines);
    Shell.Result packed = shell.run("sort --lines @/lines @/" + bomb);
    assumeFalse(packed.err().contains("libzstd"), "this system has no libzstd.so.1");
    assertEquals(ExitCode.OK, packed.code(), packed.toString());
    assertTrue(Files.size(folder.resolve(bomb)) < lines.length / 100);
    try (SmallDisk _ = SmallDisk.inMemory(folder, 2 << 20)) {
      for (String kind : new String[] {"--lines", "--csv", "--record-size 64"}) {
        Shell.Result result = shell.run("sort %s @/%s @/small-disk/sorted".formatted(kind, bomb));
        assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
        assertTrue(result.err().contains("a copy of " + folder.resolve(bomb)), result.err());
        try (Stream<Path> left = Files.list(folder.resolve("small-disk"))) {
          assertEquals(0, left.count());
        }
      }
    }
  }
}
