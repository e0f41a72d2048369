package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LinePlotTest {
  private static List<Double> spread(Double... wanted) {
    return LinePlot.spread(List.of(wanted), 20, 0, 100);
  }

  @Test
  void leavesNamesThatAreFarApartAtTheirLines() {
    assertEquals(List.of(10.0, 50.0, 90.0), spread(10.0, 50.0, 90.0));
  }

  @Test
  void movesNamesApartAndKeepsTheirOrder() {
    for (List<Double> places :
        List.of(
            spread(50.0, 50.0, 50.0),
            spread(0.0, 0.0, 0.0, 0.0),
            spread(99.0, 100.0, 100.0),
            spread(1.0, 2.0, 60.0, 61.0))) {
      for (int index = 0; index < places.size(); index++) {
        assertTrue(places.get(index) >= 0 && places.get(index) <= 100, places.toString());
        double before = index == 0 ? -100 : places.get(index - 1);
        assertTrue(places.get(index) - before > 19, places.toString());
      }
    }
  }

  @Test
  void refusesMoreLinesThanAReaderCanFollow() {
    var line = new LinePlot.Line("one", new TreeMap<>(Map.of(1.0, 2.0)), LinePlot.PALE, 3, false);
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> new LinePlot("all", "x", "y", Collections.nCopies(9, line)));
    assertEquals("9 lines in 'all': choose at most 8", refusal.getMessage());
  }
}
