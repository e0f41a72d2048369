package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Every bench, run as small as it goes: that it works and that what it computes is right, not how
/// fast it is.
class BenchTest {
  private record Output(int exit, List<String> lines, String errors) {}

  private static Output bench(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new Main())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Output(exit, out.toString().lines().toList(), err.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "objects", "net", "flow", "paper", "sort"})
  void everyBenchOfTheModuleWorksAndItsResultsAreRight(String module, @TempDir Path folder)
      throws Exception {
    List<String> expected = bench(module, "--list").lines();

    Output output =
        bench(
            module,
            "--tiny",
            "--json",
            "--dir",
            folder.resolve("work").toString(),
            "--out",
            folder.resolve("results").toString());

    assertEquals(0, output.exit(), output.errors());
    List<String> measured = new ArrayList<>();
    for (String line : output.lines()) {
      JsonNode figure = new ObjectMapper().readTree(line);
      measured.add(figure.get("figure").asText());
      assertTrue(Double.isFinite(figure.get("times").asDouble()), line);
    }
    assertEquals(expected, measured.stream().distinct().toList());
    assertTrue(Files.exists(folder.resolve("results/summary.md")));
    try (var left = Files.list(folder.resolve("work"))) {
      assertEquals(List.of(), left.toList());
    }
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
