package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A run on two hosts, which are network namespaces.
@Slow("starts JVMs in network namespaces")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostNamespacesTest {
  @TempDir private Path folder;

  /// A worker, until its input ends: key, folder of runs, address.
  static final class Works {
    private Works() {}

    public static void main(String[] arguments) throws Exception {
      Consumer<String> says = line -> System.err.println(line);
      try (HostWorker worker =
          HostWorker.start(
              Path.of(arguments[0]), List.of(), Path.of(arguments[1]), arguments[2], says)) {
        System.out.println(worker.address());
        int _ = System.in.read();
      }
    }
  }

  /// A coordinator: hosts, key, folder of runs.
  static final class Coordinates {
    private Coordinates() {}

    public static void main(String[] arguments) throws Exception {
      Cluster hosts =
          Cluster.hosts(Path.of(arguments[0]), Path.of(arguments[1]))
              .withCode(List.of(Jvm.location(Sums.class)))
              .withRuns(Path.of(arguments[2]));
      System.out.println(hosts.start(Sums.class, "5000").await().number("sum"));
    }
  }

  @Test
  void aStreamGoesFromHostToHost() throws Exception {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      HostKeys keys = HostKeys.init(folder.resolve("keys"));
      Path coordinator = keys.coordinator("coordinator", 1);
      StringBuilder lines = new StringBuilder();
      for (TwoHosts.Host host : List.of(hosts.near(), hosts.far())) {
        Path key = keys.worker(List.of(host.address()), 1);
        Path runs = folder.resolve(host.name());
        Child worker =
            host.on(
                    Jvm.of(Works.class)
                        .quick()
                        .command(key.toString(), runs.toString(), "0.0.0.0:7411"))
                .errorsApart()
                .start();
        assertEquals("0.0.0.0:7411", worker.nextLine(), worker::printed);
        lines.append(host.address()).append(":7411\n");
      }
      Path file = Files.writeString(folder.resolve("hosts"), lines);
      Child run =
          hosts
              .near()
              .on(
                  Jvm.of(Coordinates.class)
                      .quick()
                      .command(
                          file.toString(),
                          coordinator.toString(),
                          folder.resolve("runs").toString()))
              .start();
      assertEquals(String.valueOf(Sums.expected(5000)), run.nextLine(), run::printed);
      run.outcome().expect(0);
    }
  }
}
