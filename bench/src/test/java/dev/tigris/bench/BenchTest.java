package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// The command, and what it does with results. [EveryBench] runs the benches.
class BenchTest {
  private static BenchOutput bench(String... arguments) {
    return BenchOutput.of(arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--list", "memory.view --tiny"})
  void stopsWhenItsFiguresCannotBePrinted(String arguments) throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "there is no device that is always full");
    StringWriter err = new StringWriter();
    try (Writer device = Files.newBufferedWriter(full);
        PrintWriter out = new PrintWriter(device)) {
      int exit =
          new CommandLine(new Main(new Stop()))
              .setOut(out)
              .setErr(new PrintWriter(err))
              .execute(arguments.split(" ", -1));
      assertEquals(4, exit, err.toString());
      assertTrue(err.toString().contains("cannot be printed"), err.toString());
      assertFalse(err.toString().contains("{\"group\""), "the first figure ends it");
    } catch (IOException e) {
      // what is left cannot be printed either
    }
  }

  @Test
  void nothingIsMeasuredOnceItWasAskedToEnd(@TempDir Path folder) {
    Stop stop = new Stop();
    stop.ask();

    BenchOutput output =
        BenchOutput.of(
            stop, new StringWriter(), "memory.view", "--tiny", "--dir", folder.toString());

    assertEquals(List.of(), output.lines());
    assertEquals("# stopped\n", output.errors());
  }

  /// Makes something undeletable as soon as the bench says that it measures.
  private static final class Spoiler extends StringWriter {
    private final Path work;
    private final Path aside;
    private @Nullable Undeletable made;

    Spoiler(Path work, Path aside) {
      this.work = work;
      this.aside = aside;
    }

    @Override
    public void flush() {
      if (made == null) {
        made = assertDoesNotThrow(() -> Undeletable.inRunOf(work, aside));
      }
    }
  }

  @Test
  void whatCannotBeDeletedIsNamedAndTheSummaryIsThereAllTheSame(@TempDir Path folder)
      throws Exception {
    Path work = folder.resolve("work");
    Path results = folder.resolve("results");
    Spoiler spoiler = new Spoiler(work, folder);
    List<String> errors;
    Path run;
    try {
      BenchOutput output =
          BenchOutput.of(
              new Stop(),
              spoiler,
              "memory.view",
              "--tiny",
              "--dir",
              work.toString(),
              "--out",
              results.toString());
      errors = output.errors().lines().toList();
      assertEquals(3, output.exit(), output.errors());
      run = Undeletable.runIn(work);
    } finally {
      Objects.requireNonNull(spoiler.made).close();
    }
    assertTrue(
        errors.getLast().startsWith("# '%s' cannot be deleted: ".formatted(run)), errors.getLast());
    assertTrue(Files.exists(results.resolve("summary.md")));
  }

  @Test
  void onlyGroupsWithoutResultsAreMeasuredAgainWithMissing(@TempDir Path folder) {
    String out = folder.toString();
    assertEquals(0, bench("memory.view", "--tiny", "--out", out).exit());

    BenchOutput again = bench("memory.view", "--tiny", "--missing", "--out", out);

    assertEquals(List.of(), again.lines());
  }

  @Test
  void aNameThatIsTheBeginningOfNoFigureIsRefused() {
    BenchOutput output = bench("memory.fields");

    assertEquals(2, output.exit());
    assertTrue(output.errors().contains("--list"), output.errors());
  }

  @Test
  void resultsThatCannotBeKeptOrThereAreRefusedBeforeAnythingIsMeasured(@TempDir Path folder)
      throws Exception {
    String file = Files.createFile(folder.resolve("file")).toString();
    for (String option : List.of("--out", "--dir")) {
      for (String place : List.of(file, file + "/below")) {
        BenchOutput refused = bench("memory.view", "--tiny", option, place);
        assertEquals(4, refused.exit(), refused.errors());
        assertEquals(
            "# '%s' is not a folder that can be written to: name another\n".formatted(place),
            refused.errors());
      }
    }
    assertEquals(2, bench("memory.view", "--tiny", "--missing").exit());
  }

  @Test
  void damagedResultsAreRefusedBeforeAnythingIsMeasured(@TempDir Path folder) throws Exception {
    Path damaged = Files.createFile(folder.resolve("memory.jbuf.jsonl"));

    BenchOutput refused = bench("memory.view", "--tiny", "--out", folder.toString());

    assertEquals(3, refused.exit(), refused.errors());
    assertEquals(List.of(), refused.lines());
    assertTrue(
        refused.errors().startsWith("# the results in '%s' cannot".formatted(damaged)),
        refused.errors());
    assertEquals(1, refused.errors().lines().count(), refused.errors());
  }

  @Test
  void resultsThatCannotBeWrittenAreNamedAndLeaveNothingAside(@TempDir Path folder)
      throws Exception {
    Path results = Files.createDirectories(folder.resolve("memory.view.jsonl/in-the-way"));

    BenchOutput failed =
        bench("memory.view", "--tiny", "--out", folder.toString(), "--dir", folder + "/work");

    assertEquals(4, failed.exit(), failed.errors());
    assertFalse(failed.lines().isEmpty(), "the figures are printed all the same");
    assertTrue(failed.errors().contains("memory.view cannot be written"), failed.errors());
    assertFalse(failed.errors().contains("\tat "), failed.errors());
    assertTrue(Files.exists(results));
    assertFalse(Files.exists(folder.resolve(".memory.view.jsonl")));
  }

  @Test
  void plotsAreDrawnOfResultsWithoutMeasuring(@TempDir Path folder) throws Exception {
    Path kept = Home.find().resolve("bench/results");
    for (String group : List.of("paper.tigris.fig5", "net.shm", "net.tcp", "net.levels.shm")) {
      Files.copy(kept.resolve(group + ".jsonl"), folder.resolve(group + ".jsonl"));
    }

    BenchOutput drawn = bench("", "--plots", "--out", folder.toString());

    assertEquals(0, drawn.exit(), drawn.errors());
    assertEquals(List.of(), drawn.lines());
    for (String plot : List.of("fig5", "net-latency", "net-bandwidth", "levels-shm-latency")) {
      BufferedImage image = ImageIO.read(folder.resolve(plot + ".png").toFile());
      assertEquals(LinePlot.WIDTH, image.getWidth());
    }
    assertFalse(Files.exists(folder.resolve("field-sweep.png")));
    assertEquals(2, bench("memory.view", "--plots").exit());
  }

  @Test
  void aPartOfAGroupIsNotKept(@TempDir Path folder) {
    BenchOutput output = bench("memory.view.sum.int", "--tiny", "--out", folder.toString());

    assertEquals(2, output.exit());
    assertTrue(output.errors().contains("memory.view"), output.errors());
  }

  @Test
  void aFigureIsFoundByItsPrefix() {
    assertEquals(
        List.of("memory.view.sum.int", "memory.view.sum.long"),
        bench("memory.view.sum", "--list").lines());
  }
}
