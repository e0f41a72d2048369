package dev.tigris.cli;

import dev.tigris.cli.demo.SlowDisks;
import dev.tigris.cli.demo.SlowDisks.Outcome;
import dev.tigris.cli.demo.SlowDisksChart;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.mirror.Mirror.Choice;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `tigris demo disks`: eight mirrored disks, three of which are slow, and what their readers get.
///
/// @param folder for the disks
/// @param png the picture
record DisksDemo(Path folder, boolean isQuick, Path png, Console console) {
  private static final int DISKS = 8;
  private static final List<Integer> SLOW = List.of(1, 4, 6);
  private static final double SHARE = 0.1;
  private static final long BYTES_PER_SECOND = 4_000_000;
  private static final Duration RUN = Duration.ofMillis(2500);
  private static final Duration QUICK = Duration.ofMillis(600);
  private static final int BAR_COLUMNS = 40;
  private static final double MEGA = 1e6;

  /// A way to choose copies.
  private record Way(String label, Choice choice) {}

  private static final List<Way> WAYS =
      List.of(
          new Way("graduated declustering", Choice.GRADUATED),
          new Way("one copy, picked by hash", Choice.BY_HASH),
          new Way("the copies in turn", Choice.IN_TURN));

  void run() throws CommandException, IOException, InterruptedException {
    PrintStream out = console.out();
    out.printf(
        "Eight mirrored disks, three of them slow%n%n"
            + "  Each of 8 readers reads a segment, which is on two of 8 disks. A disk gives 4 MB%n"
            + "  a second, and disks 1, 4 and 6 a tenth of that. A bar is as long as the best%n"
            + "  that this reader could have, and full as far as it came.%n");
    var demo = new SlowDisks(DISKS, SLOW, SHARE, BYTES_PER_SECOND, isQuick ? QUICK : RUN);
    Map<String, Outcome> outcomes = new LinkedHashMap<>();
    try {
      Path manifest = demo.prepare(folder);
      for (Way way : WAYS) {
        Outcome outcome = demo.run(manifest, way.choice);
        outcomes.put(way.label, outcome);
        tell(way.label, outcome);
      }
    } catch (FlowException e) {
      throw new CommandException(ExitCode.FAILED, Reason.of(e), e);
    }
    out.printf(
        "%n  A disk serves the reader that is furthest behind, so each reader gets its share%n  of"
            + " what all disks give. Without that, the readers of a slow disk are as slow.%n%n");
    DemoCommand.draw(() -> SlowDisksChart.write(outcomes, png), png, out);
  }

  private void tell(String way, Outcome outcome) {
    PrintStream out = console.out();
    out.printf("%n  %s%n", way);
    double most = outcome.ideal().stream().mapToDouble(rate -> rate).max().orElse(1);
    for (int reader = 0; reader < DISKS; reader++) {
      double got = outcome.bytesPerSecond().get(reader);
      double ideal = outcome.ideal().get(reader);
      int length = (int) Math.round(BAR_COLUMNS * ideal / most);
      int full = (int) Math.clamp(Math.round(BAR_COLUMNS * got / most), 0L, (long) length);
      boolean isUnicode = console.isUnicode();
      out.printf(
          "    reader %d %s%s%s %5.2f MB/s %3.0f %%%n",
          reader,
          (isUnicode ? "█" : "#").repeat(full),
          (isUnicode ? "░" : ".").repeat(length - full),
          " ".repeat(BAR_COLUMNS - length),
          got / MEGA,
          100 * got / ideal);
    }
    out.printf(
        "    slowest %.2f of %.2f MB/s, all %.1f of %.1f MB/s%n",
        outcome.slowest() / MEGA,
        outcome.idealSlowest() / MEGA,
        outcome.all() / MEGA,
        outcome.ideal().stream().mapToDouble(rate -> rate).sum() / MEGA);
    out.flush();
  }
}
