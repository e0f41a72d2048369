package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Wait;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `tigris sort` and `check` where records come from pipes and go to them, and where that fails.
class RecordPipesTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeRecords() {
    shell = new Shell(folder);
    assertEquals(ExitCode.OK, shell.run("gen 50000 @/data").code());
  }

  private Child tigris(Redirect in, Redirect out, String... args) {
    return OwnProcess.command(folder, "-Dtigris.test=true", out, args).inputFrom(in).startUnread();
  }

  private static Redirect from(Path file) {
    return Redirect.from(file.toFile());
  }

  private static Redirect to(Path file) {
    return Redirect.to(file.toFile());
  }

  /// As `cat data | tigris sort --key 0:bytes:10 - -`.
  @Test
  void sortsItsStandardInputToItsStandardOutput() throws Exception {
    assertEquals(ExitCode.OK, shell.run("sort --key 0:bytes:10 @/data @/expected").code());
    byte[] expected = Files.readAllBytes(folder.resolve("expected"));
    Path piped = folder.resolve("piped");
    String _ = Command.of("mkfifo", piped.toString()).output();
    Child cat = Command.shell("cat data > piped").in(folder).start();
    Path sorted = folder.resolve("sorted");
    Child sort =
        tigris(from(piped), to(sorted), "sort", "--key", "0:bytes:10", "-T", ".", "-", "-");
    assertEquals(0, sort.exitCode(), Files.readString(folder.resolve("err")));
    assertEquals(0, cat.exitCode());
    assertArrayEquals(expected, Files.readAllBytes(sorted));
    assertTrue(Files.readString(folder.resolve("err")).startsWith("sorted 50,000 records"));
    Child check = tigris(from(sorted), to(folder.resolve("out")), "check", "-");
    assertEquals(0, check.exitCode(), Files.readString(folder.resolve("err")));
    assertTrue(Files.readString(folder.resolve("out")).contains("SUCCESS"));
  }

  @Test
  void readsAndWritesNamedPipesAndCompressedFiles() throws Exception {
    String _ = Command.of("mkfifo", folder.resolve("in").toString()).output();
    Child writer = Command.shell("cat data > in").in(folder).start();
    Shell.Result result = shell.run("sort --memory 4m --key 2:u32be:desc @/in @/sorted.gz");
    assertEquals(ExitCode.OK, result.code(), result.toString());
    assertEquals(0, writer.exitCode());
    Shell.Result check = shell.run("check --key 2:u32be:desc @/sorted.gz");
    assertEquals(ExitCode.OK, check.code(), check.toString());
    assertEquals(ExitCode.OUT_OF_ORDER, shell.run("check @/sorted.gz").code());
    String _ = Command.of("mkfifo", folder.resolve("out").toString()).output();
    Child reader = Command.shell("cat out > copy").in(folder).start();
    result = shell.run("sort @/sorted.gz @/out");
    assertEquals(ExitCode.OK, result.code(), result.toString());
    assertEquals(0, reader.exitCode());
    result = shell.run("check @/copy");
    assertEquals(ExitCode.OK, result.code(), result.toString());
  }

  /// The code is that of a program that SIGPIPE ends.
  @Test
  void endsQuietlyWhenItsReaderHasEnough() throws Exception {
    Child sort = tigris(from(folder.resolve("data")), Redirect.PIPE, "sort", "-", "-");
    assertEquals(141, sort.exitCode());
    assertEquals("", Files.readString(folder.resolve("err")));
  }

  /// A sort is ended while its output goes to a pipe, also compressed, whose reader has taken some.
  /// After a kill that lets it clean nothing up, the next sort with that folder does.
  @ParameterizedTest
  @EnumSource(
      value = Signal.class,
      names = {"TERM", "KILL"})
  void leavesNothingBehindWhenItIsEndedWhileItWritesToAPipe(Signal signal) throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    for (String pipe : new String[] {"out", "out.gz"}) {
      String _ = Command.of("mkfifo", folder.resolve(pipe).toString()).output();
      Child reader =
          Command.shell("exec 3< \"$1\"; head -c 9 <&3 > /dev/null; echo some; read _", pipe)
              .in(folder)
              .start();
      Child sort = tigris(Redirect.PIPE, Redirect.DISCARD, "sort", "-T", "temporary", "data", pipe);
      Child _ = reader.expectLine("some"); // and the rest does not fit the pipe
      sort.send(signal);
      assertEquals(signal.exitCode(), sort.exitCode(), Files.readString(folder.resolve("err")));
      reader.say("");
      assertEquals(0, reader.exitCode());
      assertEquals(signal == Signal.KILL ? 1 : 0, filesIn(temporary));
    }
    String next = "sort -T %s @/data /dev/null".formatted(temporary);
    assertEquals(ExitCode.OK, shell.run(next).code());
    assertEquals(0, filesIn(temporary));
  }

  /// The input has given all its records, and does not end. Or the output's reader has taken some.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSignalEndsASortThatWaitsForAStandardStream(boolean isInput) throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    Path pipe = folder.resolve("pipe");
    String _ = Command.of("mkfifo", pipe.toString()).output();
    String script =
        isInput
            ? "exec 3> pipe; cat data >&3; echo some; read _"
            : "exec 3< pipe; head -c 9 <&3 > /dev/null; echo some; read _";
    Child partner = Command.shell(script).in(folder).start();
    Child sort =
        tigris(
            from(isInput ? pipe : folder.resolve("data")),
            isInput ? to(folder.resolve("sorted")) : to(pipe),
            "sort",
            "-T",
            "temporary",
            "-",
            "-");
    Child _ = partner.expectLine("some");
    sort.send(Signal.TERM);
    assertEquals(Signal.TERM.exitCode(), sort.exitCode());
    assertEquals(0, filesIn(temporary));
    assertFalse(Files.readString(folder.resolve("err")).contains("stopped before"));
    partner.say("");
    assertEquals(0, partner.exitCode());
  }

  /// No process ever opens the other end of the pipe.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sort -T temporary pipe sorted",
        "sort -T temporary data pipe",
        "sort --lines -T temporary data pipe",
        "check pipe",
        "arrow from-csv pipe sorted",
      })
  void aSignalEndsACommandThatWaitsForTheOtherEndOfAPipe(String command) throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    String _ = Command.of("mkfifo", folder.resolve("pipe").toString()).output();
    Child waiting = tigris(Redirect.PIPE, Redirect.DISCARD, command.split(" "));
    Wait.until("it opens the pipe", () -> threadsOf(waiting).contains("tigris-pipe"));
    waiting.send(Signal.TERM);
    assertEquals(Signal.TERM.exitCode(), waiting.exitCode());
    assertEquals(0, filesIn(temporary));
    assertFalse(Files.readString(folder.resolve("err")).contains("stopped before"));
  }

  private static List<String> threadsOf(Child child) throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + child.pid() + "/task"))) {
      for (Path thread : threads.toList()) {
        names.add(Files.readString(thread.resolve("comm")).strip());
      }
    } catch (NoSuchFileException _) {
      // a thread has ended: the caller looks again
    }
    return names;
  }

  private static long filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  @Test
  void saysThatAPipeEndsWithinARecord() throws Exception {
    Files.write(folder.resolve("part"), new byte[150]);
    Child sort = tigris(from(folder.resolve("part")), Redirect.DISCARD, "sort", "-", "sorted");
    assertEquals(ExitCode.BAD_INPUT.number(), sort.exitCode());
    String said = Files.readString(folder.resolve("err"));
    assertTrue(said.startsWith("tigris: - is not a whole number of records"), said);
    try (Stream<Path> files = Files.list(folder)) {
      assertTrue(files.noneMatch(file -> file.getFileName().toString().startsWith(".")));
    }
  }

  @Test
  void saysThatTheDiskIsFullAndLeavesNothing() throws Exception {
    assertEquals(ExitCode.OK, shell.run("sort @/data @/data.gz").code());
    try (SmallDisk _ = SmallDisk.inMemory(folder, 4 << 20)) {
      Shell.Result result = shell.run("sort @/data.gz @/small-disk/sorted");
      assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
      assertTrue(result.err().contains("a copy of " + folder.resolve("data.gz")), result.err());
      result = shell.run("sort --memory 64m @/data @/small-disk/sorted.gz");
      assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
      assertTrue(result.err().contains("free some space"), result.err());
      try (Stream<Path> left = Files.list(folder.resolve("small-disk"))) {
        assertEquals(0, left.count());
      }
    }
  }
}
