package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.cli.layout.Ledger;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Signal;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs the command as a process of its own, as the launcher does, for what only shows there.
class ProcessTest {
  private static final Path FULL = Path.of("/dev/full");

  @TempDir Path folder;

  @Test
  void exitsWithTheCodesOfTheTable() throws Exception {
    assertEquals(0, tigris("gen", "--quiet", "1000", "data").exitCode());
    assertEquals(1, tigris("check", "--quiet", "data").exitCode());
    assertEquals(2, tigris("sort", "--nonsense").exitCode());
    assertEquals(3, tigris("check", "missing").exitCode());
  }

  @Test
  void cleansUpWhenItIsStopped() throws Exception {
    assertEquals(0, tigris("gen", "--quiet", "2M", "data").exitCode());
    Child sort = tigris("sort", "data", "sorted", "--memory", "64m");
    // It has begun when there is something beside the input.
    Wait.until("it has begun", () -> !sort.isAlive() || files().size() >= 4);
    sort.terminate(); // SIGTERM, which is handled as Ctrl-C is
    if (sort.exitCode() == 0) {
      assertEquals(List.of("data", "err", "out", "sorted"), files()); // it was quicker
    } else {
      assertEquals(Signal.TERM.exitCode(), sort.exitCode());
      assertEquals(List.of("data", "err", "out"), files());
      assertEquals(
          "tigris: stopped; nothing was left behind\n", Files.readString(folder.resolve("err")));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HUP", "INT", "TERM"})
  void tellsProgramsTheCodeThatItsSignalGives(Signal signal) throws Exception {
    // What is started in the background inherits that SIGINT, or SIGHUP, is ignored.
    assumeFalse(signal.isIgnored(), "this process ignores the signal, and so do its children");
    int code = signal.exitCode();
    Child serve = tigris("net", "serve", "--provider", "tcp", "--json");
    Path out = folder.resolve("out");
    Wait.until("it says that it serves", () -> !serve.isAlive() || Files.size(out) > 0);
    serve.send(signal);
    assertEquals(code, serve.exitCode());
    String last = Files.readAllLines(out).getLast();
    assertEquals(code, new ObjectMapper().readTree(last).get("exitCode").asInt(), last);
  }

  @Test
  void printsNumbersThatProgramsCanReadInALocaleWithDigitsOfItsOwn() throws Exception {
    assertEquals("۱", String.format(Locale.of("fa"), "%d", 1));
    String classes = Path.of("target", "test-classes").toAbsolutePath().toString();
    String[] line = {"layout", "--c", "-cp", classes, Ledger.class.getName()};
    Child layout = tigris("-Duser.language=fa", toFile(), line);
    assertEquals(0, layout.exitCode(), Files.readString(folder.resolve("err")));
    String header = Files.readString(folder.resolve("out"));
    assertTrue(header.contains("static_assert(sizeof"), header);
    assertTrue(header.chars().allMatch(each -> each < 128), header);
  }

  @Test
  void failsWhenItsResultCannotBePrinted() throws Exception {
    assumeTrue(Files.exists(FULL), "there is no device that is always full");
    assertEquals(4, tigris(Redirect.to(FULL.toFile()), "gen", "10", "data", "--json").exitCode());
    assertTrue(
        Files.readString(folder.resolve("err")).contains("cannot be written to standard output"));
    assertEquals(1000, Files.size(folder.resolve("data")));
    assertEquals(3, tigris(Redirect.to(FULL.toFile()), "check", "missing", "--json").exitCode());
    assertTrue(
        Files.readString(folder.resolve("err")).contains("the report of the failure cannot be"));
  }

  @Test
  void writesNothingOverRecordsThatGoToItsOutput() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/stdout")), "there is no name for the output");
    assertEquals(0, tigris("gen", "10", "/dev/stdout").exitCode());
    assertEquals(0, tigris(Redirect.DISCARD, "gen", "10", "data").exitCode());
    assertEquals(-1, Files.mismatch(folder.resolve("data"), folder.resolve("out")));
    assertEquals(0, tigris("sort", "data", "/dev/stdout").exitCode());
    assertEquals(1000, Files.size(folder.resolve("out")));
    String said = Files.readString(folder.resolve("err"));
    assertTrue(said.startsWith("sorted 10 records"), said);
  }

  /// As with `gen 10 /dev/stdout >> out`.
  @Test
  void replacesNothingThatItsOutputIsToBeAppendedTo() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/stdout")), "there is no name for the output");
    assertEquals(0, tigris("gen", "--quiet", "10", "data").exitCode());
    Path log = Files.writeString(folder.resolve("log"), "before\n");
    var append = Redirect.appendTo(log.toFile());
    assertEquals(4, tigris(append, "gen", "10", "/dev/stdout").exitCode());
    assertEquals(4, tigris(append, "sort", "data", "/dev/stdout").exitCode());
    assertEquals(4, tigris(append, "sort", "data", "/proc/self/fd/1").exitCode());
    assertTrue(Files.readString(folder.resolve("err")).contains("give its own name"));
    assertEquals("before\n", Files.readString(log));
    Files.writeString(log, ""); // what others append later would be lost
    assertEquals(4, tigris(append, "gen", "10", "/dev/stdout").exitCode());
    assertEquals(4, tigris(append, "sort", "data", "/dev/stdout").exitCode());
    assertTrue(Files.readString(folder.resolve("err")).contains("is open for appending (>>)"));
    assertEquals(0, Files.size(log));
    Files.createSymbolicLink(folder.resolve("link"), log);
    assertEquals(0, tigris("sort", "data", "link").exitCode(), "a link of the user's own");
    assertEquals(1000, Files.size(log));
  }

