package dev.tigris.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Draws the results that are better seen than read: figures whose names end in a number are lines
/// over that number. What has not been measured is not drawn.
final class Plots {
  static final int WIDTH = 1200;
  static final int HEIGHT = 750;
  private static final Color INK = new Color(0x30, 0x34, 0x3b);
  private static final Color PALE = new Color(0xd9, 0xdc, 0xe1);
  // Colours that people who do not see all colours tell apart (Okabe and Ito).
  static final List<Color> COLORS =
      List.of(
          new Color(0xd5, 0x5e, 0x00),
          new Color(0xe6, 0x9f, 0x00),
          new Color(0x56, 0xb4, 0xe9),
          new Color(0x00, 0x72, 0xb2),
          new Color(0x00, 0x9e, 0x73),
          new Color(0xcc, 0x79, 0xa7),
          new Color(0x80, 0x70, 0x00));

  private static final Set<String> PALE_LINES = Set.of(Bar.IDEAL, Bar.C_TWIN);

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
    plots.slow(
        "fig5.png", "paper.tigris.fig5.", "4 to 4, 8 KiB, the set-up of paper 002, figure 5");
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
    XYChart chart = chart("N statements p.fA = q.fB + constant: " + title, "N", "ns a call", lines);
    write(file, chart, lines);
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
    XYChart chart = chart("Slow consumers: " + title, "slow consumers", "waters a second", lines);
    write(file, chart, lines);
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
    XYChart chart =
        chart(
            title + " over " + provider + ", by level",
            (oneWay ? "bytes" : "KiB") + " of a message",
            unit,
            lines);
    chart.getStyler().setXAxisLogarithmic(oneWay);
    write(file, chart, lines);
  }

  /// MB/s of the three sorts, by who sorts.
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
            .width(WIDTH)
            .height(HEIGHT)
            .title("Sorting 100-byte records, whole processes")
            .yAxisTitle("MB/s")
            .build();
    style(chart.getStyler());
    int index = 0;
    for (Map.Entry<String, double[]> bar : bars.entrySet()) {
      List<Double> rates = Arrays.stream(bar.getValue()).boxed().toList();
      chart.addSeries(bar.getKey(), sorts, rates).setFillColor(COLORS.get(index++));
    }
    if (!bars.isEmpty()) {
      results.saveBeside("sort.png", ChartEncoder.getBytes(chart, "PNG"));
    }
  }

  private static void point(
      Map<String, SortedMap<Double, Double>> lines, String line, double x, double y) {
    lines.computeIfAbsent(line, key -> new TreeMap<>()).put(x, y);
  }

  private void write(String file, XYChart chart, Map<String, ?> lines) throws IOException {
    if (!lines.isEmpty()) {
      results.saveBeside(file, ChartEncoder.getBytes(chart, "PNG"));
    }
  }

  private static XYChart chart(
      String title, String x, String y, Map<String, SortedMap<Double, Double>> lines) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(x)
            .yAxisTitle(y)
            .build();
    style(chart.getStyler());
    chart.getStyler().setXAxisDecimalPattern("0");
    int index = 0;
    // What is to be reached is first and pale, so that those that reach it are seen.
    List<String> names =
        Stream.concat(
                lines.keySet().stream().filter(PALE_LINES::contains),
                lines.keySet().stream().filter(name -> !PALE_LINES.contains(name)))
            .toList();
    for (String name : names) {
      SortedMap<Double, Double> points = lines.getOrDefault(name, new TreeMap<>());
      var series =
          chart.addSeries(name, new ArrayList<>(points.keySet()), new ArrayList<>(points.values()));
      series.setMarker(SeriesMarkers.CIRCLE);
      boolean ideal = PALE_LINES.contains(name);
      Color color = ideal ? PALE : COLORS.get(index++ % COLORS.size());
      series.setLineColor(color);
      series.setMarkerColor(color);
      series.setLineStyle(new BasicStroke(ideal ? 12 : 3));
    }
    return chart;
  }

  static void style(AxesChartStyler style) {
    style.setChartBackgroundColor(Color.WHITE);
    style.setPlotBackgroundColor(Color.WHITE);
    style.setPlotBorderVisible(false);
    style.setChartTitleBoxVisible(false);
    style.setChartFontColor(INK);
    style.setChartPadding(24);
    style.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 24));
    style.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 18));
    style.setLegendPosition(LegendPosition.OutsideE);
    style.setLegendBorderColor(Color.WHITE);
    style.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 20));
    style.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 16));
    style.setAxisTickLabelsColor(INK);
    style.setAxisTickMarksColor(PALE);
    style.setPlotGridLinesColor(PALE);
    style.setPlotGridVerticalLinesVisible(false);
    style.setMarkerSize(8);
    style.setYAxisMin(0.0);
    style.setLocale(Locale.ROOT);
  }
}
