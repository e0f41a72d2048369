package dev.tigris.cli.demo;

import dev.tigris.cli.demo.SlowDisks.Outcome;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;

/// Draws what the readers of mirrored disks got as a picture. Needs no display, but fonts.
public final class SlowDisksChart {
  private static final int WIDTH = 1600;
  private static final int HEIGHT = 900;
  private static final double MEGA = 1e6;
  private static final Color PALE = new Color(0xd9, 0xdc, 0xe1);
  private static final List<Color> COLORS =
      List.of(
          new Color(0x00, 0x9e, 0x73), new Color(0xe6, 0x9f, 0x00), new Color(0xd5, 0x5e, 0x00));

  private SlowDisksChart() {}

  /// Writes a PNG. What was there stays until it is complete.
  ///
  /// @param outcomes by the name of the way to choose copies, the best first
  public static void write(Map<String, Outcome> outcomes, Path file) throws IOException {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Readers of eight mirrored disks while three disks are slow")
            .xAxisTitle("reader")
            .yAxisTitle("MB a second")
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
    style.setAvailableSpaceFill(0.8);
    style.setYAxisMin(0.0);
    style.setLocale(Locale.ROOT);
    Outcome first = outcomes.values().iterator().next();
    List<Integer> readers = IntStream.range(0, first.ideal().size()).boxed().toList();
    chart
        .addSeries("best any way could give", readers, megabytes(first.ideal()))
        .setFillColor(PALE);
    int color = 0;
    for (Map.Entry<String, Outcome> each : outcomes.entrySet()) {
      chart
          .addSeries(each.getKey(), readers, megabytes(each.getValue().bytesPerSecond()))
          .setFillColor(COLORS.get(color++ % COLORS.size()));
    }
    SlowConsumersChart.replace(file, ChartEncoder.getBytes(chart, "PNG"));
  }

  private static List<Double> megabytes(List<Double> rates) {
    return rates.stream().map(rate -> rate / MEGA).toList();
  }
}