  @Test
  void printsItsResultWhereTheRecordsGoNowhere() throws Exception {
    Path nowhere = Path.of("/dev/null");
    assumeTrue(Files.exists(nowhere), "there is no such device");
    assertEquals(0, tigris(Redirect.to(nowhere.toFile()), "gen", "10", "/dev/null").exitCode());
    assertEquals("", Files.readString(folder.resolve("err")));
  }

  @Test
  void saysThatTheMemoryIsTooSmall() throws Exception {
    String[] line = {"net", "pingpong", "--provider", "tcp", "--size", "64m"};
    assertEquals(5, tigris("-Dtigris.memory.budget=10000000", toFile(), line).exitCode());
    String said = Files.readString(folder.resolve("err"));
    assertTrue(said.contains("tigris: there is too little memory: no room for 67108864"), said);
    assertFalse(said.contains("\tat "), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Dtigris.memory.budget=512MiB", "-Dtigris.check=everything"})
  void saysThatAPropertyCannotBeRead(String property) throws Exception {
    String[] line = {"net", "pingpong", "--provider", "tcp", "--count", "10"};
    assertEquals(2, tigris(property, toFile(), line).exitCode());
    String said = Files.readString(folder.resolve("err"));
    assertTrue(said.startsWith("tigris: " + property + " is no"), said);
    assertFalse(said.contains("\tat "), said);
  }

  /// Java has U+FFFD in place of the bytes of a name that are no text.
  @Test
  void saysThatTheNameOfTheCurrentFolderCannotBeRead() throws Exception {
    assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "the name is no text here");
    Path unreadable = folder.resolve("\uFFFD");
    String here = "-Duser.dir=" + unreadable.resolve("inner");
    assertEquals(2, tigris(here, toFile(), "gen", "10", "data").exitCode());
    String said = Files.readString(folder.resolve("err"));
    assertTrue(said.contains("'data' is in a folder whose name has bytes that are not"), said);
    assertTrue(said.contains("rename " + unreadable + System.lineSeparator()), said);
  }

  @Test
  void doesNotMindAReaderWhoHasEnough() throws Exception {
    Child gen =
        OwnProcess.command(folder, "-Dtigris.test=true", Redirect.PIPE, "gen", "10", "data")
            .startUnread();
    assertEquals(0, gen.exitCode());
    assertEquals("", Files.readString(folder.resolve("err")));
  }

  private List<String> files() throws Exception {
    try (Stream<Path> list = Files.list(folder)) {
      return list.map(path -> String.valueOf(path.getFileName())).sorted().toList();
    }
  }

  private Child tigris(String... args) {
    return tigris(toFile(), args);
  }

  private Redirect toFile() {
    return Redirect.to(folder.resolve("out").toFile());
  }

  private Child tigris(Redirect out, String... args) {
    return tigris("-Dtigris.test=true", out, args);
  }

  private Child tigris(String property, Redirect out, String... args) {
    return OwnProcess.tigris(folder, property, out, args);
  }
}
