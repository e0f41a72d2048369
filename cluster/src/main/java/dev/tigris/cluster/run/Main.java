package dev.tigris.cluster.run;

import dev.tigris.cluster.disk.HostFinder;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/// The main class of the processes that [Cluster] starts: of a worker, with its folder, attempt and
/// number, or of one that describes a flow for comparison. Programs do not call it.
public final class Main {
  /// The exit code of a worker that was ended, since its modules did not.
  private static final int FENCED = 70;
  private static final int FAILED = 1;

  private Main() {}

  /// Does its work, and ends the process.
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 1 && arguments[0].equals(Comparison.DESCRIBE)) {
      Comparison.describe(System.in, System.out);
    } else {
      try {
        work(arguments);
      } catch (Throwable e) { // modules that still run would have no lease
        e.printStackTrace();
        Runtime.getRuntime().halt(FAILED);
      }
    }
    System.exit(0);
  }

  private static void work(String[] arguments) throws IOException {
    InputStream lifeline = System.in;
    System.setIn(InputStream.nullInputStream());
    Worker worker;
    try {
      Path folder = Path.of(arguments[0]);
      Map<String, String> control = RunFolder.read(RunFolder.control(folder));
      RunId run = RunId.parse(Contact.need(control, "run"));
      Epoch epoch = new Epoch(run, Integer.parseInt(arguments[1]));
      tellDisks(control, epoch);
      worker =
          new Worker(
              epoch, Integer.parseInt(arguments[2]), folder, Contact.of(control), Main::halt);
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "a process of a run is started by its coordinator, with FOLDER ATTEMPT WORKER, and not with "
              + Arrays.toString(arguments),
          e);
    }
    Thread.ofPlatform()
        .daemon()
        .name("tigris-lifeline")
        .start(() -> awaitCoordinator(lifeline, worker));
    worker.run();
  }

  /// Lets disks of other hosts know this process: by the key of its host, and as a part of the run,
  /// whose processes they keep even.
  private static void tellDisks(Map<String, String> control, Epoch epoch) {
    String key = control.get(Contact.KEY);
    if (key != null) {
      String _ = System.setProperty(HostFinder.KEY_PROPERTY, key);
    }
    long reading = ((long) epoch.run().toString().hashCode() << Integer.SIZE) + epoch.attempt();
    String _ = System.setProperty(HostFinder.READING_PROPERTY, String.valueOf(reading));
  }

  /// Ends the process, since its modules do not end.
  private static void halt() {
    Runtime.getRuntime().halt(FENCED);
  }

  /// The other end of the standard input is the coordinator's: it ends with that process.
  private static void awaitCoordinator(InputStream lifeline, Worker worker) {
    try {
      while (lifeline.read() >= 0) {
        // nothing is sent
      }
    } catch (IOException e) {
      // it has ended, too
    }
    worker.coordinatorDied();
  }
}
