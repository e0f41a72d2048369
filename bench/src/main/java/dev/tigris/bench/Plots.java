package dev.tigris.bench;

import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;

/// Draws the results that are better seen than read: figures whose names end in a number are lines
/// over that number. A figure without results is left out.
final class Plots {
  private static final Set<String> PALE_LINES = Set.of(Bar.IDEAL, Bar.C_TWIN);
  private static final float IDEAL_WIDTH = 20;
  private static final float WIDTH = 3;

  // Of lines over one another: from the first, which is the widest, to the fifth.
  private static final float WIDEST = 14;
  private static final float STEP = 2.5f;

  private final Results results;
  private final List<Figure> figures;

  private Plots(List<Results.Sheet> sheets, Results results) {
    this.results = results;
    this.figures = sheets.stream().flatMap(sheet -> sheet.figures().stream()).toList();
  }

  static void draw(List<Results.Sheet> sheets, Results results) throws IOException {
    Plots plots = new Plots(sheets, results);
    plots.sweep("field-sweep.png", "memory.field.sweep.", "C2 (default flags)");
    plots.sweep("field-sweep-loadtime.png", "memory.field.sweep.loadtime.", "C2, by patches");
    plots.sweep("field-sweep-tier3.png", "memory.field.sweep.tier3.", "C1 with full profiling");
    plots.sweep("field-sweep-tier1.png", "memory.field.sweep.tier1.", "C1 without profiling");
    plots.slow("reservoir.png", "flow.reservoir.", "8 consumers, real engine");
    for (int consumers : new int[] {8, 64, 512}) {
      plots.slow(
          "reservoir-sim-" + consumers + ".png",
          "flow.reservoir.sim." + consumers + ".",
          consumers + " consumers, simulated; in eighths");
    }
    plots.slow("fig5.png", "paper.tigris.fig5.", "4 to 4, 8 KiB (Welsh and Culler 2000, figure 5)");
    plots.sorts();
    for (String provider : List.of("shm", "tcp", "uring", "libfabric", "libfabric-rdm")) {
      plots.levels(provider, "roundtrip", "Round trips", "microseconds");
      plots.levels(provider, "oneway", "Messages one way", "MB/s");
    }
    MessagePlots.draw(plots.figures, results);
  }

  private void sweep(String file, String prefix, String title) throws IOException {
    Map<String, SortedMap<Double, Double>> lines = new TreeMap<>();
    Pattern name = Pattern.compile(Pattern.quote(prefix) + "(\\d+)");
    for (Figure figure : figures) {
      Matcher matcher = name.matcher(figure.figure());
      if (matcher.matches()) {
        double statements = Double.parseDouble(matcher.group(1));
        point(lines, figure.peer(), statements, figure.peerValue());
        point(lines, "pre-serialized object", statements, figure.value());
      }
    }
    write(
        file,
        "N statements p.fA = q.fB + constant: " + title,
        "N",
        "ns a call",
        lines,
        false,
        false);
  }

  private void slow(String file, String prefix, String title) throws IOException {
    Map<String, SortedMap<Double, Double>> lines = new TreeMap<>();
    Pattern name = Pattern.compile(Pattern.quote(prefix) + "slow(\\d+)\\.(.*)");
    for (Figure figure : figures) {
      Matcher matcher = name.matcher(figure.figure());
      if (matcher.matches() && figure.peer().equals(Bar.IDEAL)) {
        double slow = Double.parseDouble(matcher.group(1));
        point(lines, Bar.IDEAL, slow, figure.peerValue());
        point(lines, matcher.group(2), slow, figure.value());
      }
    }
    write(
        file, "Slow consumers: " + title, "slow consumers", "waters a second", lines, false, true);
  }

