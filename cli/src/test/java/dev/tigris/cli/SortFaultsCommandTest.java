package dev.tigris.cli;

import static java.lang.ProcessBuilder.Redirect.DISCARD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import dev.tigris.testing.host.SmallDisk;
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
  @CsvSource({"true, free some space", "false, not writable"})
  void saysThatTheOutputCannotBeWritten(boolean isWritable, String message) throws Exception {
    try (SmallDisk _ =
        isWritable ? SmallDisk.inMemory(folder, 4 << 20) : SmallDisk.readOnly(folder)) {
      Result result = shell.run("sort --memory 64m @/data @/small-disk/sorted");
      assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
      assertTrue(result.err().contains(message), result.err());
    }
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
    int code =
        OwnProcess.command(folder, "-Dtigris.test=true", DISCARD, line.split(" ", -1))
            .behind(prefix)
            .run()
            .exitCode();
    String said = Files.readString(folder.resolve("err"));
    assertEquals(ExitCode.BAD_INPUT.number(), code, said);
    assertTrue(said.startsWith("tigris: ") && said.contains("cannot be read"), said);
    assertFalse(Files.exists(folder.resolve("sorted")));
  }
}
