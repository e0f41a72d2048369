package dev.tigris.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Draws round trips and bandwidth over the size of messages, all providers and all rivals on one
/// picture each, as the papers drew them: both axes are logarithmic. A provider, or a variant of
/// one, is a line, its twin in C the same colour dashed, and a rival is grey. What went between
/// network namespaces is dotted, with squares; everything else stayed on loopback or in memory.
final class MessagePlots {
  private static final Pattern FIGURE =
      Pattern.compile(
          "net\\.([^.]+(?:\\.inplace|\\.sqpoll)?)(\\.veth)?"
              + "\\.(pingpong|bandwidth)\\.(\\d+[KM]?i?B)");
  private static final Pattern SIZE = Pattern.compile("(\\d+)(B|KiB|MiB)");
  private static final Map<String, Integer> UNITS = Map.of("B", 1, "KiB", 1 << 10, "MiB", 1 << 20);
  private static final List<Color> GREYS =
      List.of(
          new Color(0x60, 0x60, 0x60), new Color(0x90, 0x90, 0x90), new Color(0xb4, 0xb4, 0xb4));
  private static final List<Marker> MARKERS =
      List.of(
          SeriesMarkers.DIAMOND,
          SeriesMarkers.TRIANGLE_UP,
          SeriesMarkers.TRIANGLE_DOWN,
          SeriesMarkers.CROSS,
          SeriesMarkers.PLUS);
  private static final Font LEGEND = new Font(Font.SANS_SERIF, Font.PLAIN, 15);

  /// Room for some thirty lines in the legend.
  private static final int HEIGHT = 1000;

  private static final float[] DASHES = {10, 6};
  private static final float[] DOTS = {2, 5};
  private static final float[] DASHES_AND_DOTS = {10, 5, 2, 5};
  private static final float THIN = 2;
  private static final float THICK = 4;

  private final SortedMap<String, Line> lines = new TreeMap<>();

  /// What one line shows.
  ///
  /// @param owner the provider, for its colour; empty for a rival
  /// @param peer whether it is a twin or a rival, and not a provider itself
  /// @param veth whether it went between network namespaces
  /// @param points bytes, and what was measured
  private record Line(String owner, boolean peer, boolean veth, SortedMap<Double, Double> points) {
    boolean isRival() {
      return owner.isEmpty();
    }
  }

  /// The figures of one kind, `pingpong` or `bandwidth`; values in nanoseconds are drawn as
  /// microseconds.
  private MessagePlots(List<Figure> figures, String kind) {
    for (Figure figure : figures) {
      Matcher name = FIGURE.matcher(figure.figure());
      if (name.matches() && name.group(3).equals(kind)) {
        String provider = name.group(1);
        boolean veth = name.group(2) != null;
        double bytes = bytes(name.group(4));
        double scale = kind.equals("pingpong") ? 1e-3 : 1;
        boolean twin = figure.peer().equals(Bar.C_TWIN);
        // The first peer's value: those beside other peers differ by what the machine did.
        line(provider, provider, false, veth).putIfAbsent(bytes, scale * figure.value());
        String title = twin ? provider + " in C" : figure.peer() + medium(figure.peer(), provider);
        line(title, twin ? provider : "", true, veth)
            .putIfAbsent(bytes, scale * figure.peerValue());
      }
    }
  }

  /// The size that a figure's name ends in.
  static double bytes(String size) {
    Matcher matcher = SIZE.matcher(size);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(size + " is no size");
    }
    return Double.parseDouble(matcher.group(1)) * UNITS.getOrDefault(matcher.group(2), 1);
  }

  /// Of libraries that were measured over several things, over which.
  private static String medium(String peer, String provider) {
    return peer.startsWith(Bar.UCX) || peer.equals(Bar.LIBFABRIC)
        ? provider.startsWith("shm") ? " shm" : " tcp"
        : "";
  }

  private SortedMap<Double, Double> line(String title, String owner, boolean peer, boolean veth) {
    return lines
        .computeIfAbsent(
            veth ? title + ", veth" : title, key -> new Line(owner, peer, veth, new TreeMap<>()))
        .points();
  }

  static void draw(List<Figure> figures, Results results) throws IOException {
    new MessagePlots(figures, "pingpong")
        .write("net-latency.png", "Round trips between two processes", "microseconds", results);
    new MessagePlots(figures, "bandwidth")
        .write("net-bandwidth.png", "Messages one way between two processes", "MB/s", results);
  }

  private void write(String file, String title, String unit, Results results) throws IOException {
    if (lines.isEmpty()) {
      return;
    }
    XYChart chart =
        new XYChartBuilder()
            .width(Plots.WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("bytes of a message")
            .yAxisTitle(unit)
            .build();
    Plots.style(chart.getStyler());
    chart.getStyler().setLegendFont(LEGEND);
    chart.getStyler().setYAxisMin(null);
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisLogarithmic(true);
    List<String> providers =
        lines.values().stream().filter(line -> !line.peer()).map(Line::owner).distinct().toList();
    int rivals = 0;
    List<Map.Entry<String, Line>> rivalsLast =
        lines.entrySet().stream()
            .sorted(Comparator.comparing(entry -> entry.getValue().isRival()))
            .toList();
    for (Map.Entry<String, Line> entry : rivalsLast) {
      Line line = entry.getValue();
      XYSeries series =
          chart.addSeries(
              entry.getKey(),
              new ArrayList<>(line.points().keySet()),
              new ArrayList<>(line.points().values()));
      Color color =
          line.isRival()
              ? GREYS.get(rivals++ % GREYS.size())
              : Plots.COLORS.get(providers.indexOf(line.owner()) % Plots.COLORS.size());
      series.setLineColor(color);
      series.setMarkerColor(color);
      series.setMarker(
          line.veth()
              ? SeriesMarkers.SQUARE
              : line.isRival() ? MARKERS.get(rivals % MARKERS.size()) : SeriesMarkers.CIRCLE);
      series.setLineStyle(stroke(line));
    }
    results.saveBeside(file, ChartEncoder.getBytes(chart, "PNG"));
  }

  private static BasicStroke stroke(Line line) {
    float width = line.peer() ? THIN : THICK;
    boolean twin = line.peer() && !line.isRival();
    if (!twin && !line.veth()) {
      return new BasicStroke(width);
    }
    float[] pattern = !line.veth() ? DASHES : twin ? DASHES_AND_DOTS : DOTS;
    return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0);
  }
}
