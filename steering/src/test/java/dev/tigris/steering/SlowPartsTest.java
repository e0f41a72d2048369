package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.HostWorker;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.FaultyDisk;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs over processes that are slow for each cause, and what is said of them.
@Slow("starts JVMs, and looks at each run for seconds")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SlowPartsTest {
  private static final int LOOKS = 6;
  private static final int WATER_BYTES = 32 << 10;
  private static final long MILLI = 1_000_000;

  @TempDir private Path folder;

  /// Passes waters from process 0 to process 1 until it is cancelled: `slow part [file]`.
  public static final class Passing implements FlowProgram {
    @Override
    public Flow describe(Arguments arguments) {
      String slow = arguments.word(0);
      Flow.Builder passing =
          Flow.named("passing")
              .source("read", () -> new Maker(slow.equals("read")))
              .reservoir(Reservoir.lottery().withWindow(16))
              .stage(
                  "work",
                  () ->
                      (in, out) -> {
                        if (slow.equals("work")) {
                          take(2 * MILLI);
                        }
                        if (slow.equals("disk")) {
                          out.put(in);
                        }
                      });
      return slow.equals("disk")
          ? passing.drain("work", FileStream.writing(Path.of(arguments.word(1)))).build()
          : passing.build();
    }

    @Override
    public Placement place(FlowGraph graph, Arguments arguments) {
      return Placement.spread(graph, arguments.processes()).with("read", 0).with("work", 1);
    }
  }

  private static void take(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  /// Puts ten waters in each call, and takes long for it if it is slow.
  private record Maker(boolean isSlow) implements Source {
    private static final int WATERS = 10;

    @Override
    public boolean produce(Stream out) {
      if (isSlow) {
        take(20 * MILLI);
      }
      for (int i = 0; i < WATERS; i++) {
        Water water = out.spring().createWater(WATER_BYTES);
        out.put(water);
      }
      return true;
    }
  }

  /// The load of a run at several moments.
  private static List<Map<String, ?>> looks(ClusterRun run, int count) throws Exception {
    List<Map<String, ?>> seen = new ArrayList<>();
    try (ControlServer _ = ControlServer.start(run)) {
      RunClient client = RunClient.of(run.folder().orElseThrow());
      Wait.until(
          "the load is known",
          () -> {
            Map<String, ?> now = client.get("/api/v1/load").members();
            boolean isNew =
                seen.isEmpty() || !seen.getLast().get("replicas").equals(now.get("replicas"));
            if (isNew && now.get("culprit") != null) {
              seen.add(now);
            }
            return seen.size() == count;
          });
    } finally {
      run.cancelAndAwait();
    }
    return seen.subList(1, count); // the first one has the beginning in it
  }

  private static String culprit(Map<String, ?> load) {
    Map<?, ?> culprit = (Map<?, ?>) load.get("culprit");
    return culprit.get("stage") + " " + culprit.get("cause") + ": " + culprit.get("reason");
  }

  private static double of(Map<String, ?> load, String stage, String name) {
    return ((List<?>) load.get("replicas"))
        .stream()
            .map(each -> (Map<?, ?>) each)
            .filter(each -> each.get("stage").equals(stage))
            .mapToDouble(each -> ((Number) each.get(name)).doubleValue())
            .findFirst()
            .orElseThrow();
  }

  private List<Map<String, ?>> run(String... words) throws Exception {
    List<Map<String, ?>> looks =
        looks(
            Cluster.processes(2).withRuns(folder.resolve("runs")).start(Passing.class, words),
            LOOKS);
    for (Map<String, ?> each : looks) {
      System.out.println(culprit(each));
      for (String stage : List.of("read", "work")) {
        double sum = 0;
        for (String part : List.of("busy", "disk", "waitsForInput", "waitsForCredit")) {
          sum += of(each, stage, part);
        }
        assertEquals(1, sum, 0.01, each::toString);
      }
    }
    return looks;
  }

  @Test
  void aWriterOnASlowDiskIsLimitedByIt() throws Exception {
    try (FaultyDisk disk = FaultyDisk.in(folder)) {
      disk.faults("slow=20");
      for (Map<String, ?> each : run("disk", disk.folder().resolve("out").toString())) {
        assertTrue(culprit(each).startsWith("work disk: read waits for credit"), culprit(each));
        assertTrue(of(each, "work", "disk") > 0.7, each::toString);
        assertTrue(of(each, "work", "network") < 0.1, each::toString);
      }
    }
  }

  @Test
  void aSlowReceiverIsNeitherADiskNorANetwork() throws Exception {
    for (Map<String, ?> each : run("work")) {
      assertTrue(culprit(each).startsWith("work module: read waits for credit"), culprit(each));
      assertEquals(0, of(each, "work", "disk"));
      assertTrue(of(each, "work", "network") < 0.1, each::toString);
    }
  }

  @Test
  void aSlowSenderThatPutsManyAtOnceIsNoNetwork() throws Exception {
    for (Map<String, ?> each : run("read")) {
      assertTrue(culprit(each).startsWith("read module: work waits for its input"), culprit(each));
      assertTrue(of(each, "work", "network") < 0.2, each::toString);
    }
  }

  /// A worker of a host: `key runs address`.
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

  /// Coordinates a run on hosts, and prints what it sees: `hosts key runs`.
  static final class Coordinates {
    private Coordinates() {}

    public static void main(String[] arguments) throws Exception {
      Cluster hosts =
          Cluster.hosts(Path.of(arguments[0]), Path.of(arguments[1]))
              .withCode(List.of(Jvm.location(Passing.class)))
              .withRuns(Path.of(arguments[2]));
      for (Map<String, ?> each : looks(hosts.start(Passing.class, "link"), LOOKS)) {
        System.out.printf(
            "%.2f %.2f %s%n",
            of(each, "work", "network"), of(each, "work", "waitsForInput"), culprit(each));
      }
    }
  }

  @Test
  void aSlowCableIsANetwork() throws Exception {
    HostKeys keys = HostKeys.init(folder.resolve("keys"));
    Path own = keys.coordinator("coordinator", 1);
    try (TwoHosts hosts = TwoHosts.connectedBy("tbf rate 20mbit burst 32kb latency 50ms")) {
      List<Child> workers = new ArrayList<>();
      StringBuilder lines = new StringBuilder();
      for (TwoHosts.Host host : List.of(hosts.near(), hosts.far())) {
        Path key = keys.worker(List.of(host.address()), 1);
        String runs = folder.resolve(host.name()).toString();
        workers.add(
            host.on(Jvm.of(Works.class).quick().command(key.toString(), runs, "0.0.0.0:7412"))
                .errorsApart()
                .start());
        lines.append(host.address()).append(":7412\n");
      }
      workers.forEach(each -> each.expectLine("0.0.0.0:7412"));
      Path file = Files.writeString(folder.resolve("hosts"), lines);
      String runs = folder.resolve("runs").toString();
      Child run =
          hosts
              .near()
              .on(Jvm.of(Coordinates.class).quick().command(file.toString(), own.toString(), runs))
              .errorsApart()
              .start();
      for (int i = 1; i < LOOKS; i++) {
        String line = run.nextLine();
        System.out.println(line);
        assertTrue(
            line.matches(
                "(0\\.[5-9]|1\\.0).* work network: read waits for credit .*; waters to work\\[0\\] in"
                    + " process 1 are on their way from process 0 .*"),
            line);
      }
      run.outcome().expect(0);
    }
  }
}
