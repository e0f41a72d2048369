package dev.tigris.bench.runs;

import dev.tigris.cluster.run.Cluster;
import java.nio.file.Path;
import java.time.Duration;

/// A process that runs [FirstWater]: how many processes, the folder of runs, that of the notes, and
/// maybe the AOT cache of the workers.
final class StartMain {
  private StartMain() {}

  public static void main(String[] arguments) throws Exception {
    int processes = Integer.parseInt(arguments[0]);
    Cluster cluster =
        processes == 0
            ? Cluster.threads()
            : Cluster.processes(processes).withRuns(Path.of(arguments[1]));
    cluster = cluster.withHangLimit(Duration.ofMinutes(5)); // nothing hangs here
    cluster = arguments.length > 3 ? cluster.withAotCache(Path.of(arguments[3])) : cluster;
    var _ = cluster.start(FirstWater.class, arguments[2]).await();
  }
}
