package dev.tigris.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
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
/// picture each, as the papers drew them: both axes are logarithmic. A provider is a line, its twin
/// in C the same colour dashed, and a rival is grey.
final class MessagePlots {
  private static final Pattern FIGURE =
      Pattern.compile("net\\.([^.]+)\\.(pingpong|bandwidth)\\.(\\d+)(B|KiB|MiB)");
  private static final Map<String, Integer> UNITS = Map.of("B", 1, "KiB", 1 << 10, "MiB", 1 << 20);
  private static final List<Color> GREYS =
      List.of(
          new Color(0x60, 0x60, 0x60), new Color(0x90, 0x90, 0x90), new Color(0xb4, 0xb4, 0xb4));
  private static final List<Marker> MARKERS =
      List.of(
          SeriesMarkers.SQUARE,
          SeriesMarkers.DIAMOND,
          SeriesMarkers.TRIANGLE_UP,
          SeriesMarkers.TRIANGLE_DOWN,
          SeriesMarkers.CROSS,
          SeriesMarkers.PLUS);
  private static final float THIN = 2;
  private static final float THICK = 4;

  private final SortedMap<String, Line> lines = new TreeMap<>();

  /// What one line shows.
  ///
  /// @param owner the provider, for its colour; empty for a rival
  /// @param peer whether it is a twin or a rival, and not a provider itself
  /// @param points bytes, and what was measured
  private record Line(String owner, boolean peer, SortedMap<Double, Double> points) {}

  /// The figures of one kind, `pingpong` or `bandwidth`; values in nanoseconds are drawn as
  /// microseconds.
  private MessagePlots(List<Figure> figures, String kind) {
    for (Figure figure : figures) {
      Matcher name = FIGURE.matcher(figure.figure());
      if (name.matches() && name.group(2).equals(kind)) {
        String provider = name.group(1);
        double bytes = Double.parseDouble(name.group(3)) * UNITS.getOrDefault(name.group(4), 1);
        double scale = kind.equals("pingpong") ? 1e-3 : 1;
        boolean twin = figure.peer().equals(Bar.C_TWIN);
        // The first peer's value: those beside other peers differ by what the machine did.
        line(provider, provider, false).putIfAbsent(bytes, scale * figure.value());
        String title = twin ? provider + " in C" : figure.peer() + medium(figure.peer(), provider);
        line(title, twin ? provider : "", true).putIfAbsent(bytes, scale * figure.peerValue());
      }
    }
  }

  /// Of libraries that were measured over several things, over which.
  private static String medium(String peer, String provider) {
    return peer.startsWith(Bar.UCX) || peer.equals(Bar.LIBFABRIC)
        ? provider.equals("shm") ? " shm" : " tcp"
        : "";
  }

  private SortedMap<Double, Double> line(String title, String owner, boolean peer) {
    return lines.computeIfAbsent(title, key -> new Line(owner, peer, new TreeMap<>())).points();
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
            .height(Plots.HEIGHT)
            .title(title)
            .xAxisTitle("bytes of a message")
            .yAxisTitle(unit)
            .build();
    Plots.style(chart.getStyler());
    chart.getStyler().setYAxisMin(null);
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisLogarithmic(true);
    List<String> providers =
        lines.values().stream().filter(line -> !line.peer()).map(Line::owner).toList();
    int rivals = 0;
    for (Map.Entry<String, Line> entry : lines.entrySet()) {
      Line line = entry.getValue();
      XYSeries series =
          chart.addSeries(
              entry.getKey(),
              new ArrayList<>(line.points().keySet()),
              new ArrayList<>(line.points().values()));
      boolean rival = line.owner().isEmpty();
      Color color =
          rival
              ? GREYS.get(rivals++ % GREYS.size())
              : Plots.COLORS.get(providers.indexOf(line.owner()) % Plots.COLORS.size());
      series.setLineColor(color);
      series.setMarkerColor(color);
      series.setMarker(rival ? MARKERS.get(rivals % MARKERS.size()) : SeriesMarkers.CIRCLE);
      series.setLineStyle(stroke(line));
    }
    Files.write(results.beside(file), ChartEncoder.getBytes(chart, "PNG"));
  }

  private static BasicStroke stroke(Line line) {
    return line.peer() && !line.owner().isEmpty()
        ? new BasicStroke(
            THIN, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {10, 6}, 0)
        : new BasicStroke(line.peer() ? THIN : THICK);
  }
}
