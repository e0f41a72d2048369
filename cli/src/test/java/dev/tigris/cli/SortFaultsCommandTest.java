package dev.tigris.cli;

import static java.lang.ProcessBuilder.Redirect.DISCARD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.cli.Shell.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the `sort` command says, and exits with, where the machine fails it.
class SortFaultsCommandTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeInput() {
    shell = new Shell(folder);
    assertEquals(ExitCode.OK, shell.run("gen 60000 @/data").code());
  }

  @ParameterizedTest
  @CsvSource({"size=4m, free some space", "'size=4m,ro', not writable"})
  void saysThatTheOutputCannotBeWritten(String options, String message) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", options, "tmpfs", disk.toString()) == 0,
        "skipped: a small tmpfs can be mounted by root only");
    try {
      Result result = shell.run("sort --memory 64m @/data @/disk/sorted");
      assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
      assertTrue(result.err().contains(message), result.err());
    } finally {
      assertEquals(0, run("umount", disk.toString()));
    }
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  @Test
  void saysThatAnInputCannotBeRead() throws Exception {
    Path circle = folder.resolve("circle");
    Files.createSymbolicLink(circle, circle);
    Result result = shell.run("sort @/data @/circle @/sorted");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("cannot be opened"), result.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"sort data sorted", "check data"})
  void saysThatAnInputMayNotBeRead(String line) throws Exception {
    Path data = folder.resolve("data");
    Files.setPosixFilePermissions(data, Set.of());
    List<String> prefix = OwnProcess.bound(Files.isReadable(data));
    Process process =
        OwnProcess.tigris(folder, "-Dtigris.test=true", DISCARD, prefix, line.split(" ", -1));
    int code = process.waitFor();
    String said = Files.readString(folder.resolve("err"));
    assertEquals(ExitCode.BAD_INPUT.number(), code, said);
    assertTrue(said.startsWith("tigris: ") && said.contains("may not be read"), said);
    assertFalse(Files.exists(folder.resolve("sorted")));
  }
}
