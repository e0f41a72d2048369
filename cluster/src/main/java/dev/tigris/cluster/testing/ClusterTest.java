package dev.tigris.cluster.testing;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// Runs a program in a test, on threads and on processes of this host. The runs have a folder of
/// their own, which is deleted at the end, unless a check has failed.
///
/// ```java
/// @Test
/// void addsUpOnAnyNumberOfProcesses() throws Exception {
///   try (ClusterTest cluster = ClusterTest.open()) {
///     Results results = cluster.equalResults(Totals.class, "trades.csv");
///     assertEquals(42, results.number("sum"));
///     cluster.survivesLoss(Totals.class, "trades.csv");
///   }
/// }
/// ```
///
/// Thread rule: one thread.
public final class ClusterTest implements AutoCloseable {
  private static final int[] COUNTS = {1, 3};
  private static final Duration SLICE = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path runs;
  private boolean hasFailed;

  private ClusterTest(Path runs) {
    this.runs = runs;
  }

  /// Makes the folder for the runs of a test.
  public static ClusterTest open() throws IOException {
    return new ClusterTest(Files.createTempDirectory("tigris-test"));
  }

  /// Returns a cluster of so many processes, whose runs belong to this test.
  public Cluster processes(int count) {
    return Cluster.processes(count).withRuns(runs);
  }

  /// Runs a program on threads, on one process, and on three, and compares the numbers among their
  /// results.
  ///
  /// @param words its arguments; what it writes, it writes three times
  /// @return the results on threads
  /// @throws AssertionError if they differ
  /// @throws RunException if a run has failed
  public Results equalResults(Class<? extends FlowProgram> program, String... words)
      throws RunException, InterruptedException {
    Results expected = Cluster.threads().start(program, words).await();
    for (int count : COUNTS) {
      Results results = awaited(processes(count).start(program, words));
      if (!results.numbers().equals(expected.numbers())) {
        throw failure(
            "%s has the results %s on threads, and %s on %d processes: does a module add up in a static field, or does its work depend on its process?"
                .formatted(program.getName(), expected.numbers(), results.numbers(), count));
      }
    }
    return expected;
  }

  /// Runs a program on three processes, kills one when its modules work, and expects the run to be
  /// tried again with success.
  ///
  /// @return the results of the second attempt
  /// @throws AssertionError if the run has ended before a process could be killed
  /// @throws RunException if the run has failed
  public Results survivesLoss(Class<? extends FlowProgram> program, String... words)
      throws RunException, InterruptedException {
    ClusterRun run = processes(COUNTS[1]).withAttempts(2).start(program, words);
    while (run.progress().calls() == 0) {
      if (run.await(SLICE)) {
        throw failure(
            "%s was over before a process could be killed: give it more to do"
                .formatted(program.getName()));
      }
    }
    workers(run).stream().findFirst().ifPresent(ProcessHandle::destroyForcibly);
    Results results = awaited(run);
    if (run.progress().attempt() == 1) {
      throw failure(
          "%s was over before the end of a process was noticed: give it more to do"
              .formatted(program.getName()));
    }
    return results;
  }

  private Results awaited(ClusterRun run) throws RunException, InterruptedException {
    try {
      return run.await();
    } catch (RunException e) {
      hasFailed = true; // its folder has what the processes have printed
      throw e;
    }
  }

  private AssertionError failure(String message) {
    hasFailed = true;
    return new AssertionError("%s (its runs are in %s)".formatted(message, runs));
  }

  private static List<ProcessHandle> workers(ClusterRun run) {
    return workers(run.folder().orElseThrow());
  }

  /// Returns the processes whose command line names a folder.
  private static List<ProcessHandle> workers(Path folder) {
    return ProcessHandle.current()
        .children()
        .filter(each -> each.info().commandLine().orElse("").contains(folder.toString()))
        .toList();
  }

  /// Checks that no process of a run is left, and deletes the folder of the runs.
  ///
  /// @throws AssertionError if a process is left
  @Override
  public void close() throws IOException {
    for (ProcessHandle each : workers(runs)) {
      try {
        var _ = each.onExit().get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        throw failure("process %d of a run is left".formatted(each.pid()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (ExecutionException e) {
        throw new IllegalStateException("an exit is no failure", e);
      }
    }
    if (!hasFailed) {
      try (Stream<Path> files = Files.walk(runs)) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    }
  }
}
