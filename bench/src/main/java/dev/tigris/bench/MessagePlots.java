package dev.tigris.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Draws round trips and bandwidth over the size of messages on two logarithmic axes (Chang and von
/// Eicken, *Interfacing Java with the Virtual Interface Architecture*, 1999, figures 3 and 6).
///
/// Each provider has a line, and its main rival a dashed line of the same colour. The summary has
/// the other rivals, the twins in C and the variants.
final class MessagePlots {
  private static final Pattern SIZE = Pattern.compile("(\\d+)(B|KiB|MiB)");
  private static final Map<String, Integer> UNITS = Map.of("B", 1, "KiB", 1 << 10, "MiB", 1 << 20);
  private static final float WIDTH = 4;
  private static final float RIVAL_WIDTH = 2.5f;

  /// A provider and the rivals of it, the first of which that was measured is drawn.
  ///
  /// @param color its place among the colours
  private record Pair(String provider, int color, List<String> rivals) {}

  private static final List<Pair> PAIRS =
      List.of(
          new Pair("shm", 3, List.of(Bar.AERON)),
          new Pair("uring", 5, List.of("Netty io_uring")),
          new Pair("tcp", 4, List.of("Netty NIO")),
          new Pair("libfabric", 0, List.of(Bar.LIBFABRIC, Bar.UCX)));

  private final List<Figure> figures;
  private final Results results;

  private MessagePlots(List<Figure> figures, Results results) {
    this.figures = figures;
    this.results = results;
  }

  /// The size that a figure's name ends in.
  static double bytes(String size) {
    Matcher matcher = SIZE.matcher(size);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a size: write it like 64B or 8KiB".formatted(size));
    }
    return Double.parseDouble(matcher.group(1)) * UNITS.getOrDefault(matcher.group(2), 1);
  }

  static void draw(List<Figure> figures, Results results) throws IOException {
    MessagePlots plots = new MessagePlots(figures, results);
    plots.write(
        "net-latency.png", "pingpong", 1e-3, "Round trips between two processes", "microseconds");
    plots.write("net-bandwidth.png", "bandwidth", 1, "Messages one way between processes", "MB/s");
  }

  /// @param kind the figures' kind, `pingpong` or `bandwidth`
  /// @param scale from the unit of the figures to that of the plot
  private void write(String file, String kind, double scale, String title, String unit)
      throws IOException {
    List<LinePlot.Line> lines = new ArrayList<>();
    for (Pair pair : PAIRS) {
      SortedMap<Double, Double> own = new TreeMap<>();
      Map<String, SortedMap<Double, Double>> rivals = new TreeMap<>();
      Pattern name = Pattern.compile("net\\.%s\\.%s\\.([^.]+)".formatted(pair.provider, kind));
      for (Figure figure : figures) {
        Matcher matcher = name.matcher(figure.figure());
        if (matcher.matches()) {
          double bytes = bytes(matcher.group(1));
          // The first peer's value: those beside other peers differ by the noise of the machine.
          own.putIfAbsent(bytes, scale * figure.value());
          rivals
              .computeIfAbsent(figure.peer(), key -> new TreeMap<>())
              .putIfAbsent(bytes, scale * figure.peerValue());
        }
      }
      var color = LinePlot.COLORS.get(pair.color);
      if (!own.isEmpty()) {
        lines.add(new LinePlot.Line(pair.provider, own, color, WIDTH, false));
      }
      pair.rivals.stream()
          .filter(rivals::containsKey)
          .findFirst()
          .ifPresent(
              rival ->
                  lines.add(
                      new LinePlot.Line(
                          rival.equals(Bar.LIBFABRIC) ? "libfabric's fi_pingpong" : rival,
                          rivals.getOrDefault(rival, own),
                          color,
                          RIVAL_WIDTH,
                          true)));
    }
    if (!lines.isEmpty()) {
      LinePlot plot = new LinePlot(title, "bytes of a message", unit, lines);
      results.saveBeside(file, plot.logarithmicX().logarithmicY().png());
    }
  }
}
