package dev.tigris.cli;

import dev.tigris.cli.demo.SlowProcess;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;

/// `tigris demo cluster`: one flow on four processes, one of which is slow, and then one of which
/// is killed.
final class ClusterDemo {
  private static final int PROCESSES = 4;
  private static final long WATERS = 8_000;
  private static final long QUICK_WATERS = 1_600;
  private static final int BAR = 40;
  private static final Duration SLICE = Duration.ofMillis(20);

  /// More than the one that is lost here, and longer than usual: the demo also runs on a host that
  /// has much else to do.
  private static final int ATTEMPTS = 4;

  private static final Duration HANG_LIMIT = Duration.ofSeconds(30);

  private final Cluster cluster;
  private final String waters;
  private final PrintStream out;

  /// @param runs the folder for the folders of the runs
  ClusterDemo(Path runs, boolean isQuick, PrintStream out) {
    this.cluster = Cluster.processes(PROCESSES).withRuns(runs).withHangLimit(HANG_LIMIT);
    this.waters = String.valueOf(isQuick ? QUICK_WATERS : WATERS);
    this.out = out;
  }

  void run() throws RunException, InterruptedException {
    out.printf(
        "1. One flow on %d processes, one of them slow%n%n"
            + "  Each process makes waters and works on waters, a millisecond for each, and 8 in%n"
            + "  process %d. The reservoir sends a water to whichever process has room.%n%n",
        PROCESSES, PROCESSES - 1);
    show(ended(cluster.start(SlowProcess.class, waters)));
    out.printf(
        "%n2. A process is killed, and the run is tried again%n%n"
            + "  The other processes notice it, the attempt is given up, and the run is tried%n"
            + "  again. Results of the first attempt do not count.%n%n");
    Set<ProcessHandle> others = ProcessHandle.current().children().collect(Collectors.toSet());
    ClusterRun run = cluster.withAttempts(ATTEMPTS).start(SlowProcess.class, waters);
    kill(run, others);
    Results results = ended(run);
    out.printf("  attempt %d has ended well:%n%n", run.progress().attempt());
    show(results);
    out.printf(
        "%n3. Try next%n%n"
            + "  ./tigris example ManyTrades         a program of your own looks like it%n"
            + "  ./tigris help run                   runs a jar on processes%n");
  }

  private static Results ended(ClusterRun run) throws RunException, InterruptedException {
    try {
      return run.await();
    } catch (InterruptedException e) {
      run.cancel();
      try {
        return run.await();
      } catch (CancellationException cancelled) {
        throw e;
      }
    }
  }

  private void show(Results results) {
    long most =
        results.numbers().entrySet().stream()
            .filter(each -> each.getKey().startsWith(SlowProcess.OF_PROCESS))
            .mapToLong(each -> each.getValue())
            .max()
            .orElse(1);
    for (int process = 0; process < PROCESSES; process++) {
      long its = results.number(SlowProcess.OF_PROCESS + process);
      String bar = "#".repeat((int) (BAR * its / Math.max(1, most)));
      out.printf("  process %d  %-" + BAR + "s %,6d waters%n", process, bar, its);
    }
    out.printf("  %,d waters in all%n", results.number(SlowProcess.WATERS));
  }

  /// Kills a process of a run when its modules have been called.
  private void kill(ClusterRun run, Set<ProcessHandle> others)
      throws RunException, InterruptedException {
    while (run.progress().calls() == 0) {
      if (run.await(SLICE)) {
        return; // it was too quick
      }
    }
    List<ProcessHandle> workers =
        ProcessHandle.current().children().filter(each -> !others.contains(each)).toList();
    if (!workers.isEmpty()) {
      ProcessHandle victim = workers.get(workers.size() / 2);
      boolean _ = victim.destroyForcibly();
      out.printf("  killed process %d of the system (SIGKILL)%n", victim.pid());
    }
  }
}
