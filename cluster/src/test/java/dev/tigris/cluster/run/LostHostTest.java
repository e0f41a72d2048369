package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.flow.Flow;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Workers of hosts that are killed or stopped while they have processes of a run.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LostHostTest {
  private static final long HANG_SECONDS = 4;
  private static final RunId RUN = new RunId(0x5eed, 1);

  @TempDir private static Path keys;

  private static Path workerKey;
  private static HostKey coordinatorKey;

  @TempDir private Path folder;

  @BeforeAll
  static void makeKeys() throws Exception {
    HostKeys made = HostKeys.init(keys.resolve("ours"));
    workerKey = made.worker(List.of("127.0.0.1"), 1);
    coordinatorKey = HostKey.load(made.coordinator("coordinator", 1));
  }

  private final List<Child> workers = new ArrayList<>();

  private Child worker(String name, String address) {
    Child made =
        Jvm.of(WorksHere.class)
            .quick()
            .command(workerKey.toString(), folder.resolve(name).toString(), address)
            .errorsApart()
            .start();
    workers.add(made);
    return made;
  }

  @AfterEach
  void end() {
    for (Child each : workers) {
      if (each.isAlive()) {
        each.endInput();
        assertEquals(0, each.exitCode());
      }
    }
  }

  private static String address(Child worker) {
    return Objects.requireNonNull(worker.nextLine(), worker::printed);
  }

  @Test
  void aRunGoesOnWithAHostWhoseWorkerWasKilledAndStartedAgain() throws Exception {
    Child one = worker("one", "127.0.0.1:0");
    Child other = worker("other", "127.0.0.1:0");
    String killed = address(other);
    Path hangs = folder.resolve("hangs");
    ClusterRun run =
        cluster(address(one), killed).start(Sums.class, "3000", "hangs", hangs.toString());
    Wait.until("the source hangs", () -> Files.exists(hangs));
    List<ProcessHandle> left = other.handle().children().toList();
    assertEquals(1, left.size());
    other.kill();
    Child again = worker("other", killed);
    assertEquals(Sums.expected(3000), run.await().number("sum"), again::printed);
    assertEquals(2, run.progress().attempt());
    Wait.until("its process ends", () -> left.stream().noneMatch(ProcessHandle::isAlive));
  }

  /// What happens in place of the look at the outputs, when all have voted.
  private interface Disturbance {
    void look(Host host, Epoch epoch) throws IOException;
  }

  /// Starts a program that writes, on one process of each address.
  private ClusterRun writing(Path out, List<String> addresses, Disturbance disturbance)
      throws Exception {
    List<HostAddress> lines = addresses.stream().map(HostAddress::parse).toList();
    List<Path> code = List.of(Jvm.location(Writes.class));
    Arguments looking =
        Arguments.looking(
            List.of(out.toString()),
            lines.size(),
            2,
            1L,
            Instant.now(),
            new FilePlaces.OneHost(lines.size()));
    Described described = Programs.describe(Writes.class, looking);
    Arguments settled = looking.settled();
    long second = TimeUnit.SECONDS.toNanos(1);
    Launch launch =
        new Launch(
            RUN,
            3,
            4,
            Writes.class.getName(),
            settled,
            described,
            Fingerprint.ofContent(code),
            new Limits(lines.size(), 1, second / 4, HANG_SECONDS * second, second, 60 * second));
    RunFolder made = RunFolder.make(folder.resolve("runs"), RUN, settled.time(), Map.of());
    HostLinks links = HostLinks.connect(lines, coordinatorKey, code);
    Network network = new Network.Hosts(coordinatorKey, "127.0.0.1", "127.0.0.1");
    Coordinator coordinator =
        new Coordinator(
            launch,
            made,
            network,
            deaths -> new Disturbed(new RemoteHost(links, launch, made, deaths), disturbance));
    return ProcessesRun.start(coordinator, made.path());
  }

  /// A host to whose worker something happens when all have voted.
  private record Disturbed(Host host, Disturbance disturbance) implements Host {
    @Override
    public void start(Epoch epoch, int count) throws IOException {
      host.start(epoch, count);
    }

    @Override
    public void kill(Epoch epoch, int worker) {
      host.kill(epoch, worker);
    }

    @Override
    public void stop(Epoch epoch) {
      host.stop(epoch);
    }

    @Override
    public boolean awaitEnd(Epoch epoch, Duration timeout) throws InterruptedException {
      return host.awaitEnd(epoch, timeout);
    }

    @Override
    public void beforeDecision(Epoch epoch) throws IOException {
      disturbance.look(host, epoch);
    }

    @Override
    public List<String> nameFor(Epoch epoch, int worker) {
      return host.nameFor(epoch, worker);
    }

    @Override
    public void close() {
      host.close();
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  private RunRecovery recovery(String runs) throws IOException {
    return RunRecovery.of(RunRecovery.find(folder.resolve(runs), RUN.toString()).getFirst());
  }

  @Test
  void outputsOfAHostThatIsGoneAfterTheVotesAreRecoveredThere() throws Exception {
    Path out = Files.createDirectory(folder.resolve("out"));
    Child one = worker("one", "127.0.0.1:0");
    Child other = worker("other", "127.0.0.1:0");
    List<ProcessHandle> lost = new ArrayList<>();
    ClusterRun run =
        writing(
            out,
            List.of(address(one), address(other)),
            (host, epoch) -> {
              host.beforeDecision(epoch);
              lost.addAll(other.handle().children().toList());
              other.kill();
              Wait.until("voters leave", () -> lost.stream().noneMatch(ProcessHandle::isAlive));
            });
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.OUTPUT, failure.kind(), failure::getMessage);
    String told = failure.getMessage();
    assertTrue(told.contains("out-1") && told.contains("--publish 1' on that host"), told);
    assertEquals(2, names(out).stream().filter(each -> each.startsWith("out-")).count());

    try (RunRecovery here = recovery("runs")) {
      assertEquals(1, Objects.requireNonNull(here.decided()).attempt());
      assertTrue(here.elsewhere().toString().contains("out-1"), here.elsewhere()::toString);
    }
    try (RunRecovery there = recovery("other")) {
      assertTrue(String.valueOf(there.askedElsewhere()).contains(RUN.toString()));
      assertThrows(IllegalStateException.class, there::finish);
      RunRecovery.Result result = there.decide(1);
      assertEquals(1, result.named());
      assertEquals(List.of(), result.unnamed());
    }
    assertEquals(List.of("out-0", "out-1", "out-2"), names(out));
    try (RunRecovery here = recovery("runs")) {
      assertEquals(List.of(), here.finish().unnamed());
      assertEquals(List.of(), here.elsewhere());
    }
  }

  @Test
  void aWorkerThatWasStoppedIsNamedAndServesTheNextRun() throws Exception {
    Path out = Files.createDirectory(folder.resolve("out"));
    Child one = worker("one", "127.0.0.1:0");
    String address = address(one);
    ClusterRun run =
        writing(
            out,
            List.of(address),
            (host, epoch) -> {
              one.pause();
              try {
                host.beforeDecision(epoch);
              } finally {
                one.resume();
              }
            });
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.LOST, failure.kind(), failure::getMessage);
    String told = failure.getMessage();
    assertTrue(told.contains("the worker at %s has not answered".formatted(address)), told);
    assertEquals(List.of(), names(out));

    cluster(address).start(Writes.class, out.toString()).await();
    assertEquals(List.of("out-0", "out-1", "out-2"), names(out));
  }

  /// A program that asks a worker about a file, just after the worker's process has been killed:
  /// `PROCESS`.
  public static final class Loses implements FlowProgram {
    /// Makes the program.
    public Loses() {}

    @Override
    public Flow describe(Arguments arguments) {
      ProcessHandle worker = ProcessHandle.of(Long.parseLong(arguments.word(0))).orElseThrow();
      assertTrue(worker.destroyForcibly());
      ProcessHandle _ = worker.onExit().join();
      try {
        throw new AssertionError(arguments.processesWith(Path.of("file")).toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e); // as programs do
      }
    }
  }

  @Test
  void aHostThatIsLostAsFilesAreAskedForIsNamed() throws Exception {
    Child one = worker("one", "127.0.0.1:0");
    Child other = worker("other", "127.0.0.1:0");
    String lost = address(other);
    Cluster cluster = cluster(address(one), lost);
    String process = String.valueOf(other.handle().pid());
    RunException failure =
        assertThrows(RunException.class, () -> cluster.start(Loses.class, process));
    assertEquals(RunException.Kind.START, failure.kind(), failure::getMessage);
    assertTrue(failure.getMessage().contains("the worker at " + lost), failure::getMessage);
  }

  private Cluster cluster(String... addresses) throws IOException {
    Path file = Files.write(folder.resolve("hosts"), List.of(addresses));
    return Cluster.hosts(file, coordinatorKey.file())
        .withCode(List.of(Jvm.location(Sums.class)))
        .withRuns(folder.resolve("runs"));
  }
}
