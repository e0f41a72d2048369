package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.sort.Progress.Phase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class ProgressLineTest {
  private static final long SECOND = 1_000_000_000;
  private static final long BYTES = 300_000_000;

  private final AtomicLong clock = new AtomicLong(7 * SECOND);

  private static ParseResult sort(String options) {
    String[] words = (options + " in out").strip().split(" ");
    return new CommandLine(new SortCommand().spec()).parseArgs(words);
  }

  /// What a sort prints that goes over its bytes twice, a second after it has begun or at once.
  private String print(int columns, String options, long after) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var console = new Console(new PrintStream(out), new PrintStream(err), columns, ".");
    try (var progress = new ProgressLine(console, sort(options), "sort", 2, clock::get)) {
      clock.addAndGet(after);
      progress.report(Phase.PARTITION, BYTES / 2, BYTES);
      progress.report(Phase.SORT, BYTES / 2, BYTES);
      progress.report(Phase.PARTITION, BYTES, BYTES); // late, of another thread
      progress.report(Phase.SYNC, BYTES, BYTES);
    }
    assertEquals("", out.toString(StandardCharsets.UTF_8), "the output is for results");
    return err.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({"80, --progress --quiet"})
  void drawsABarThatFitsTheTerminalAndEndsFull(int columns, String options) {
    String drawn = print(columns, options, SECOND);
    List<String> bars = Stream.of(drawn.split("\r")).map(String::strip).toList();
    assertTrue(bars.size() > 1, drawn);
    assertTrue(bars.getLast().startsWith("sort 100%"), drawn);
    assertTrue(bars.getLast().contains("300/300 MB"), drawn);
    int most = columns == 0 ? 80 : columns;
    assertTrue(bars.stream().allMatch(bar -> bar.length() < most), drawn);
    assertTrue(drawn.endsWith(System.lineSeparator()), "what follows begins on a line of its own");
  }

  @Test
  void saysNothingOfAJobThatIsDoneInAMoment() {
    assertEquals("", print(80, "", SECOND / 10));
    assertEquals("", print(80, "--progress", SECOND / 10));
  }

  @ParameterizedTest
  @CsvSource({"80, --quiet", "80, --json", "0, ''", "0, --quiet"})
  void saysNothingWhereNobodyWantsToSeeIt(int columns, String options) {
    assertEquals("", print(columns, options, SECOND));
  }
}
