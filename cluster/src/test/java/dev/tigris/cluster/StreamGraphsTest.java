package dev.tigris.cluster;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.testing.PartContract;
import dev.tigris.flow.testing.PartReport;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The graphs of flows, with their stages split over two processes, or over two exchanges of one
/// JVM as if they were.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StreamGraphsTest {
  private static final StreamOptions OPTIONS =
      StreamOptions.DEFAULT.withSlotBytes(8192).withPatience(Duration.ofSeconds(60));
  private static final int PARTS = 2;

  /// How the replicas are divided: in turn, or stage by stage.
  enum Division {
    REPLICAS,
    STAGES,
    STAGES_REVERSED;

    Placement placement(FlowGraph graph) {
      List<String> stages = graph.stages().stream().map(FlowGraph.Stage::name).toList();
      return switch (this) {
        case REPLICAS -> Placement.spread(graph, PARTS);
        case STAGES -> replica -> stages.indexOf(replica.name()) % PARTS;
        case STAGES_REVERSED -> replica -> (stages.indexOf(replica.name()) + 1) % PARTS;
      };
    }
  }

  private static String any(String provider) {
    return provider.equals("shm") ? "*" : "127.0.0.1:0";
  }

  private static void runInTwoExchanges(
      PartContract.Check check, Division division, String provider, Path folders) throws Exception {
    Path folder = Files.createTempDirectory(folders, "check");
    check.prepare(folder);
    PartReport report = new PartReport();
    try (Fabric fabric = Fabric.open(provider);
        Exchange first = new Exchange(1, 0, OPTIONS);
        Exchange second = new Exchange(1, 0, OPTIONS)) {
      List<Exchange> exchanges = List.of(first, second);
      for (Exchange each : exchanges) {
        String _ = each.listen(fabric, any(provider));
      }
      List<Reach> all = exchanges.stream().map(Exchange::reach).toList();
      List<FlowRun> runs = new ArrayList<>();
      for (int self = 0; self < PARTS; self++) {
        Flow flow = check.flow(folder, report);
        Placement placement = division.placement(flow.graph());
        runs.add(flow.start(exchanges.get(self).part(flow, placement, self, all)));
      }
      for (FlowRun run : runs) {
        report.await(run);
      }
    }
    check.verify(folder, report);
  }

  @AfterEach
  void requireNoMemory() {
    StreamMemory.requireNone();
  }

  private static DynamicTest test(
      PartContract.Check check, Division division, String provider, Path folder) {
    return DynamicTest.dynamicTest(
        "%s, %s over %s".formatted(check, division, provider),
        () -> runInTwoExchanges(check, division, provider, folder));
  }

  @TestFactory
  Stream<DynamicTest> twoPartsKeepTheContract(@TempDir Path folder) {
    return some().map(check -> test(check, Division.REPLICAS, "shm", folder));
  }

  /// One of each sort.
  private static Stream<PartContract.Check> some() {
    Set<String> sorts = new HashSet<>();
    return PartContract.checks().stream()
        .filter(check -> sorts.add(check.name().split("[, ]", -1)[0]));
  }

  @Slow("runs each graph over each provider, divided in three ways")
  @TestFactory
  Stream<DynamicTest> twoPartsKeepTheContractInAllWays(@TempDir Path folder) {
    return Stream.of("tcp", "shm", "uring")
        .flatMap(
            provider ->
                Stream.of(Division.values())
                    .flatMap(
                        division ->
                            PartContract.checks().stream()
                                .map(check -> test(check, division, provider, folder))));
  }

  // -- Two JVMs.

  private static Child start(Division division, String provider, Path folder, int self) {
    return Jvm.of(Part.class)
        .quick()
        .command("" + self, division.name(), provider, folder.toString())
        .start();
  }

  /// Runs several graphs, one after the other, in two JVMs.
  private static void runInTwoProcesses(
      List<PartContract.Check> checks, Division division, String provider, Path folders)
      throws IOException {
    List<Child> children = new ArrayList<>();
    for (int self = 0; self < PARTS; self++) {
      children.add(start(division, provider, folders, self));
    }
    for (PartContract.Check check : checks) {
      Path folder = Files.createDirectory(folders.resolve(check.name()));
      check.prepare(folder);
      children.forEach(child -> child.say(check.name()));
      List<String> reach = children.stream().map(StreamGraphsTest::said).toList();
      children.forEach(child -> reach.forEach(child::say));
      PartReport report = new PartReport();
      for (Child child : children) {
        for (String line = said(child); !line.isEmpty(); line = said(child)) {
          report.add(line);
        }
      }
      try {
        check.verify(folder, report);
      } catch (AssertionError e) {
        throw new AssertionError(check + ": " + e.getMessage(), e);
      }
    }
    for (Child child : children) {
      child.endInput();
      child.outcome().expect(0);
    }
  }

  /// The next line that is not of the log.
  private static String said(Child child) {
    for (String line = child.nextLine(); line != null; line = child.nextLine()) {
      if (line.startsWith(Part.SAYS)) {
        return line.substring(Part.SAYS.length());
      }
    }
    throw new AssertionError("it has ended: " + child.outcome());
  }

  @Test
  void twoProcessesKeepTheContract(@TempDir Path folder) throws Exception {
    List<PartContract.Check> some =
        Stream.of(
                "waysThatPartMeetAgain",
                "watersOfAllSizesStayInOrder",
                "aModuleThatEndsEarlyEndsThoseThatFeedIt",
                "aFailureEndsAllParts, middle")
            .map(PartContract::check)
            .toList();
    runInTwoProcesses(some, Division.REPLICAS, "tcp", folder);
  }

  @Slow("runs each graph in two JVMs, over each provider")
  @TestFactory
  Stream<DynamicTest> twoProcessesKeepTheContractOverAllProviders(@TempDir Path folders) {
    return Stream.of("tcp STAGES", "shm REPLICAS", "uring STAGES_REVERSED")
        .map(
            way ->
                DynamicTest.dynamicTest(
                    way,
                    () -> {
                      String[] words = way.split(" ", -1);
                      runInTwoProcesses(
                          PartContract.checks(),
                          Division.valueOf(words[1]),
                          words[0],
                          Files.createDirectory(folders.resolve(words[0])));
                    }));
  }

  /// One of two processes: `self division provider folder`. It reads the name of a graph, tells
  /// where it listens, reads where both do, runs its part, and tells what it has seen.
  static final class Part {
    static final String SAYS = "part: ";

    private Part() {}

    public static void main(String[] arguments) throws Exception {
      int self = Integer.parseInt(arguments[0]);
      Division division = Division.valueOf(arguments[1]);
      Path folders = Path.of(arguments[3]);
      try (Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
          Fabric fabric = Fabric.open(arguments[2])) {
        for (int run = 1; input.hasNextLine(); run++) {
          PartContract.Check check = PartContract.check(input.nextLine());
          PartReport report = new PartReport();
          Flow flow = check.flow(folders.resolve(check.name()), report);
          try (Exchange exchange = new Exchange(run, 0, OPTIONS)) {
            String _ = exchange.listen(fabric, any(arguments[2]));
            System.out.println(SAYS + exchange.reach());
            List<Reach> all = List.of(Reach.of(input.nextLine()), Reach.of(input.nextLine()));
            Placement placement = division.placement(flow.graph());
            report.await(flow.start(exchange.part(flow, placement, self, all)));
          }
          report.lines().forEach(line -> System.out.println(SAYS + line));
        }
      }
      StreamMemory.requireNone();
    }
  }
}
