package dev.tigris.cli;

import dev.tigris.cli.demo.GrowingFlow;
import dev.tigris.cli.demo.GrowthChart;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.cluster.run.TapOrder;
import dev.tigris.cluster.run.TapReader;
import dev.tigris.flow.Results;
import dev.tigris.flow.Tap;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// `tigris demo growth`: a flow on two processes, whose stage grows from two to four replicas and
/// shrinks again while waters flow. In between, a tap shows some of them.
///
/// @param runs the folder for the folders of the runs
/// @param png the picture
record GrowthDemo(Path runs, boolean isQuick, Path png, PrintStream out) {
  private static final int PROCESSES = 2;
  private static final int LARGE = 4;
  private static final Duration HANG_LIMIT = Duration.ofSeconds(30);
  private static final Duration PHASE = Duration.ofSeconds(5);
  private static final Duration QUICK = Duration.ofSeconds(2);

  /// Workers report four times a second.
  private static final Duration SLICE = Duration.ofMillis(500);

  private static final int BAR = 40;
  private static final int TAP_WINDOW = 16;
  private static final int COPIES = 4;
  private static final int COPIES_A_SECOND = 10;
  private static final double NANOS = 1e9;

  void run() throws CommandException, RunException, InterruptedException {
    out.printf(
        "A flow on %d processes that grows while it runs%n%n"
            + "  Each replica of the stage 'work' passes a water every millisecond. The stage begins%n"
            + "  with %d of them, gets %d, and has %d again in the end.%n%n",
        PROCESSES, GrowingFlow.REPLICAS, LARGE, GrowingFlow.REPLICAS);
    ClusterRun run =
        Cluster.processes(PROCESSES)
            .withRuns(runs)
            .withHangLimit(HANG_LIMIT)
            .start(GrowingFlow.class);
    try {
      List<GrowthChart.Moment> moments = new ArrayList<>();
      while (run.progress().calls() == 0) {
        if (run.await(SLICE)) {
          break; // it has failed, and says why below
        }
      }
      watch(run, GrowingFlow.REPLICAS, moments);
      resize(run, LARGE);
      watch(run, LARGE, moments);
      tap(run);
      resize(run, GrowingFlow.REPLICAS);
      watch(run, GrowingFlow.REPLICAS, moments);
      run.drain();
      tell(run.await());
      DemoCommand.draw(() -> GrowthChart.write(moments, GrowingFlow.RATE, png), png, out);
    } catch (InterruptedException e) {
      run.cancelAndAwait();
      throw e;
    }
  }

  private void resize(ClusterRun run, int replicas) throws CommandException, InterruptedException {
    long start = System.nanoTime();
    CompletableFuture<Void> change = run.resize(GrowingFlow.WORK, replicas);
    try {
      change.get();
    } catch (ExecutionException e) {
      run.cancel();
      throw new CommandException(
          ExitCode.FAILED, String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
    }
    out.printf(
        "  resized to %d replicas in %,d ms%n", replicas, (System.nanoTime() - start) / 1_000_000);
  }

  /// Shows copies of a few waters that pass the stage.
  private void tap(ClusterRun run) throws CommandException, InterruptedException {
    Tap.Terms terms = new Tap.Terms(Long.BYTES, TAP_WINDOW, false, true);
    try (TapReader reader = TapReader.listen(PROCESSES)) {
      run.tap(
              new TapOrder(
                  GrowingFlow.COUNT, terms, COPIES_A_SECOND, reader.address(), reader.token()))
          .get();
      for (int i = 0; i < COPIES; i++) {
        TapReader.Copy copy = reader.poll(HANG_LIMIT);
        if (copy != null) {
          out.printf(
              "  tapped what %s[%d] puts: water %,d of %d bytes%n",
              copy.stage(), copy.replica(), copy.number(), copy.size());
        }
      }
    } catch (ExecutionException | IOException e) {
      run.cancel();
      throw new CommandException(ExitCode.FAILED, "the tap has failed: " + e.getMessage(), e);
    }
  }

  private void watch(ClusterRun run, int replicas, List<GrowthChart.Moment> moments)
      throws RunException, InterruptedException {
    long end = System.nanoTime() + (isQuick ? QUICK : PHASE).toNanos();
    RunProgress before = run.progress();
    while (System.nanoTime() < end && !run.await(SLICE)) {
      RunProgress now = run.progress();
      double seconds = (now.elapsedNanos() - before.elapsedNanos()) / NANOS;
      double rate = (worked(now) - worked(before)) / Math.max(seconds, 1 / NANOS);
      moments.add(new GrowthChart.Moment(now.elapsedNanos() / NANOS, rate, replicas));
      int bar = (int) Math.min(BAR, Math.round(BAR * rate / (LARGE * GrowingFlow.RATE)));
      out.printf(
          "  %d replicas  %-" + BAR + "s %,6.0f waters a second%n",
          replicas,
          "#".repeat(bar),
          rate);
      before = now;
    }
  }

  private static long worked(RunProgress progress) {
    return progress.replicas().stream()
        .filter(each -> each.state().stage().equals(GrowingFlow.WORK))
        .mapToLong(each -> each.state().calls())
        .sum();
  }

  private void tell(Results results) throws CommandException {
    long made = results.number(GrowingFlow.MADE);
    boolean isAll =
        made == results.number(GrowingFlow.CAME)
            && results.number(GrowingFlow.MADE + GrowingFlow.SUM)
                == results.number(GrowingFlow.CAME + GrowingFlow.SUM);
    if (!isAll) {
      throw new CommandException(
          ExitCode.FAILED, "waters were lost or doubled: " + results.numbers());
    }
    out.printf("%n  %,d waters were made, and each of them has come once.%n%n", made);
  }
}
