package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `tigris sort --lines` and `--csv`.
class TextSortTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void openShell() {
    shell = new Shell(folder);
  }

  private void write(String name, String text) throws Exception {
    Files.writeString(folder.resolve(name), text);
  }

  @Test
  void sortsLinesByKeys() throws Exception {
    write("words", "b 2\na 10\nc 2\n");
    Shell.Result result = shell.run("sort --lines -k 2,2n -k 1,1r @/words @/sorted");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("c 2\nb 2\na 10\n", Files.readString(folder.resolve("sorted")));
    assertTrue(result.out().startsWith("sorted 3 lines, 13 bytes, in "), result.out());
  }

  @Test
  void sortsRowsByColumns() throws Exception {
    write("trades.csv", "country,amount\nDE,5\nAT,7\nDE,12\n");
    Shell.Result result =
        shell.run("sort --csv --key country --key amount:nr @/trades.csv @/sorted --json");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("country,amount\nAT,7\nDE,12\nDE,5\n", Files.readString(folder.resolve("sorted")));
    assertTrue(result.out().contains("\"records\":3,"), result.out());
  }

  @Test
  void takesTheOptionsOfSort() throws Exception {
    write("lines", "b;1\nB;2\na;3\nb;4\n");
    Shell.Result result =
        shell.run("sort --lines -t ; -f -u -s -r -k 1,1 --no-fsync @/lines @/sorted");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("b;1\na;3\n", Files.readString(folder.resolve("sorted")));
    result = shell.run("sort --lines --human-numeric-sort --memory 16m @/lines @/sorted");
    assertEquals(ExitCode.OK, result.code(), result.err());
  }

  @Test
  void checksAsSortDoesInItsWords() throws Exception {
    write("lines", "a\nc\nb\n");
    Shell.Result result = shell.run("sort --lines -c @/lines");
    assertEquals(ExitCode.OUT_OF_ORDER, result.code());
    assertEquals("sort: %s:3: disorder: b\n".formatted(folder.resolve("lines")), result.err());
    result = shell.run("sort --lines -C @/lines");
    assertEquals(ExitCode.OUT_OF_ORDER, result.code());
    assertEquals("", result.out() + result.err());
    for (String quietly : List.of("--check=quiet", "--check=silent", "--check-quietly")) {
      result = shell.run("sort --lines %s @/lines".formatted(quietly));
      assertEquals(ExitCode.OUT_OF_ORDER, result.code(), quietly);
      assertEquals("", result.out() + result.err());
    }
    result = shell.run("sort --lines --sort=numeric --check=diagnose-first @/lines");
    assertEquals("sort: %s:3: disorder: b\n".formatted(folder.resolve("lines")), result.err());
    write("sorted", "c\nb\na\n");
    assertEquals(ExitCode.OK, shell.run("sort --lines -c -u -r @/sorted").code());
  }

  @Test
  void checksLinesAndRows() throws Exception {
    write("rows", "name,n\na,1\nb,2\nc,2\n");
    Shell.Result result = shell.run("check --csv -k n:n @/rows");
    assertEquals(ExitCode.OK, result.code(), result.toString());
    assertEquals("Rows: 3\nDuplicates: 0\nSUCCESS - all are in order\n", result.out());
    result = shell.run("check --csv -k n:nr --json @/rows");
    assertEquals(ExitCode.OUT_OF_ORDER, result.code(), result.toString());
    assertTrue(result.out().contains("\"firstUnorderedLine\":3"), result.out());
    result = shell.run("check --csv -u -k n:n @/rows");
    assertEquals(ExitCode.OUT_OF_ORDER, result.code(), result.toString());
    assertTrue(result.out().contains("First unordered row is row 4 of "), result.out());
    assertEquals(ExitCode.OK, shell.run("check --csv -u -k name @/rows").code());
    result = shell.run("check --lines -r @/rows @/rows");
    assertTrue(result.out().contains("First unordered line is line 3 of "), result.out());
  }

  @Test
  @Slow("starts processes")
  void sortsRowsInSeveralProcesses() throws Exception {
    write("rows", "name,n\nb,2\na,2\nc,1\n");
    Shell.Result result =
        shell.run("sort --csv -s -k n:n --on processes:2 --runs @/runs --json @/rows @/sorted");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("name,n\nc,1\nb,2\na,2\n", Files.readString(folder.resolve("sorted")));
    assertTrue(result.out().contains("\"processes\":[{\"process\":0,"), result.out());
  }

  @Test
  void mergesRows() throws Exception {
    write("one", "n\n1\n3\n");
    write("other", "n\n2\n");
    Shell.Result result = shell.run("sort --csv -m -k n:n @/one @/other @/merged");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("n\n1\n2\n3\n", Files.readString(folder.resolve("merged")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sort -n @/lines @/out                         | --numeric-sort is for text",
        "sort --lines --record-size 9 @/lines @/out    | --record-size is for records",
        "sort --lines --csv @/lines @/out              | leave one out",
        "sort --lines -k 0 @/lines @/out               | the key '0' has 0",
        "sort --lines -R @/lines @/out                 | Unknown option",
        "sort --lines -R @/lines @/out                 | use shuf",
        "sort --lines -S2g @/lines @/out               | The memory is --memory",
        "sort --lines --sort=other @/lines @/out       | Give its letter",
        "sort --lines --check=loud @/lines             | diagnose-first, quiet or silent",
        "sort --lines -o @/out @/lines                 | is the last name",
        "sort --lines -t ab @/lines @/out              | is not one character",
        "sort --lines -t \u00e9 @/lines @/out               | of one byte",
        "sort --lines --memory 1k @/lines @/out        | too small to sort lines",
        "sort --lines -M -n @/lines @/out              | contradict each other",
        "sort --lines - - @/out                        | can be read once",
        "sort -m @/lines @/out                         | --merge is for text",
        "sort --lines -c @/lines @/lines               | -c checks one file",
        "sort --lines -c --on processes:2 @/lines      | -c reads its file in one process",
        "sort --lines -m --on processes:2 @/lines @/out | -m reads its files in turn",
        "sort --csv --on elsewhere @/lines @/out       | names no place for a run",
        "sort -k 2,2n @/lines @/out                    | Text needs --lines",
        "sort --key 0:u8 --key-size 3 @/lines @/out    | a key says where it lies",
        "check --lines -s @/lines                      | -s is for records",
      })
  void refusesWhatMakesNoSense(String line, String reason) throws Exception {
    write("lines", "a\n");
    Shell.Result result = shell.run(line);
    assertEquals(ExitCode.USAGE, result.code(), result.toString());
    assertTrue(result.err().contains(reason), result.err());
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void saysWhichColumnIsMissing() throws Exception {
    write("rows", "a,b\n1,2\n");
    Shell.Result result = shell.run("sort --csv -k c @/rows @/out");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("there is no column 'c'"), result.err());
    write("twins", "a,a\n1,2\n0,3\n");
    result = shell.run("sort --csv -k a @/twins @/out");
    assertTrue(result.err().contains("more than one column 'a'"), result.err());
    assertEquals(ExitCode.OK, shell.run("sort --csv -k 1 @/twins @/out").code());
    write("empty", "");
    result = shell.run("sort --csv -k c @/empty @/out");
    assertEquals(ExitCode.BAD_INPUT, result.code(), result.toString());
    assertTrue(result.err().contains("no input has a first row"), result.err());
  }
}
