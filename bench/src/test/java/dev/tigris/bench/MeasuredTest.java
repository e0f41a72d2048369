package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What stands in `bench/results`: nothing that is said to be measured is missing there.
class MeasuredTest {
  private static List<Figure> figures() throws IOException {
    Results results = new Results(Path.of("results"));
    List<Figure> figures = new ArrayList<>();
    for (Group group : Groups.all()) {
      results.load(group.name()).ifPresent(sheet -> figures.addAll(sheet.figures()));
    }
    return figures;
  }

  @Test
  void everyFigureHasAResult() throws IOException {
    Set<String> measured = figures().stream().map(Figure::figure).collect(Collectors.toSet());
    List<String> expected = Groups.all().stream().flatMap(g -> g.figures().stream()).toList();
    assertEquals(
        List.of(),
        expected.stream().filter(name -> !measured.contains(name)).toList(),
        "measure them: ./tigris bench GROUP --out bench/results");
  }

  /// So each figure has been measured beside the peer that its bar is about.
  @Test
  void everyBarHasAFigure() throws IOException {
    Set<Bar> used =
        figures().stream().map(Bar::of).flatMap(Optional::stream).collect(Collectors.toSet());
    List<String> idle =
        Bar.ALL.stream()
            .filter(bar -> !used.contains(bar))
            .map(bar -> bar.figures() + " beside " + bar.peer())
            .toList();
    assertEquals(List.of(), idle);
  }
}