  /// The levels of a provider over the size of messages, as in figures 3 and 6 of the paper: round
  /// trips on linear axes, so that a byte's cost is the slope.
  private void levels(String provider, String what, String title, String unit) throws IOException {
    Map<String, SortedMap<Double, Double>> lines = new TreeMap<>();
    boolean oneWay = what.equals("oneway");
    double scale = oneWay ? 1 : 1e-3;
    Pattern name =
        Pattern.compile("net\\.levels\\.%s\\.(.*)\\.%s\\.(.*)".formatted(provider, what));
    for (Figure figure : figures) {
      Matcher matcher = name.matcher(figure.figure());
      if (matcher.matches() && figure.peer().equals(Bar.C_TWIN)) {
        double size = MessagePlots.bytes(matcher.group(2)) / (oneWay ? 1 : 1024);
        point(lines, Bar.C_TWIN, size, scale * figure.peerValue());
        point(lines, matcher.group(1), size, scale * figure.value());
      }
    }
    String file = "levels-%s-%s.png".formatted(provider, oneWay ? "bandwidth" : "latency");
    write(
        file,
        title + " over " + provider + ", by level",
        (oneWay ? "bytes" : "KiB") + " of a message",
        unit,
        lines,
        oneWay,
        false);
  }

  /// MB/s of the three sorts, by the program that sorts.
  private void sorts() throws IOException {
    List<String> sorts = List.of("sort.datamation", "sort.onepass", "sort.external");
    Map<String, double[]> bars = new TreeMap<>();
    for (Figure figure : figures) {
      int at = sorts.indexOf(figure.figure().replace(".rate", ""));
      if (at >= 0 && figure.figure().endsWith(".rate")) {
        bars.computeIfAbsent("tigris", key -> new double[sorts.size()])[at] = figure.value();
        bars.computeIfAbsent(figure.peer(), key -> new double[sorts.size()])[at] =
            figure.peerValue();
      }
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(LinePlot.WIDTH)
            .height(LinePlot.HEIGHT)
            .title("Sorting 100-byte records, whole processes")
            .yAxisTitle("MB/s")
            .build();
    LinePlot.style(chart.getStyler());
    chart.getStyler().setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 18));
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setLegendBorderColor(Color.WHITE);
    int index = 0;
    for (Map.Entry<String, double[]> bar : bars.entrySet()) {
      List<Double> rates = Arrays.stream(bar.getValue()).boxed().toList();
      chart.addSeries(bar.getKey(), sorts, rates).setFillColor(LinePlot.COLORS.get(index++));
    }
    if (!bars.isEmpty()) {
      results.saveBeside("sort.png", ChartEncoder.getBytes(chart, "PNG"));
    }
  }

  private static void point(
      Map<String, SortedMap<Double, Double>> lines, String line, double x, double y) {
    lines.computeIfAbsent(line, key -> new TreeMap<>()).put(x, y);
  }

  private void write(
      String file,
      String title,
      String x,
      String y,
      Map<String, SortedMap<Double, Double>> lines,
      boolean logarithmicX,
      boolean layered)
      throws IOException {
    if (lines.isEmpty()) {
      return;
    }
    LinePlot plot = new LinePlot(title, x, y, styled(lines, layered));
    results.saveBeside(file, (logarithmicX ? plot.logarithmicX() : plot).png());
  }

  /// The lines in the order of drawing. The line to reach comes first, wide and pale.
  ///
  /// @param layered whether each later line is narrower, so that lines over one another are seen
  private static List<LinePlot.Line> styled(
      Map<String, SortedMap<Double, Double>> lines, boolean layered) {
    List<LinePlot.Line> styled = new ArrayList<>();
    int index = 0;
    for (String name :
        Stream.concat(
                lines.keySet().stream().filter(PALE_LINES::contains),
                lines.keySet().stream().filter(name -> !PALE_LINES.contains(name)))
            .toList()) {
      boolean pale = PALE_LINES.contains(name);
      styled.add(
          new LinePlot.Line(
              name,
              lines.getOrDefault(name, new TreeMap<>()),
              pale ? LinePlot.PALE : LinePlot.COLORS.get(index),
              pale ? IDEAL_WIDTH : layered ? WIDEST - index * STEP : WIDTH,
              false));
      index += pale ? 0 : 1;
    }
    return styled;
  }
}
