package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.cli.demo.GrowingFlow;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/// A stage on two processes that grows from two to four replicas while waters flow, and shrinks
/// again: for how long the rate of what comes out is below 90 % of what the replicas can do. The
/// replicas that join count from the moment at which the change was made, those that leave until it
/// was asked for.
///
/// ```
///   rate in a window of 200 ms, moved by 50 ms, beside that of as many replicas
/// ```
final class ResizeGroup implements Group {
  private static final String NAME = "cluster.resize";
  private static final String GROW = NAME + ".grow";
  private static final String SHRINK = NAME + ".shrink";
  private static final int PROCESSES = 2;
  private static final int LARGE = 4;
  private static final int WINDOW = 4;
  private static final double LEAST_SHARE = 0.9;
  private static final double LIMIT_MILLIS = 1000;
  private static final double SLOT_MILLIS = GrowingFlow.SLOT_NANOS / 1e6;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return List.of(GROW, SHRINK);
  }

  /// The time that a stage took to change, in slots.
  private record Change(long asked, long made, int before, int after) {}

  @Override
  public void measure(Run run) throws Exception {
    List<Double> grow = new ArrayList<>();
    List<Double> shrink = new ArrayList<>();
    int rounds = run.scale().pick(1, 3, 7);
    for (int round = 1; round <= rounds; round++) {
      run.say("%s, round %d of %d".formatted(NAME, round, rounds));
      Path folder = Files.createTempDirectory(run.workFolder(), "resize-");
      try {
        measure(folder, run.scale() == Scale.TINY ? 500 : 3000, grow, shrink);
      } finally {
        RunFolder.deleteAll(folder);
      }
    }
    emit(run, GROW, grow);
    emit(run, SHRINK, shrink);
  }

  private static void emit(Run run, String figure, List<Double> millis) {
    double[] ours = millis.stream().mapToDouble(each -> Math.max(SLOT_MILLIS, each)).toArray();
    double[] limits = new double[ours.length];
    Arrays.fill(limits, LIMIT_MILLIS);
    run.emit(
        Figure.of(figure, "ms", Better.LOWER, Bar.LIMIT, List.of(new Pairs(ours, limits)))
            .withNote(
                "%d processes, %d and %d replicas; 50 ms is the shortest that can be told"
                    .formatted(PROCESSES, GrowingFlow.REPLICAS, LARGE)));
  }

  private static void measure(Path folder, long millis, List<Double> grow, List<Double> shrink)
      throws RunException, InterruptedException, ExecutionException, IOException {
    ClusterRun run =
        Cluster.processes(PROCESSES)
            .withHangLimit(Duration.ofMinutes(5)) // nothing hangs here
            .withRuns(folder)
            .start(GrowingFlow.class);
    try {
      while (run.progress().calls() == 0 && !run.await(Duration.ofMillis(50))) {}
      TimeUnit.MILLISECONDS.sleep(millis);
      Change first = change(run, GrowingFlow.REPLICAS, LARGE);
      TimeUnit.MILLISECONDS.sleep(millis);
      long between = slot();
      Change second = change(run, LARGE, GrowingFlow.REPLICAS);
      TimeUnit.MILLISECONDS.sleep(millis);
      long end = slot();
      run.drain();
      Results results = run.await();
      WrongResultException.check(
          "waters that came", results.number(GrowingFlow.MADE), results.number(GrowingFlow.CAME));
      grow.add(below(results, first, between));
      shrink.add(below(results, second, end));
    } finally {
      run.cancelAndAwait();
    }
  }

  private static long slot() {
    return System.nanoTime() / GrowingFlow.SLOT_NANOS;
  }

  private static Change change(ClusterRun run, int before, int after)
      throws InterruptedException, ExecutionException {
    long asked = slot();
    run.resize(GrowingFlow.WORK, after).get();
    return new Change(asked, slot(), before, after);
  }

  /// Returns for how long at a time the rate was too low, in milliseconds, from when a change was
  /// asked for to some slot.
  private static double below(Results results, Change change, long end) {
    long longest = 0;
    long now = 0;
    for (long slot = change.asked(); slot + WINDOW <= end; slot++) {
      double came = 0;
      double ideal = 0;
      for (long each = slot; each < slot + WINDOW; each++) {
        came += results.numbers().getOrDefault(GrowingFlow.CAME_IN + each, 0L);
        ideal += replicas(change, each);
      }
      ideal *= GrowingFlow.RATE * SLOT_MILLIS / 1e3;
      now = came < LEAST_SHARE * ideal ? now + 1 : 0;
      longest = Math.max(longest, now);
    }
    return longest * SLOT_MILLIS;
  }

  /// Returns how many replicas can be expected to work in a slot since a change was asked for.
  private static int replicas(Change change, long slot) {
    return slot <= change.made() ? Math.min(change.before(), change.after()) : change.after();
  }
}
