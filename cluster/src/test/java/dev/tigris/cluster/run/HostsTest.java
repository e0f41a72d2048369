package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostClient;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.cluster.run.host.HostMessage.Kind;
import dev.tigris.cluster.run.host.HostRefusedException;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs on workers of hosts, all of which are this one.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostsTest {
  private static final String COUNT = "5000";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// On a busy machine, three JVMs take long to start.
  private static final Duration LONGEST_START = Duration.ofSeconds(60);

  /// What either end says first.
  private static final byte[] GREETING = "TIGRIS-H\0\0\0\1".getBytes(StandardCharsets.US_ASCII);

  @TempDir private static Path keys;

  private static Path workerKey;
  private static Path coordinatorKey;

  @TempDir private Path folder;

  private final List<HostWorker> workers = new ArrayList<>();
  private final Queue<String> said = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void makeKeys() throws Exception {
    HostKeys made = HostKeys.init(keys.resolve("ours"));
    workerKey = made.worker(List.of("127.0.0.1"), 1);
    coordinatorKey = made.coordinator("coordinator", 1);
  }

  @AfterEach
  void end() {
    workers.forEach(HostWorker::close);
  }

  private HostWorker worker(String name) throws IOException {
    return worker(workerKey, name);
  }

  private HostWorker worker(Path key, String name) throws IOException {
    HostWorker made =
        HostWorker.start(key, List.of(), folder.resolve(name), "127.0.0.1:0", said::add);
    workers.add(made);
    return made;
  }

  private Cluster hosts(Path key, HostWorker... all) throws IOException {
    Path file = folder.resolve("hosts");
    List<String> lines = new ArrayList<>(List.of("# the hosts of a test"));
    Stream.of(all).forEach(each -> lines.add(each.address()));
    Path _ = Files.write(file, lines);
    return Cluster.hosts(file, key)
        .withCode(List.of(Jvm.location(Sums.class)))
        .withRuns(folder.resolve("runs"));
  }

  private static void requireOver(Path runs) throws IOException {
    try (Stream<Path> all = Files.list(runs)) {
      for (Path run : all.toList()) {
        assertTrue(Files.exists(run.resolve("over")), run::toString);
      }
    }
  }

  @Test
  void aProgramHasEqualResultsOnHosts() throws Exception {
    HostWorker one = worker("one");
    HostWorker other = worker("other");
    for (int i = 0; i < 2; i++) {
      ClusterRun run = hosts(coordinatorKey, one, other).start(Sums.class, COUNT);
      assertEquals(Sums.expected(5000), run.await().number("sum"), said::toString);
      assertEquals(1, run.progress().attempt());
    }
    end();
    requireOver(folder.resolve("one"));
    requireOver(folder.resolve("other"));
    requireOver(folder.resolve("runs"));
  }

  @Test
  void aGroupHasItsMembersOnHosts() throws Exception {
    Results results =
        hosts(coordinatorKey, worker("one"), worker("other"))
            .group(3, Sharing.class, "adds")
            .await();
    assertEquals(6, results.number("sum"), said::toString);
    assertEquals(3, results.number("members"));
  }

  @Test
  void aMemberOfAGroupThatIsKilledOnItsHostIsTold() throws Exception {
    Path file = folder.resolve("pid");
    HostWorker one = worker("one");
    HostWorker other = worker("other");
    ClusterRun run =
        hosts(coordinatorKey, one, other, one)
            .withAttempts(1)
            .group(3, Sharing.class, "dies", file.toString(), "allReduce");
    Wait.until(
        () -> "member 1 waits: " + said,
        LONGEST_START,
        () -> Files.exists(file) && Files.size(file) > 0);
    long pid = Long.parseLong(Files.readString(file));
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
    RunException failure = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.LOST, failure.kind(), failure::toString);
    assertTrue(failure.toString().contains("worker 1"), failure::toString);
    Wait.until(() -> "all members end", LONGEST_START, () -> processes().isEmpty());
  }

  @Test
  void outputsOnHostsGetTheirNames() throws Exception {
    Path out = Files.createDirectory(folder.resolve("out"));
    hosts(coordinatorKey, worker("one"), worker("other"))
        .start(Writes.class, out.toString())
        .await();
    try (Stream<Path> files = Files.list(out)) {
      assertEquals(
          List.of("out-0", "out-1", "out-2"),
          files.map(each -> each.getFileName().toString()).sorted().toList());
    }
    end();
    requireOver(folder.resolve("runs"));
  }

  @Test
  void aRunIsTriedAgainWhenAProcessOfAHostIsKilled() throws Exception {
    Path hangs = folder.resolve("hangs");
    HostWorker one = worker("one");
    ClusterRun run =
        hosts(coordinatorKey, one, one).start(Sums.class, COUNT, "hangs", hangs.toString());
    Wait.until("the source hangs", () -> Files.exists(hangs));
    assertTrue(processes().getFirst().destroyForcibly());
    assertEquals(Sums.expected(5000), run.await().number("sum"));
    assertEquals(2, run.progress().attempt());
  }

  @Test
  void aCoordinatorOfAnotherAuthorityIsRefused() throws Exception {
    Path other = HostKeys.init(keys.resolve("theirs")).coordinator("coordinator", 1);
    RunException failure = refused(other, worker("one"));
    assertTrue(failure.getMessage().contains("is of another authority"), failure.getMessage());
  }

  @Test
  void aRevokedCoordinatorIsRefusedByHostsThatARunHasReachedSince() throws Exception {
    HostKeys ours = HostKeys.open(keys.resolve("ours"));
    Path taken = folder.resolve("taken.key");
    Path _ = Files.copy(ours.coordinator("thief", 1), taken);
    assertEquals(1, ours.revoke("thief").size());
    Path away = Files.createDirectory(folder.resolve("away"));
    Path key = Files.copy(workerKey, away.resolve("worker.key"));
    try {
      HostWorker one = worker(key, "one");
      requireRun(one);
      assertTrue(said.toString().contains("took the list of revoked keys"), said::toString);
      RunException failure = refused(taken, one);
      assertTrue(failure.getMessage().contains("the key is revoked"), failure::getMessage);
      Wait.until(said::toString, PATIENCE, () -> said.toString().contains("CN=thief"));
    } finally {
      Files.delete(ours.revokedFile());
    }
  }

  private RunException refused(Path key, HostWorker worker) throws IOException {
    Cluster hosts = hosts(key, worker);
    RunException failure = assertThrows(RunException.class, () -> hosts.start(Sums.class, COUNT));
    assertEquals(RunException.Kind.START, failure.kind());
    return failure;
  }

  @Test
  void aJarThatTheHostDoesNotHaveIsNamed() throws Exception {
    Path jar = Files.writeString(folder.resolve("sums.jar"), "not there");
    Cluster hosts = hosts(coordinatorKey, worker("one")).withCode(List.of(jar));
    RunException failure = assertThrows(RunException.class, () -> hosts.start(Sums.class, COUNT));
    assertEquals(RunException.Kind.DIFFERENCE, failure.kind());
    assertTrue(failure.getMessage().contains("there is no sums.jar"), failure.getMessage());
  }

  @Test
  void strangersAreTurnedAwayAndToldOnce() throws Exception {
    HostWorker one = worker("one");
    for (int i = 0; i < 10; i++) {
      try (Socket stranger = connected(one)) {
        stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        int _ = stranger.getInputStream().read(); // an alert of TLS
      } catch (IOException e) {
        // it was closed
      }
    }
    Wait.until("a stranger was told of", () -> !said.isEmpty());
    assertTrue(said.size() <= 2, said::toString);
    assertFalse(said.toString().contains("Exception"), said::toString);
    requireRun(one);
  }

  private static Socket connected(HostWorker worker) throws IOException {
    HostAddress address = HostAddress.parse(worker.address());
    return new Socket(InetAddress.getLoopbackAddress(), address.port());
  }

  private void requireRun(HostWorker... all) throws Exception {
    assertEquals(
        Sums.expected(5000),
        hosts(coordinatorKey, all).start(Sums.class, COUNT).await().number("sum"),
        said::toString);
  }

  @Test
  void connectionsThatSayNothingKeepNoCoordinatorOutNorTheEndUp() throws Exception {
    HostWorker one = worker("one");
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        Socket made = connected(one);
        silent.add(made);
        made.getOutputStream().write(0x16); // as TLS begins
      }
      requireRun(one);
      assertTrue(said.toString().contains("it showed no key within"), said::toString);
      long start = System.nanoTime();
      one.close();
      long took = System.nanoTime() - start;
      assertTrue(took < TimeUnit.SECONDS.toNanos(10), () -> took / 1_000_000 + " ms");
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  @Test
  void twoRunsAtOnceAreServedByTheSameWorkers() throws Exception {
    HostWorker one = worker("one");
    HostWorker other = worker("other");
    ClusterRun first = hosts(coordinatorKey, one, other).start(Sums.class, COUNT);
    ClusterRun second = hosts(coordinatorKey, other, one).start(Sums.class, "3000");
    assertEquals(Sums.expected(3000), second.await().number("sum"), said::toString);
    assertEquals(Sums.expected(5000), first.await().number("sum"), said::toString);
  }

  /// Stands in for a coordinator that says what it should not.
  private static HostClient client(HostWorker worker) throws IOException {
    return HostClient.connect(
        HostAddress.parse(worker.address()), HostKey.load(coordinatorKey), PATIENCE);
  }

  private static List<String> facts(int workers, String... more) {
    List<String> facts =
        new ArrayList<>(
            List.of("run", new RunId(1, 2).toString(), "address", "127.0.0.1:1", "token", "1"));
    facts.addAll(List.of("streams", "2", "attempt", "1", "processes", "1", "folder", "/f"));
    facts.addAll(List.of("host", "127.0.0.1", "program", "P", "time", "2026-01-01T00:00:00Z"));
    facts.addAll(List.of("limits", workers + " 3 250000000 2000000000 1000000000 2000000000"));
    facts.addAll(List.of(more));
    return facts;
  }

  private static void requireRefusal(String part, HostClient client, Kind kind, String... texts) {
    String told =
        assertThrows(HostRefusedException.class, () -> client.ask(kind, PATIENCE, List.of(texts)))
            .getMessage();
    assertTrue(told.contains(part), told);
  }

  @Test
  void whatIsNotOfTheRunIsRefused() throws Exception {
    HostWorker one = worker("one");
    try (HostClient client = client(one)) {
      requireRefusal("no run was opened", client, Kind.START, "1", "0");
      requireRefusal("does not say DONE", client, Kind.DONE);
      requireRefusal("does not tell the", client, Kind.OPEN, "run", new RunId(1, 2).toString());
      requireRefusal(
          "a fact of the run is wrong", client, Kind.OPEN, facts(0).toArray(String[]::new));
      List<String> opened = facts(2, "key", "/etc/passwd", "code\nkey=/etc/passwd\n", "x");
      List<String> _ = client.ask(Kind.OPEN, PATIENCE, opened);
      requireRefusal("already", client, Kind.OPEN, opened.toArray(String[]::new));
      requireRefusal("there are 2, from 0", client, Kind.START, "1", "2");
      requireRefusal("there are 2, from 0", client, Kind.START, "1", "-1");
      requireRefusal("", client, Kind.START, "0", "0");
      List<String> _ = client.ask(Kind.START, PATIENCE, List.of("2", "0"));
      requireRefusal("attempt 1 is over", client, Kind.START, "1", "0");
      requireRefusal("each is started once", client, Kind.START, "2", "0");
      requireRefusal("no list of this authority", client, Kind.REVOKED, "AAAA");
      requireRefusal("", client, Kind.REVOKED, "?");
      List<String> _ = client.ask(Kind.STOP, PATIENCE, List.of("2"));
    }
    end();
    try (Stream<Path> runs = Files.list(folder.resolve("one"))) {
      Path run = runs.findFirst().orElseThrow();
      assertFalse(Files.exists(run.resolve("control")), said::toString);
      assertTrue(Files.exists(run.resolve("over")), said::toString);
    }
    assertTrue(processes().isEmpty(), said::toString);
  }

  private static List<ProcessHandle> processes() {
    return ProcessHandle.current()
        .children()
        .filter(each -> each.info().commandLine().orElse("").contains("cluster.run.Main"))
        .toList();
  }

  @Test
  void framesOfACoordinatorThatAreWrongEndItsConnectionAlone() throws Exception {
    HostWorker one = worker("one");
    HostKey key = HostKey.load(coordinatorKey);
    HostAddress address = HostAddress.parse(one.address());
    byte[][] wrong = {{}, {0, 0}, {0x7f, 0, 0, 0}, {0, 0, 0, 9, 99, 0, 0, 0, 0, 0, 0, 0, 0}};
    for (byte[] each : wrong) {
      try (Socket socket = secure(key, connected(one), address)) {
        socket.getOutputStream().write(GREETING);
        socket.getOutputStream().write(each);
        socket.shutdownOutput();
        assertEquals(GREETING.length, socket.getInputStream().readNBytes(100).length);
      }
    }
    requireRun(one);
  }

  private static Socket secure(HostKey key, Socket plain, HostAddress address) throws IOException {
    return key.context(HostKey.Role.WORKER)
        .getSocketFactory()
        .createSocket(plain, address.host(), address.port(), true);
  }

  @Test
  void anotherVersionIsNamed() throws Exception {
    HostKey key = HostKey.load(workerKey);
    try (var listening =
        key.context(HostKey.Role.COORDINATOR)
            .getServerSocketFactory()
            .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (Socket from = listening.accept()) {
                      byte[] greeting = GREETING.clone();
                      greeting[greeting.length - 1] = 2;
                      from.getOutputStream().write(greeting);
                      int _ = from.getInputStream().read();
                    } catch (IOException e) {
                      // the coordinator has closed it
                    }
                  });
      Path file =
          Files.writeString(folder.resolve("hosts"), "127.0.0.1:" + listening.getLocalPort());
      Cluster hosts = Cluster.hosts(file, coordinatorKey);
      RunException failure = assertThrows(RunException.class, () -> hosts.start(Sums.class, COUNT));
      assertTrue(failure.getMessage().contains("version 2 of the protocol"), failure::getMessage);
    }
  }
}
