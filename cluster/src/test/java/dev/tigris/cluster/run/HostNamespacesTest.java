package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A run on two hosts, which are network namespaces.
@Slow("starts JVMs in network namespaces")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostNamespacesTest {
  private static final String COUNT = "1500";
  private static final String SUM = String.valueOf(Sums.expected(1500));

  @TempDir private Path folder;

  private final Map<TwoHosts.Host, Child> workers = new ConcurrentHashMap<>();

  /// A coordinator that gives up what is silent for two seconds: `hosts key runs words...`. It
  /// prints the sum, and how many attempts that took.
  static final class Coordinates {
    private Coordinates() {}

    public static void main(String[] arguments) throws Exception {
      Cluster hosts =
          Cluster.hosts(Path.of(arguments[0]), Path.of(arguments[1]))
              .withCode(List.of(Jvm.location(Sums.class)))
              .withHangLimit(Duration.ofSeconds(2))
              .withRuns(Path.of(arguments[2]));
      String[] words = List.of(arguments).subList(3, arguments.length).toArray(String[]::new);
      ClusterRun run = hosts.start(Sums.class, words);
      long sum = run.await().number("sum");
      System.out.println(sum);
      System.out.println(run.progress().attempt());
    }
  }

  /// Starts a worker on both hosts, and a coordinator on the near one.
  private Child run(TwoHosts hosts, String... words) throws Exception {
    HostKeys keys = HostKeys.init(folder.resolve("keys"));
    Path coordinator = keys.coordinator("coordinator", 1);
    StringBuilder lines = new StringBuilder();
    for (TwoHosts.Host host : List.of(hosts.near(), hosts.far())) {
      Path key = keys.worker(List.of(host.address()), 1);
      Path runs = folder.resolve(host.name());
      Child worker =
          host.on(
                  Jvm.of(WorksHere.class)
                      .quick()
                      .command(key.toString(), runs.toString(), "0.0.0.0:7411"))
              .errorsApart()
              .start();
      workers.put(host, worker);
      lines.append(host.address()).append(":7411\n");
    }
    workers.values().forEach(each -> each.expectLine("0.0.0.0:7411"));
    Path file = Files.writeString(folder.resolve("hosts"), lines);
    List<String> all =
        new ArrayList<>(
            List.of(file.toString(), coordinator.toString(), folder.resolve("runs").toString()));
    all.addAll(List.of(words));
    return hosts
        .near()
        .on(Jvm.of(Coordinates.class).quick().command(all.toArray(String[]::new)))
        .start();
  }

  private static void expect(Child run, int attempts) {
    assertEquals(SUM, run.nextLine(), run::printed);
    assertEquals(String.valueOf(attempts), run.nextLine(), run::printed);
    run.outcome().expect(0);
  }

  @Test
  void aStreamGoesFromHostToHostOverASlowCable() throws Exception {
    try (TwoHosts hosts = TwoHosts.connectedBy("tbf rate 20mbit burst 32kb latency 50ms")) {
      expect(run(hosts, COUNT), 1);
    }
  }

  @Test
  void aRunIsTriedAgainWhenTheCableWasPulled() throws Exception {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      Path hangs = folder.resolve("hangs");
      Child run = run(hosts, COUNT, "hangs", hangs.toString());
      Wait.until("the source hangs", () -> Files.exists(hangs));
      hosts.far().pullCable();
      Child far = workers.get(hosts.far());
      Wait.until(
          () -> "the process there fences itself",
          Duration.ofSeconds(20),
          () -> far.handle().children().findAny().isEmpty());
      hosts.far().plugCable();
      expect(run, 2);
    }
  }
}
