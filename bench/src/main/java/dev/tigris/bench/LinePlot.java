package dev.tigris.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import javax.imageio.ImageIO;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// A plot of at most eight lines. Each has its name at its end, and so the plot has no legend.
final class LinePlot {
  /// The most lines that a reader can follow.
  static final int MAX_LINES = 8;

  static final int WIDTH = 1200;
  static final int HEIGHT = 750;

  /// The room on the right for the names.
  private static final int NAMES_WIDTH = 230;

  /// The least distance between the middles of two names.
  static final int NAME_HEIGHT = 26;

  private static final int GAP = 12;

  /// Names push one another apart pass by pass; a plot of eight needs far fewer passes.
  private static final int MAX_PASSES = 1_000;

  private static final float[] DASHES = {10, 6};
  private static final Color INK = new Color(0x30, 0x34, 0x3b);
  static final Color PALE = new Color(0xd9, 0xdc, 0xe1);

  /// Colours that people with any colour vision tell apart (Okabe and Ito).
  static final List<Color> COLORS =
      List.of(
          new Color(0xd5, 0x5e, 0x00),
          new Color(0xe6, 0x9f, 0x00),
          new Color(0x56, 0xb4, 0xe9),
          new Color(0x00, 0x72, 0xb2),
          new Color(0x00, 0x9e, 0x73),
          new Color(0xcc, 0x79, 0xa7),
          new Color(0x80, 0x70, 0x00),
          new Color(0x60, 0x60, 0x60));

  /// A line.
  ///
  /// @param points values by their place on the x axis
  /// @param width in pixels
  record Line(
      String name, SortedMap<Double, Double> points, Color color, float width, boolean dashed) {
    Line {
      if (points.isEmpty()) {
        throw new IllegalArgumentException("the line '" + name + "' has no points");
      }
    }
  }

  private final XYChart chart;
  private final List<Line> lines;

  /// A plot on linear axes; the lines are drawn in their order.
  LinePlot(String title, String x, String y, List<Line> lines) {
    if (lines.size() > MAX_LINES) {
      throw new IllegalArgumentException(
          "%d lines in '%s': choose at most %d".formatted(lines.size(), title, MAX_LINES));
    }
    this.lines = List.copyOf(lines);
    chart =
        new XYChartBuilder()
            .width(WIDTH - NAMES_WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(x)
            .yAxisTitle(y)
            .build();
    style(chart.getStyler());
    chart.getStyler().setLegendVisible(false);
    chart.getStyler().setXAxisDecimalPattern("0");
    for (Line line : lines) {
      var series =
          chart.addSeries(
              line.name,
              new ArrayList<>(line.points.keySet()),
              new ArrayList<>(line.points.values()));
      series.setMarker(SeriesMarkers.CIRCLE);
      series.setLineColor(line.color);
      series.setMarkerColor(line.color);
      series.setLineStyle(
          line.dashed
              ? new BasicStroke(
                  line.width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, DASHES, 0)
              : new BasicStroke(line.width, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    }
  }

  /// Makes the x axis logarithmic.
  LinePlot logarithmicX() {
    chart.getStyler().setXAxisLogarithmic(true);
    return this;
  }

  /// Makes the y axis logarithmic.
  LinePlot logarithmicY() {
    chart.getStyler().setYAxisMin(null);
    chart.getStyler().setYAxisLogarithmic(true);
    return this;
  }

  /// Draws the plot as a PNG.
  byte[] png() throws IOException {
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    try {
      graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
      graphics.setRenderingHint(
          RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
      graphics.setColor(Color.WHITE);
      graphics.fillRect(0, 0, WIDTH, HEIGHT);
      chart.paint(graphics, WIDTH - NAMES_WIDTH, HEIGHT);
      drawNames(graphics);
    } finally {
      graphics.dispose();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ImageIO.write(image, "PNG", out);
    return out.toByteArray();
  }

  /// Writes the name of each line to the right of the chart, with a thin line to its end.
  private void drawNames(Graphics2D graphics) {
    List<Line> sorted = new ArrayList<>(lines);
    sorted.sort(Comparator.comparingDouble(this::endY));
    List<Double> places =
        spread(sorted.stream().map(this::endY).toList(), NAME_HEIGHT, NAME_HEIGHT, HEIGHT - 60);
    graphics.setFont(new Font(Font.SANS_SERIF, Font.BOLD, 17));
    int x = WIDTH - NAMES_WIDTH + GAP;
    int descent = graphics.getFontMetrics().getAscent() / 2 - 2;
    for (int index = 0; index < sorted.size(); index++) {
      Line line = sorted.get(index);
      int y = (int) Math.round(places.get(index));
      graphics.setColor(line.color);
      graphics.setStroke(new BasicStroke(1));
      graphics.drawLine((int) endX(line) + GAP, (int) Math.round(endY(line)), x - 4, y);
      graphics.setColor(line.color.equals(PALE) ? INK : line.color.darker());
      graphics.drawString(line.name, x, y + descent);
    }
  }

  private double endX(Line line) {
    return chart.getScreenXFromChart(line.points.lastKey());
  }

  private double endY(Line line) {
    return chart.getScreenYFromChart(line.points.lastEntry().getValue());
  }

  /// Moves places as little as needed, so that neighbours are at least `gap` apart.
  ///
  /// @param wanted the places, ascending
  /// @return the new places between `least` and `most`, in the order of `wanted`
  static List<Double> spread(List<Double> wanted, double gap, double least, double most) {
    double[] places = wanted.stream().mapToDouble(Double::doubleValue).toArray();
    for (int pass = 0; pass < MAX_PASSES; pass++) {
      boolean moved = false;
      for (int index = 0; index < places.length; index++) {
        places[index] = Math.clamp(places[index], least, most);
        double overlap = index == 0 ? 0 : places[index - 1] + gap - places[index];
        if (overlap > 0.5) {
          places[index - 1] -= overlap / 2;
          places[index] += overlap / 2;
          moved = true;
        }
      }
      if (!moved) {
        break;
      }
    }
    return Arrays.stream(places).boxed().toList();
  }

  static void style(AxesChartStyler style) {
    style.setChartBackgroundColor(Color.WHITE);
    style.setPlotBackgroundColor(Color.WHITE);
    style.setPlotBorderVisible(false);
    style.setChartTitleBoxVisible(false);
    style.setChartFontColor(INK);
    style.setChartPadding(24);
    style.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 22));
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
