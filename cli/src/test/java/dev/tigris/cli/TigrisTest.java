// Over 400 lines: what all commands have in common, one rule a test.
package dev.tigris.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tigris.cli.Shell.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TigrisTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void openShell() {
    shell = new Shell(folder);
  }

  @Test
  void printsItsVersion() {
    Result result = shell.run("--version");
    assertEquals(ExitCode.OK, result.code());
    assertTrue(result.out().startsWith("tigris "), result.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--help", "help"})
  void listsTheCommands(String line) {
    Result result = shell.run(line);
    assertEquals(ExitCode.OK, result.code());
    for (String command :
        new String[] {
          "demo",
          "gen",
          "sort",
          "check",
          "arrow",
          "multiply",
          "layout",
          "specialize",
          "net",
          "disk",
          "mirror",
          "call",
          "run",
          "plan",
          "recover",
          "worker",
          "keys",
          "help",
          "test",
          "bench"
        }) {
      assertTrue(result.out().contains("\n  " + command + " "), command + " in " + result.out());
    }
    assertFalse(result.out().contains("train"), "train is the launcher's own");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "gen",
        "sort",
        "check",
        "arrow",
        "multiply",
        "layout",
        "specialize",
        "net",
        "disk",
        "mirror",
        "call",
        "run",
        "plan",
        "recover",
        "worker",
        "keys"
      })
  void teachesEachCommandWithExamples(String command) {
    Result asked = shell.run(command + " --help");
    assertEquals(ExitCode.OK, asked.code());
    assertTrue(asked.out().contains("Usage: tigris " + command), asked.out());
    assertTrue(asked.out().contains("Examples:\n  tigris " + command), asked.out());
    assertEquals(asked, shell.run("help " + command));
  }

  @Test
  void saysWhichFileNameCannotBeSpelled() {
    for (String line : new String[] {"check a\0b", "sort data a\0b"}) {
      Result result = shell.run(line); // as one with an umlaut in a locale without
      assertEquals(ExitCode.USAGE, result.code());
      assertTrue(
          result.err().contains("'a\0b' has characters outside the locale of this shell"),
          result.err());
    }
  }

  @Test
  void helpLinesFitATerminal() {
    for (String topic :
        new String[] {
          "",
          "demo",
          "gen",
          "sort",
          "check",
          "arrow",
          "multiply",
          "layout",
          "specialize",
          "net",
          "disk",
          "mirror",
          "call",
          "run",
          "plan",
          "recover",
          "worker",
          "keys",
          "exit-codes"
        }) {
      shell
          .run(("help " + topic).strip())
          .out()
          .lines()
          .forEach(line -> assertTrue(line.length() <= 80, line));
    }
  }

  @Test
  void explainsTheExitCodes() {
    String out = shell.run("help exit-codes").out();
    for (ExitCode code : ExitCode.values()) {
      assertTrue(out.contains("%3d  %s".formatted(code.number(), code.meaning())), out);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          chek @/f                                  | Did you mean
          gen                                       | Missing required parameters
          gen many @/f                              | 'many' is not a count
          gen -b-1 1 @/f                            | -b
          gen 1 @/f extra                           | extra
          gen 1 -                                   | '-' does not stand for standard input or output
          sort - - @/sorted                         | standard input (-) can be read once
          check -s -                                | '-' does not stand for standard input or output
          sort --partitions @/data -                | --partitions writes files
          sort --partitions @/data @/parts.gz       | name it without '.gz'
          srot @/data @/sorted                      | there is no command 'srot'
          sort                                      | FILE
          gen 92233720368547759 @/a                 | records: the number must be from 0 to
          gen --frob                                | Unknown option: '--frob'
          sort --frob                               | Unknown option: '--frob'
          sort --memroy 1g                          | '--memroy'
          gen --frob 64 1M @/f more                 | Unknown option: '--frob'
          demo --frob x                             | Unknown option: '--frob'
          check --frob                              | Unknown option: '--frob'
          layout --frob                             | Unknown option: '--frob'
          specialize --frob                         | Unknown option: '--frob'
          net --frob                                | Unknown option: '--frob'
          demo --frob                               | Unknown option: '--frob'
          sort @/only                               | then the file to write
          sort --memory lots @/a @/b                | 'lots' is not a size
          sort --parallel 0 @/a @/b                 | is not a number from 1
          sort --record-size 5 @/a @/b              | does not lie inside
          sort --key-size 0 @/a @/b                 | key of 0 bytes
          sort --record-size 2g @/a @/b             | is too large for a record
          check                                     | name the files to check
          check --key-offset 95 @/f                 | does not lie inside
          help nothing                              | there is no command 'nothing'. The commands are
          help nothing                              | help, test, bench, example; there is also 'exit
          """)
  void refusesAWrongCommandLineAndNamesTheHelp(String line, String part) {
    Result result = shell.run(line);
    assertEquals(ExitCode.USAGE, result.code(), result.toString());
    assertTrue(result.err().contains(part), result.err());
    assertTrue(result.err().contains("--help"), result.err());
    assertEquals("", result.out());
  }

  @Test
  void theDocumentationListsEveryExitCode() throws Exception {
    String page = Document.of("docs/command.md").text();
    for (ExitCode code : ExitCode.values()) {
      assertTrue(page.contains("\n| %d | ".formatted(code.number())), code.toString());
    }
  }

  @Test
  void generatesGensortsRecords() throws Exception {
    Result result = shell.run("gen -c 1000 @/data");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals(100_000, Files.size(folder.resolve("data")));
    assertTrue(result.out().contains("1,000 records, 100,000 bytes"), result.out());
    assertTrue(result.out().endsWith("checksum 1ea6370b955\n"), result.out());
  }

  @Test
  void generatesAsciiSkewedAndLaterRecords() throws Exception {
    shell.run("gen -a 1 @/ascii");
    assertTrue(Files.readString(folder.resolve("ascii")).endsWith("\r\n"));
    shell.run("gen -s -b5 10 @/skewed");
    shell.run("gen 15 @/all");
    shell.run("gen -b5 10 @/later");
    byte[] all = Files.readAllBytes(folder.resolve("all"));
    byte[] later = Files.readAllBytes(folder.resolve("later"));
    assertEquals(0, Arrays.compare(all, 500, 1500, later, 0, 1000));
    assertEquals(1000, Files.size(folder.resolve("skewed")));
  }

  @Test
  void sortsAndChecks() {
    shell.run("gen 2000 @/data");
    Result unordered = shell.run("check @/data");
    assertEquals(ExitCode.OUT_OF_ORDER, unordered.code());
    assertTrue(unordered.out().contains("ERROR - there are"), unordered.out());

    Result sorted = shell.run("sort @/data @/sorted --memory 64m");
    assertEquals(ExitCode.OK, sorted.code(), sorted.err());
    assertTrue(sorted.out().startsWith("sorted 2,000 records, 200,000 bytes, in "), sorted.out());
    assertEquals("", sorted.err());

    Result ordered = shell.run("check @/sorted");
    assertEquals(ExitCode.OK, ordered.code());
    assertTrue(ordered.out().contains("SUCCESS - all records are in order"), ordered.out());
  }

  @Test
  void sortsPartitionsThatAreCheckedApartAndTogether() throws Exception {
    shell.run("gen 60k @/data");
    assertEquals(ExitCode.OK, shell.run("sort --partitions --parallel 2 @/data @/parts").code());
    var summaries = new ArrayDeque<String>();
    try (var parts = Files.list(folder.resolve("parts"))) {
      for (Path part : parts.sorted().toList()) {
        String summary = "@/%s.sum".formatted(part.getFileName());
        Result apart = shell.run("check -o %s @/parts/%s".formatted(summary, part.getFileName()));
        assertEquals(ExitCode.OK, apart.code(), apart.toString());
        summaries.add(summary);
      }
    }
    Result together = shell.run("check -s " + String.join(" ", summaries));
    assertEquals(ExitCode.OK, together.code(), together.toString());
    assertTrue(together.out().contains("Records: 60000\n"), together.out());
    summaries.addFirst(summaries.removeLast());
    assertEquals(
        ExitCode.OUT_OF_ORDER, shell.run("check -s " + String.join(" ", summaries)).code());
  }

  @Test
  void sortsRecordsOfAnyShape() throws Exception {
    Files.writeString(folder.resolve("words"), "3 cow2 ant1 bee");
    String shape = "--record-size 5 --key-offset 2 --key-size 3";
    assertEquals(ExitCode.OK, shell.run("sort %s @/words @/sorted".formatted(shape)).code());
    assertEquals("2 ant1 bee3 cow", Files.readString(folder.resolve("sorted")));
    assertEquals(ExitCode.OK, shell.run("check %s @/sorted".formatted(shape)).code());
  }

  @Test
  void sortsRecordsOfMegabytes() throws Exception {
    byte[] records = new byte[3 * (2 << 20)];
    records[records.length - 1] = 1;
    records[(2 << 20) - 1] = 2;
    Files.write(folder.resolve("large"), records);
    String shape = "--record-size 2m --key-size 2m";
    assertEquals(ExitCode.OUT_OF_ORDER, shell.run("check %s @/large".formatted(shape)).code());
    Result sorted = shell.run("sort %s --memory 64m @/large @/sorted".formatted(shape));
    assertEquals(ExitCode.OK, sorted.code(), sorted.err());
    byte[] expected = new byte[records.length];
    expected[2 * (2 << 20) - 1] = 1;
    expected[expected.length - 1] = 2;
    assertArrayEquals(expected, Files.readAllBytes(folder.resolve("sorted")));
    Result checked = shell.run("check %s -o @/summary @/sorted".formatted(shape));
    assertEquals(ExitCode.OK, checked.code(), checked.toString());
    assertEquals(checked.out(), shell.run("check -s @/summary").out());
  }

  @Test
  void speaksJson() throws Exception {
    Map<String, Object> generated = json(shell.run("gen --json -c 1000 @/data"));
    assertEquals("gen", generated.get("command"));
    assertEquals("ok", generated.get("status"));
    assertEquals(1000L, generated.get("records"));
    assertEquals("1ea6370b955", generated.get("checksum"));

    Map<String, Object> sorted = json(shell.run("sort --json @/data @/sorted"));
    assertEquals(100_000L, sorted.get("bytes"));
    assertEquals("1ea6370b955", sorted.get("checksum"));
    assertTrue(sorted.get("seconds") instanceof Double, sorted.toString());
    assertTrue(sorted.get("megabytesPerSecond") instanceof Double, sorted.toString());

    Map<String, Object> checked = json(shell.run("check --json @/sorted"));
    assertEquals("ok", checked.get("status"));
    assertEquals(0L, checked.get("unorderedRecords"));

    Map<String, Object> disorder = json(shell.run("check --json @/data"));
    assertEquals("out of order", disorder.get("status"));
    assertEquals(2L, disorder.get("firstUnorderedRecord"));
  }

  @ParameterizedTest
  @CsvSource({"sort --json @/missing @/out,3", "gen --json 1 @/no/such/folder,4", "sort --json,2"})
  void speaksJsonOfFailuresToo(String line, int exitCode) throws Exception {
    Result result = shell.run(line);
    Map<String, Object> failure = json(result);
    assertEquals("failed", failure.get("status"));
    assertEquals((long) exitCode, failure.get("exitCode"));
    assertEquals(exitCode, result.code().number());
    assertFalse(String.valueOf(failure.get("error")).isBlank());
    assertEquals("", result.err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          check @/missing                 | 3 | missing
          check @/                        | 3 | directory
          sort @/missing @/out            | 3 | missing
          sort @/odd @/out                | 3 | over
          check @/odd                     | 3 | over
          check -s @/odd                  | 3 | summary
          check -s @/none                 | 3 | does not exist
          check -s @/                     | 3 | Is a directory
          check -s --key-size 4 @/odd     | 2 | remove --key-size
          sort @/data @/data              | 4 | data
          sort @/data @/no/such/folder    | 4 | folder
          gen 1 @/no/such/folder          | 4 | folder
          check -o @/data @/odd           | 4 | not a summary
          check -o @/data @/data          | 4 | not a summary
          check -o @/no/such @/data       | 4 | folder
          demo --png @/no/such.png        | 4 | folder
          demo --png @/                   | 4 | folder
          sort --memory 1k @/data @/out   | 5 | memory
          sort --memory 0 @/data @/out    | 2 | '0'
          gen -b-1 10 @/out               | 2 | 2^128
          """)
  void saysWhatIsWrongInOneOrTwoLines(String line, int exitCode, String part) throws Exception {
    shell.run("gen 100 @/data");
    Files.write(folder.resolve("odd"), new byte[1234]);
    Result result = shell.run(line);
    assertEquals(exitCode, result.code().number(), result.toString());
    assertTrue(result.err().contains(part), result.err());
    assertTrue(result.err().lines().count() <= 2, result.err());
    assertFalse(result.err().contains("Exception"), result.err());
    assertFalse(Files.exists(folder.resolve("out")));
    assertEquals(10_000, Files.size(folder.resolve("data")));
  }

  /// Java reads bytes that are no UTF-8 as U+FFFD: two names that differ in them would be one file.
  @ParameterizedTest
  @ValueSource(strings = {"caf\uFFFD", ""})
  void refusesNamesThatNameAnotherFileOrNone(String name) {
    Result result = shell.run("gen 10 " + name);
    assertEquals(ExitCode.USAGE, result.code(), result.err());
    assertTrue(result.err().contains("name"), result.err());
  }

  @Test
  void printsAStackTraceOnlyWhenAskedTo() {
    assertTrue(shell.run("check --debug @/missing").err().contains("\tat dev.tigris.sort"));
  }

  @Test
  void quietMeansQuiet() {
    assertEquals(new Result(ExitCode.OK, "", ""), shell.run("gen --quiet 10 @/data", 80));
    assertEquals(new Result(ExitCode.OK, "", ""), shell.run("sort --quiet @/data @/out", 80));
    assertEquals(new Result(ExitCode.OK, "", ""), shell.run("check --quiet @/out", 80));
  }

  private static Map<String, Object> json(Result result) throws IOException {
    assertEquals(1, result.out().lines().count(), result.toString());
    var members = new HashMap<String, Object>();
    try (JsonParser parser = new JsonFactory().createParser(result.out())) {
      assertEquals(JsonToken.START_OBJECT, parser.nextToken());
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        switch (parser.nextToken()) {
          case VALUE_NUMBER_INT -> members.put(name, parser.getLongValue());
          case VALUE_NUMBER_FLOAT -> members.put(name, parser.getDoubleValue());
          default -> members.put(name, parser.getText());
        }
      }
    }
    return members;
  }

  /// What ends the process without an exit code of ours ends it with 1, which means something else.
  @Test
  void noErrorLooksLikeRecordsOutOfOrder() {
    var err = new ByteArrayOutputStream();
    var out =
        new PrintStream(OutputStream.nullOutputStream()) {
          @Override
          public void println(@Nullable String line) {
            throw new InternalError("a page of a mapped file is gone");
          }
        };
    var console = new Console(out, new PrintStream(err, true, UTF_8), 0, folder.toString());
    assertEquals(ExitCode.INTERNAL_ERROR, new Tigris(console).run("--version"));
    assertTrue(
        err.toString(UTF_8).contains("a page of a mapped file is gone"), err.toString(UTF_8));
  }
}
