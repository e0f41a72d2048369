package dev.tigris.cli.demo;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.tigris.cli.demo.PerturbedReservoir.Outcome;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Draws [SlowConsumers] as a picture. Needs no display, but fonts.
public final class SlowConsumersChart {
  private static final int WIDTH = 1600;
  private static final int HEIGHT = 1000;
  private static final Color INK = new Color(0x30, 0x34, 0x3b);
  private static final Color PALE = new Color(0xd9, 0xdc, 0xe1);
  // Colours that people who do not see all colours tell apart (Okabe and Ito).
  private static final List<Color> COLORS =
      List.of(
          new Color(0xd5, 0x5e, 0x00),
          new Color(0xe6, 0x9f, 0x00),
          new Color(0x00, 0x72, 0xb2),
          new Color(0x00, 0x9e, 0x73));

  // Narrower from line to line where they are drawn over each other, so that all are seen.
  private static final List<Integer> WIDTHS = List.of(6, 14, 9, 4);

  private SlowConsumersChart() {}

  /// Writes a PNG. What was there stays until it is complete.
  public static void write(SlowConsumers measured, Path file) throws IOException {
    XYChart chart = chart();
    var ideal = chart.addSeries("best any policy could reach", slow(), numbers(measured.ideals()));
    ideal.setLineColor(PALE);
    ideal.setMarker(SeriesMarkers.NONE);
    ideal.setLineStyle(new BasicStroke(22, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    for (int index = 0; index < SlowConsumers.POLICIES.size(); index++) {
      Balancing policy = SlowConsumers.POLICIES.get(index);
      List<Double> reached = measured.of(policy).stream().map(Outcome::watersPerSecond).toList();
      var series = chart.addSeries(policy.label(), slow(), numbers(reached));
      series.setLineColor(COLORS.get(index));
      series.setLineStyle(new BasicStroke(WIDTHS.get(index)));
      series.setMarker(SeriesMarkers.CIRCLE);
      series.setMarkerColor(COLORS.get(index));
    }
    replace(file, ChartEncoder.getBytes(chart, "PNG"));
  }

  /// Writes a file whose old contents stay until the new ones are complete.
  static void replace(Path file, byte[] bytes) throws IOException {
    boolean exists = Files.exists(file);
    if (exists && !Files.isRegularFile(file)) { // a device, say
      Files.write(file, bytes);
      return;
    }
    Path place = exists ? file.toRealPath() : file;
    Path aside = place.resolveSibling("." + place.getFileName() + ".new");
    try {
      Files.write(aside, bytes);
      Files.move(aside, place, REPLACE_EXISTING, ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  private static XYChart chart() {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("The rate of a reservoir while consumers get slow")
            .xAxisTitle("slow consumers, of 8 (each keeps 11.6 % of its rate)")
            .yAxisTitle("waters per second")
            .build();
    var style = chart.getStyler();
    style.setChartBackgroundColor(Color.WHITE);
    style.setPlotBackgroundColor(Color.WHITE);
    style.setPlotBorderVisible(false);
    style.setChartTitleBoxVisible(false);
    style.setChartFontColor(INK);
    style.setChartPadding(30);
    style.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 34));
    style.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 24));
    style.setLegendPosition(LegendPosition.InsideNE);
    style.setLegendBorderColor(Color.WHITE);
    style.setLegendSeriesLineLength(50);
    style.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 26));
    style.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 22));
    style.setAxisTickLabelsColor(INK);
    style.setAxisTickMarksColor(PALE);
    style.setPlotGridLinesColor(PALE);
    style.setPlotGridVerticalLinesVisible(false);
    style.setMarkerSize(14);
    style.setYAxisTickMarkSpacingHint(150);
    style.setYAxisLabelAlignment(TextAlignment.Right);
    style.setYAxisMin(0.0);
    style.setXAxisMin(0.0);
    style.setXAxisMax((double) SlowConsumers.MOST_SLOW);
    style.setXAxisDecimalPattern("0");
    style.setYAxisDecimalPattern("#,##0");
    style.setLocale(Locale.ROOT);
    return chart;
  }

  private static double[] slow() {
    double[] numbers = new double[SlowConsumers.MOST_SLOW + 1];
    Arrays.setAll(numbers, index -> index);
    return numbers;
  }

  private static double[] numbers(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
