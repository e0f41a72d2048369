package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResultsTest {
  private static final Group GROUP =
      new Group() {
        @Override
        public String name() {
          return "memory.field";
        }

        @Override
        public List<String> figures() {
          return List.of();
        }

        @Override
        public List<String> missing() {
          return List.of("memory.field.moon is left out: there is none here");
        }

        @Override
        public void measure(Run run) {}
      };

  private static final Figure FIGURE =
      Figure.of(
          "memory.field.straight32",
          "ns",
          Better.LOWER,
          "plain object",
          List.of(new Pairs(new double[] {7.4, 7.41}, new double[] {7.3, 7.31})));

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"group\": \"memory.field\"}\n", "{}\n{\"figure\": \"memory"})
  void damagedResultsAreNamed(String damaged, @TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("memory.field.jsonl"), damaged);
    IOException refusal =
        assertThrows(IOException.class, () -> new Results(folder).load("memory.field"));
    assertTrue(refusal.getMessage().contains(file.toString()), refusal.getMessage());
  }

  @Test
  void aFigureIsOneLineOfJsonWithTheFieldsOfTheDesign() throws IOException {
    String line = Results.line(FIGURE);
    JsonNode node = new ObjectMapper().readTree(line);

    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    assertEquals(
        List.of("figure", "value", "unit", "better", "peer", "peerValue", "times", "spread"),
        names.subList(0, 8));
    assertEquals("lower", node.get("better").asText());
    assertEquals(0.987, node.get("times").asDouble(), 0.001);
    assertEquals(2, node.get("ci95").size());
    assertEquals(-1, line.indexOf('\n'));
  }

  @Test
  void aFigureMeasuredOnceHasNoInterval() {
    Figure once = Figure.once("a.b", 0, "crashes", Better.LOWER, "limit", 0);

    assertEquals(1, once.times());
    assertEquals(-1, Results.line(once).indexOf("ci95"));
  }

  @Test
  void whatIsSavedIsLoadedAgain(@TempDir Path folder) throws IOException {
    Results results = new Results(folder.resolve("results"));
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Header header = Header.of(GROUP, Scale.TINY, folder, now, now.plusSeconds(3));
    Results.Sheet sheet = new Results.Sheet(header, List.of(FIGURE, FIGURE.withNote("again")));

    results.save(sheet);

    assertEquals(Optional.of(sheet), results.load("memory.field"));
    assertEquals(Optional.empty(), results.load("memory.view"));
    assertEquals(3, Files.readAllLines(folder.resolve("results/memory.field.jsonl")).size());
  }

  @Test
  void theSummaryShowsHeaderFigureAndVerdict(@TempDir Path folder) {
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Header header = Header.of(GROUP, Scale.TINY, folder, now, now.plusSeconds(3));

    String page = Summary.page(List.of(new Results.Sheet(header, List.of(FIGURE))));

    assertTrue(page.contains("## memory.field"), page);
    assertTrue(page.contains("commit unknown"), page);
    assertTrue(page.contains("\nmemory.field.moon is left out: there is none here.\n"), page);
    assertTrue(page.contains("| `memory.field.straight32` | 7.41 ns | plain object |"), page);
    assertTrue(page.contains("| time <= 1.3x | met |"), page);
  }

  @Test
  void numbersKeepFourDigits() {
    assertEquals(1235, Figure.rounded(1234.6));
    assertEquals(0.001235, Figure.rounded(0.0012346), 1e-12);
    assertEquals(-12.35, Figure.rounded(-12.3456), 1e-9);
    assertEquals(0, Figure.rounded(0));
  }
}
