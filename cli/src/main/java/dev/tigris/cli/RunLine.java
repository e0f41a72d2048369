package dev.tigris.cli;

import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowSnapshot;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ParseResult;

/// The line that shows how far a run has come: on a terminal it is drawn again and again.
///
/// Thread rule: one thread.
final class RunLine implements AutoCloseable {
  private static final long PATIENCE_NANOS = 300_000_000;
  private static final long LINE_NANOS = 1_000_000_000;
  private static final int MOST_SLOW = 2;
  private static final double MILLIS = 1e6;

  private final Console console;
  private final boolean isWanted;
  private long drawnNanos;
  private int drawn;

  RunLine(Console console, ParseResult options) {
    this.console = console;
    boolean isSilenced = options.hasMatchedOption("--quiet") || options.hasMatchedOption("--json");
    this.isWanted = options.hasMatchedOption("--progress") || (console.isTerminal() && !isSilenced);
  }

  void show(RunProgress progress) {
    long elapsed = progress.elapsedNanos();
    boolean isTime =
        elapsed > PATIENCE_NANOS && (console.isTerminal() || elapsed - drawnNanos > LINE_NANOS);
    if (isWanted && isTime) {
      drawnNanos = elapsed;
      draw(text(progress));
    }
  }

  /// Shows what the process that coordinates the run says of it.
  void show(String text) {
    if (isWanted) {
      draw(text);
    }
  }

  /// Returns what is shown of a moment.
  static String text(RunProgress progress) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%s, %.1f s, %,d calls",
                progress.phase().name().toLowerCase(Locale.ROOT),
                progress.elapsedNanos() / 1e9,
                progress.calls()));
    if (progress.attempt() > 1) {
      text.append(", attempt ").append(progress.attempt());
    }
    if (progress.phase() != RunProgress.Phase.RUNNING && !progress.behind().isEmpty()) {
      text.append(", waits for process ").append(progress.behind().getFirst());
    }
    List<RunProgress.Replica> slow = progress.slow();
    for (RunProgress.Replica each : slow.subList(0, Math.min(MOST_SLOW, slow.size()))) {
      FlowSnapshot.Replica state = each.state();
      text.append(
          String.format(
              Locale.ROOT,
              "; slow: %s[%d] in process %d, %.2f ms a call",
              state.stage(),
              state.replica(),
              each.process(),
              state.serviceNanos() / MILLIS));
    }
    return text.toString();
  }

  private void draw(String text) {
    if (!console.isTerminal()) {
      console.err().println(text);
      return;
    }
    String shown = text.substring(0, Math.min(text.length(), console.columns() - 1));
    console.err().print("\r" + shown + " ".repeat(Math.max(0, drawn - shown.length())));
    console.err().flush();
    drawn = shown.length();
  }

  @Override
  public void close() {
    if (drawn > 0) {
      console.err().print("\r" + " ".repeat(drawn) + "\r");
      console.err().flush();
    }
  }
}
