package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A slash at the end of a name says that it is a folder's.
class FolderNamesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"gen 1 @/new/", "sort @/data @/new/", "check -o @/new/ @/data"})
  void makesNoFileOfAFoldersName(String line) {
    var shell = new Shell(folder);
    shell.run("gen 10 @/data");
    Result result = shell.run(line);
    assertEquals(ExitCode.USAGE, result.code(), result.err());
    assertTrue(
        result.err().contains("new/' names a folder, since it ends with a slash"), result.err());
    assertFalse(Files.exists(folder.resolve("new")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gen 1 @/data/", "sort @/data/ @/new", "check @/data/"})
  void takesNoFileForAFolder(String line) {
    var shell = new Shell(folder);
    shell.run("gen 10 @/data");
    Result result = shell.run(line);
    assertEquals(ExitCode.USAGE, result.code(), result.err());
    assertTrue(
        result.err().contains("data/' is a file, not a folder: remove the trailing slash"),
        result.err());
  }

  @Test
  void writesPartitionsToAFolderSoNamed() {
    var shell = new Shell(folder);
    shell.run("gen 10 @/data");
    Result result = shell.run("sort --partitions @/data @/parts/");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertTrue(Files.isRegularFile(folder.resolve("parts").resolve("part-0000")));
  }
}
