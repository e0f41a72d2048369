package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    HostWorker made =
        HostWorker.start(workerKey, List.of(), folder.resolve(name), "127.0.0.1:0", said::add);
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
    ProcessHandle process =
        ProcessHandle.current()
            .children()
            .filter(each -> each.info().commandLine().orElse("").contains("cluster.run.Main"))
            .findFirst()
            .orElseThrow();
    assertTrue(process.destroyForcibly());
    assertEquals(Sums.expected(5000), run.await().number("sum"));
    assertEquals(2, run.progress().attempt());
  }

  @Test
  void aCoordinatorOfAnotherAuthorityIsRefused() throws Exception {
    Path other = HostKeys.init(keys.resolve("theirs")).coordinator("coordinator", 1);
    RunException failure = refused(other);
    assertTrue(failure.getMessage().contains("is of another authority"), failure.getMessage());
  }

  @Test
  void aRevokedCoordinatorIsRefused() throws Exception {
    HostKeys ours = HostKeys.open(keys.resolve("ours"));
    Path taken = folder.resolve("taken.key");
    Path _ = Files.copy(ours.coordinator("thief", 1), taken);
    assertEquals(1, ours.revoke("thief").size());
    try {
      RunException failure = refused(taken);
      assertTrue(failure.getMessage().contains("the key is revoked"), failure.getMessage());
    } finally {
      Files.delete(ours.revokedFile());
    }
  }

  private RunException refused(Path key) throws IOException {
    Cluster hosts = hosts(key, worker("one"));
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
    int port = Integer.parseInt(one.address().replaceFirst(".*:", ""));
    for (int i = 0; i < 100; i++) {
      try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
        stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        int _ = stranger.getInputStream().read(); // an alert of TLS
      } catch (IOException e) {
        // it was closed
      }
    }
    Wait.until("a stranger was told of", () -> !said.isEmpty());
    assertTrue(said.size() <= 2, said::toString);
    assertFalse(said.toString().contains("Exception"), said::toString);
    assertEquals(
        Sums.expected(5000),
        hosts(coordinatorKey, one).start(Sums.class, COUNT).await().number("sum"));
  }
}
