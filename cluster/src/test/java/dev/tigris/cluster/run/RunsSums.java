package dev.tigris.cluster.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/// A process that runs [Sums] on processes, for tests that end it or its workers: the folder of the
/// runs, how many processes, how many attempts, and the program's arguments. It prints the folder
/// of the run, and then its results, or how it failed.
final class RunsSums {
  /// Short, since tests wait for it.
  static final Duration HANG = Duration.ofMillis(2500);

  /// The property that names an AOT cache.
  static final String CACHE = "test.cache";

  private RunsSums() {}

  public static void main(String[] arguments) throws Exception {
    Cluster cluster =
        Cluster.processes(Integer.parseInt(arguments[1]))
            .withAttempts(Integer.parseInt(arguments[2]))
            .withHangLimit(HANG)
            .withRuns(Path.of(arguments[0]));
    String cache = System.getProperty(CACHE);
    cluster = cache == null ? cluster : cluster.withAotCache(Path.of(cache));
    ClusterRun run = cluster.start(Sums.class, Arrays.copyOfRange(arguments, 3, arguments.length));
    System.out.println(run.folder().orElseThrow());
    try {
      System.out.println(run.await().number("sum"));
    } catch (RunException e) {
      System.out.println(e.kind() + " " + e.attempts() + " " + e.getMessage());
    }
  }
}
