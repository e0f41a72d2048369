package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Every bench, run as small as it goes: that it works and that what it computes is right, not how
/// fast it is.
class BenchTest {
  /// What figures with these beginnings are to be compared with, whatever else they are.
  private static final Map<String, List<String>> PEERS =
      Map.ofEntries(
          Map.entry("memory.field.straight", List.of("plain object")),
          Map.entry("memory.field.loop", List.of("plain object")),
          Map.entry("memory.object.create", List.of("plain object")),
          Map.entry("memory.reference.", List.of("plain object", "ByteBuffer getter")),
          Map.entry("memory.view.", List.of("array")),
          Map.entry("memory.bytes.", List.of("MemorySegment", "byte[]")),
          Map.entry("memory.jbuf.allocate", List.of("Arena.ofShared")),
          Map.entry("memory.jbuf.free", List.of("Arena.ofShared")),
          Map.entry("memory.arrow.", List.of("bytes alone")),
          Map.entry("call.shm.latency.", List.of("gRPC", "Aeron IPC", "Tigris")),
          Map.entry("call.tcp.throughput.", List.of("gRPC", "Aeron UDP", "Tigris")),
          Map.entry("call.tcp.allocation.blocking.", List.of("gRPC")),
          Map.entry("message.shm.rate.", List.of("Tigris", "Aeron IPC")),
          Map.entry("cluster.stream.shm.", List.of("Tigris")),
          Map.entry("cluster.shuffle.100B.", List.of("one JVM")),
          Map.entry("cluster.shuffle.slow", List.of("ideal")),
          Map.entry("cluster.sort.", List.of("one JVM")),
          Map.entry("flow.stream.memory.", List.of("ArrayBlockingQueue", "JCTools SPSC")),
          Map.entry("flow.reservoir.", List.of("ideal")),
          Map.entry("paper.tigris.fig5.", List.of("ideal")),
          Map.entry("disks.read.", List.of("FileChannel")),
          Map.entry("disks.write.", List.of("FileChannel")),
          Map.entry("disks.declustering.", List.of("ideal")),
          Map.entry("sort.onepass", List.of("GNU sort", "cp + sync")),
          Map.entry("sort.external", List.of("GNU sort")),
          Map.entry("sort.datamation", List.of("GNU sort")),
          Map.entry("sort.typed", List.of("byte key")),
          Map.entry("sort.lines.", List.of("GNU sort")));

  private record Output(int exit, List<String> lines, String errors) {}

  private static Output bench(String... arguments) {
    return bench(new Stop(), arguments);
  }

  private static Output bench(Stop stop, String... arguments) {
    return bench(stop, new StringWriter(), arguments);
  }

  private static Output bench(Stop stop, StringWriter err, String... arguments) {
    StringWriter out = new StringWriter();
    int exit =
        new CommandLine(new Main(stop))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Output(exit, out.toString().lines().toList(), err.toString());
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory",
        "objects",
        "net",
        "message",
        "call",
        "cluster",
        "flow",
        "multiply",
        "paper",
        "sort"
      })
  @Slow("every bench as small as it goes, in JVMs of its own, but the variants of another")
  @Soak("the variants as well")
  void everyBenchOfTheModuleWorksAndItsResultsAreRight(String module, @TempDir Path folder)
      throws Exception {
    List<String> which = Tier.current() == Tier.SOAK ? List.of(module) : List.of(module, "--quick");
    List<String> expected = bench(with(which, "--list")).lines();

    Output output =
        bench(
            with(
                which,
                "--tiny",
                "--json",
                "--debug",
                "--dir",
                folder.resolve("work").toString(),
                "--out",
                folder.resolve("results").toString()));

    assertEquals(0, output.exit(), output.errors());
    List<String> measured = new ArrayList<>();
    Map<String, Set<String>> peers = new HashMap<>();
    for (String line : output.lines()) {
      JsonNode figure = new ObjectMapper().readTree(line);
      measured.add(figure.get("figure").asText());
      assertTrue(Double.isFinite(figure.get("times").asDouble()), line);
      peers
          .computeIfAbsent(measured.getLast(), _ -> new HashSet<>())
          .add(figure.get("peer").asText());
    }
    requirePeers(module, peers);
    assertEquals(expected, measured.stream().distinct().toList());
    assertTrue(Files.exists(folder.resolve("results/summary.md")));
    try (var left = Files.list(folder.resolve("work"))) {
      assertEquals(List.of(), left.toList());
    }
  }

  private static String[] with(List<String> some, String... more) {
    return Stream.concat(some.stream(), Stream.of(more)).toArray(String[]::new);
  }

  private static void requirePeers(String module, Map<String, Set<String>> peers) {
    PEERS.forEach(
        (beginning, wanted) -> {
          if (!beginning.startsWith(module + ".")) {
            return;
          }
          List<String> figures =
              peers.keySet().stream()
                  .filter(figure -> figure.startsWith(beginning) && !figure.endsWith(".memory"))
                  .toList();
          assertFalse(figures.isEmpty(), beginning);
          for (String figure : figures) {
            Set<String> found = peers.get(figure);
            assertTrue(found.containsAll(wanted), figure + " has " + found + ", not " + wanted);
          }
        });
  }

  @Test
  void nothingIsMeasuredOnceItWasAskedToEnd(@TempDir Path folder) {
    Stop stop = new Stop();
    stop.ask();

    Output output = bench(stop, "memory.view", "--tiny", "--dir", folder.toString());

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
      Output output =
          bench(
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

    Output again = bench("memory.view", "--tiny", "--missing", "--out", out);

    assertEquals(List.of(), again.lines());
  }

  @Test
  void aNameThatIsTheBeginningOfNoFigureIsRefused() {
    Output output = bench("memory.fields");

    assertEquals(2, output.exit());
    assertTrue(output.errors().contains("--list"), output.errors());
  }

  @Test
  void resultsThatCannotBeKeptOrThereAreRefusedBeforeAnythingIsMeasured(@TempDir Path folder)
      throws Exception {
    String file = Files.createFile(folder.resolve("file")).toString();
    for (String option : List.of("--out", "--dir")) {
      for (String place : List.of(file, file + "/below")) {
        Output refused = bench("memory.view", "--tiny", option, place);
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

    Output refused = bench("memory.view", "--tiny", "--out", folder.toString());

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

    Output failed =
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

    Output drawn = bench("", "--plots", "--out", folder.toString());

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
    Output output = bench("memory.view.sum.int", "--tiny", "--out", folder.toString());

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
