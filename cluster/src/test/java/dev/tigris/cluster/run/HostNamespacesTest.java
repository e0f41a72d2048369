package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A run on two hosts, which are network namespaces.
@Slow("starts JVMs in network namespaces")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostNamespacesTest {
  private static final String COUNT = "1500";
  private static final String SUM = String.valueOf(Sums.expected(1500));

  @TempDir private static Path keyFolder;

  private static @Nullable HostKeys keys;
  private static Path coordinatorKey = Path.of("");

  @TempDir private Path folder;

  private final Map<TwoHosts.Host, Child> workers = new ConcurrentHashMap<>();

  /// A coordinator that gives up what is silent for so long: `hosts key runs seconds words...`. It
  /// prints the sum, and how many attempts that took.
  static final class Coordinates {
    private Coordinates() {}

    public static void main(String[] arguments) throws Exception {
      Cluster hosts =
          Cluster.hosts(Path.of(arguments[0]), Path.of(arguments[1]))
              .withCode(List.of(Jvm.location(Sums.class)))
              .withHangLimit(Duration.ofSeconds(Long.parseLong(arguments[3])))
              .withRuns(Path.of(arguments[2]));
      String[] words = List.of(arguments).subList(4, arguments.length).toArray(String[]::new);
      ClusterRun run = hosts.start(Sums.class, words);
      long sum = run.await().number("sum");
      System.out.println(sum);
      System.out.println(run.progress().attempt());
    }
  }

  /// The hosts of all tests have the same two addresses.
  private static Path key(TwoHosts.Host host) throws IOException {
    HostKeys made = keys;
    if (made == null) {
      made = HostKeys.init(keyFolder.resolve("ours"));
      coordinatorKey = made.coordinator("coordinator", 1);
      keys = made;
    }
    Path key = keyFolder.resolve("ours").resolve("worker-" + host.address() + ".key");
    return Files.exists(key) ? key : made.worker(List.of(host.address()), 1);
  }

  /// Starts a worker on both hosts, and a coordinator on the near one.
  ///
  /// @param hangSeconds the hang limit
  private Child run(TwoHosts hosts, int hangSeconds, String... words) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (TwoHosts.Host host : List.of(hosts.near(), hosts.far())) {
      Path key = key(host);
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
            List.of(file.toString(), coordinatorKey.toString(), folder.resolve("runs").toString()));
    all.add(String.valueOf(hangSeconds));
    all.addAll(List.of(words));
    return hosts
        .near()
        .on(Jvm.of(Coordinates.class).quick().command(all.toArray(String[]::new)))
        .errorsApart() // they say why a run is tried again
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
      expect(run(hosts, 10, COUNT), 1);
    }
  }

  /// The trouble of the cable. The coordinator is on the near host, whose orders are lost if that
  /// is mute, and the reports of the far host's process if that one is.
  enum Trouble {
    PULLED,
    NEAR_IS_MUTE,
    FAR_IS_MUTE;

    void begin(TwoHosts hosts) {
      switch (this) {
        case PULLED -> hosts.far().pullCable();
        case NEAR_IS_MUTE -> hosts.near().beMute();
        case FAR_IS_MUTE -> hosts.far().beMute();
      }
    }

    void end(TwoHosts hosts) {
      switch (this) {
        case PULLED -> hosts.far().plugCable();
        case NEAR_IS_MUTE -> hosts.near().speakAgain();
        case FAR_IS_MUTE -> hosts.far().speakAgain();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRunIsTriedAgainWhenPacketsVanish(Trouble trouble) throws Exception {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      Path hangs = folder.resolve("hangs");
      Child run = run(hosts, 4, COUNT, "hangs", hangs.toString());
      Wait.until("the source hangs", () -> Files.exists(hangs));
      trouble.begin(hosts);
      Child far = workers.get(hosts.far());
      Wait.until(
          () -> "the process there fences itself",
          Duration.ofSeconds(30),
          () -> far.handle().children().findAny().isEmpty());
      trouble.end(hosts);
      expect(run, 2);
    }
  }
}
