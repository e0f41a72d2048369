package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/// The time after one of four processes of a run is killed (SIGKILL): until all processes of that
/// attempt have ended, and until the first water of the next one. The peers are the limits that a
/// run promises.
final class FailGroup implements Group {
  private static final String NAME = "cluster.fail";
  private static final String ENDED = NAME + ".ended";
  private static final String AGAIN = NAME + ".again";
  private static final int PROCESSES = 4;
  private static final double ENDED_LIMIT = 2000;
  private static final double AGAIN_LIMIT = 2500;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return List.of(ENDED, AGAIN);
  }

  @Override
  public void measure(Run run) throws Exception {
    List<Double> ended = new ArrayList<>();
    List<Double> again = new ArrayList<>();
    int rounds = run.scale().pick(1, 5, 15);
    for (int round = 1; round <= rounds; round++) {
      run.say("%s, round %d of %d".formatted(NAME, round, rounds));
      Path folder = Files.createTempDirectory(run.workFolder(), "fail-");
      try {
        fail(folder, round % PROCESSES, ended, again);
      } finally {
        RunFolder.deleteAll(folder);
      }
    }
    emit(run, ENDED, ended, ENDED_LIMIT);
    emit(run, AGAIN, again, AGAIN_LIMIT);
  }

  private static void emit(Run run, String figure, List<Double> millis, double limit) {
    double[] ours = millis.stream().mapToDouble(Double::doubleValue).toArray();
    double[] limits = new double[ours.length];
    Arrays.fill(limits, limit);
    run.emit(
        Figure.of(figure, "ms", Better.LOWER, Bar.LIMIT, List.of(new Pairs(ours, limits)))
            .withNote(PROCESSES + " processes, one killed"));
  }

  private static void fail(Path folder, int which, List<Double> ended, List<Double> again)
      throws IOException, RunException, InterruptedException {
    Path notes = Files.createDirectory(folder.resolve("notes"));
    ClusterRun run =
        Cluster.processes(PROCESSES)
            .withAttempts(2)
            .withHangLimit(Duration.ofMinutes(5)) // nothing hangs here
            .withRuns(folder.resolve("runs"))
            .start(FirstWater.class, notes.toString(), "endless");
    try {
      String own = run.folder().orElseThrow().toString();
      long _ = awaitFirst(run, notes, process -> true);
      List<ProcessHandle> first =
          ProcessHandle.current()
              .children()
              .filter(each -> each.info().commandLine().orElse("").contains(own))
              .sorted()
              .toList();
      WrongResultException.check("processes of the first attempt", PROCESSES, first.size());
      CompletableFuture<?> allEnded =
          CompletableFuture.allOf(
              first.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new));
      CompletableFuture<Long> end = allEnded.thenApply(nothing -> System.nanoTime());
      long killed = System.nanoTime();
      boolean _ = first.get(which).destroyForcibly();
      Set<Long> old = first.stream().map(ProcessHandle::pid).collect(Collectors.toSet());
      long next = awaitFirst(run, notes, process -> !old.contains(process));
      ended.add((end.join() - killed) / 1e6);
      again.add((next - killed) / 1e6);
    } finally {
      FirstWater.end(notes);
    }
    var _ = run.await();
    WrongResultException.check("attempts", 2, run.progress().attempt());
  }

  private static long awaitFirst(ClusterRun run, Path notes, LongPredicate process)
      throws IOException, RunException, InterruptedException {
    long start = System.nanoTime();
    while (true) {
      OptionalLong first = FirstWaters.first(notes, process);
      if (first.isPresent()) {
        return first.getAsLong();
      }
      if (run.isDone() || System.nanoTime() - start > PATIENCE_NANOS) {
        run.cancel();
        var _ = run.await(); // throws, if the run has failed
        throw new IOException("the run has ended, and its modules have got no water");
      }
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }
}
