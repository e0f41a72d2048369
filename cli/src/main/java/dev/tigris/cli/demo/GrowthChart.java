package dev.tigris.cli.demo;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Draws the rate of a flow while one of its stages grows and shrinks. Needs no display, but fonts.
public final class GrowthChart {
  private static final int WIDTH = 1600;
  private static final int HEIGHT = 900;
  private static final Color PALE = new Color(0xd9, 0xdc, 0xe1);
  private static final Color BLUE = new Color(0x00, 0x72, 0xb2);

  /// A moment.
  ///
  /// @param seconds since the modules ran
  /// @param rate waters a second
  /// @param replicas how many the stage has
  public record Moment(double seconds, double rate, int replicas) {}

  private GrowthChart() {}

  /// Writes a PNG. What was there stays until it is complete.
  ///
  /// @param ratePerReplica what one replica could do at best
  public static void write(List<Moment> moments, double ratePerReplica, Path file)
      throws IOException {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(
                "The rate of a flow while its stage grows from two to four replicas, and shrinks")
            .xAxisTitle("seconds")
            .yAxisTitle("waters a second")
            .build();
    var style = chart.getStyler();
    style.setChartBackgroundColor(Color.WHITE);
    style.setPlotBackgroundColor(Color.WHITE);
    style.setPlotBorderVisible(false);
    style.setChartTitleBoxVisible(false);
    style.setChartPadding(30);
    style.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 30));
    style.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 22));
    style.setLegendPosition(LegendPosition.OutsideS);
    style.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 24));
    style.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 20));
    style.setPlotGridLinesColor(PALE);
    style.setPlotGridVerticalLinesVisible(false);
    style.setYAxisMin(0.0);
    style.setLocale(Locale.ROOT);
    double[] seconds = moments.stream().mapToDouble(Moment::seconds).toArray();
    var ideal =
        chart.addSeries(
            "the most that so many replicas can do",
            seconds,
            moments.stream().mapToDouble(each -> each.replicas() * ratePerReplica).toArray());
    ideal.setLineColor(PALE);
    ideal.setLineStyle(new BasicStroke(18));
    ideal.setMarker(SeriesMarkers.NONE);
    var measured =
        chart.addSeries("measured", seconds, moments.stream().mapToDouble(Moment::rate).toArray());
    measured.setLineColor(BLUE);
    measured.setLineStyle(new BasicStroke(5));
    measured.setMarker(SeriesMarkers.NONE);
    SlowConsumersChart.replace(file, ChartEncoder.getBytes(chart, "PNG"));
  }
}
