package dev.tigris.cli;

import dev.tigris.sort.Progress;
import java.util.Locale;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// The progress bar of a job: on a terminal, and only once the job has taken a moment, so that a
/// quick one does not pay for it.
///
/// Thread rule: any thread reports; one closes.
final class ProgressLine implements Progress, AutoCloseable {
  private static final long PATIENCE_NANOS = 300_000_000;
  private static final int UPDATE_MILLIS = 200;
  private static final long BYTES_PER_MEGABYTE = 1_000_000;
  private static final int USUAL_COLUMNS = 80;

  private final Console console;
  private final boolean isWanted;
  private final String task;
  private final int phases;
  private final LongSupplier nanoTime;
  private final long started;
  private @Nullable ProgressBar bar;
  private boolean isClosed;

  /// @param phases how many times the job goes over all bytes
  ProgressLine(Console console, ParseResult options, String task, int phases) {
    this(console, options, task, phases, System::nanoTime);
  }

  /// @param nanoTime the clock
  ProgressLine(
      Console console, ParseResult options, String task, int phases, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.started = nanoTime.getAsLong();
    this.console = console;
    this.task = task;
    this.phases = phases;
    boolean isSilenced = options.hasMatchedOption("--quiet") || options.hasMatchedOption("--json");
    this.isWanted = options.hasMatchedOption("--progress") || (console.isTerminal() && !isSilenced);
  }

  @Override
  public void report(Phase phase, long doneBytes, long totalBytes) {
    if (isWanted && nanoTime.getAsLong() - started > PATIENCE_NANOS) {
      show(phase, doneBytes, totalBytes);
    }
  }

  private synchronized void show(Phase phase, long doneBytes, long totalBytes) {
    if (isClosed) {
      return;
    }
    if (bar == null) {
      int columns = console.isTerminal() ? console.columns() : USUAL_COLUMNS;
      bar =
          new ProgressBarBuilder()
              .setTaskName(task)
              .setInitialMax(phases * totalBytes)
              .setUnit(" MB", phases * BYTES_PER_MEGABYTE)
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(UPDATE_MILLIS)
              .setConsumer(new DelegatingProgressBarConsumer(this::draw, columns - 1))
              .build();
    }
    bar.setExtraMessage(phase.name().toLowerCase(Locale.ROOT));
    // Reports of several threads may arrive out of order; the bar does not go back.
    long before = phase == Phase.SORT || phase == Phase.SYNC ? (phases - 1) * totalBytes : 0;
    bar.stepTo(Math.max(bar.getCurrent(), Math.min(before + doneBytes, bar.getMax())));
  }

  private void draw(String line) {
    console.err().print("\r" + line);
    console.err().flush();
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (bar != null) {
      bar.close();
      bar = null;
      console.err().println();
    }
  }
}
