package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.host.HostKey;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Strangers connect to all ports at which the processes of a run on hosts listen, with garbage,
/// with halves of messages, with keys of others, and with a wrong token: the run goes on, and is
/// not tried again.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class StrangersAtPortsTest {
  private static final int COUNT = 400;
  private static final int PATIENCE_MILLIS = 2000;
  private static final int INODE = 9;
  private static final String LISTENS = "0A";

  /// Bytes without a key: no TLS, the beginning of a TLS record, one of a length that is wrong,
  /// and nothing.
  private static final List<byte[]> PLAIN =
      List.of(
          "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
          new byte[] {0x16, 3, 1, 2, 0, 1},
          new byte[] {0x16, 3, 1, -1, -1, 1, 2, 3},
          new byte[0]);

  /// Bytes behind a key: zeros, ones, a length of much that never comes, and nothing.
  private static final List<byte[]> SECURE =
      List.of(
          new byte[64], new byte[] {-1, -1, -1, -1, -1}, new byte[] {0, 1, 0, 0, 7}, new byte[0]);

  @TempDir private Path folder;

  private final List<Socket> open = new ArrayList<>();

  @Test
  void doNotDisturbARun() throws Exception {
    HostKeys ours = HostKeys.init(folder.resolve("ours"));
    Path worker = ours.worker(List.of("127.0.0.1"), 1);
    HostKey coordinator = HostKey.load(ours.coordinator("coordinator", 1));
    HostKey other = HostKey.load(HostKeys.init(folder.resolve("theirs")).coordinator("c", 1));
    Path here = folder.resolve("here");
    Path go = folder.resolve("go");
    Path outputs = Files.createDirectory(folder.resolve("outputs"));
    long own = ProcessHandle.current().pid();
    Set<Integer> before = ports(own);
    try (HostWorker host =
        HostWorker.start(worker, List.of(), folder.resolve("there"), "127.0.0.1:0", line -> {})) {
      Path hosts = Files.write(folder.resolve("hosts"), List.of(host.address(), host.address()));
      ClusterRun run =
          Cluster.hosts(hosts, coordinator.file())
              .withCode(List.of(Jvm.location(Numbered.class)))
              .withRuns(folder.resolve("runs"))
              .start(
                  Numbered.class,
                  outputs.toString(),
                  String.valueOf(COUNT),
                  here.toString(),
                  go.toString());
      Wait.until("the run runs", () -> Files.exists(here));
      Set<Integer> ports = ports(own);
      ports.removeAll(before);
      assertTrue(ports.size() >= 2, () -> "the worker and the coordinator listen: " + ports);
      for (ProcessHandle each : ProcessHandle.current().children().toList()) {
        Set<Integer> its = ports(each.pid());
        assertTrue(its.size() >= 2, () -> each.info() + " listens for messages and streams " + its);
        ports.addAll(its);
      }
      for (int port : ports) {
        disturb(port, List.of(coordinator, HostKey.load(worker), other));
      }
      guessToken(folder.resolve("there"));
      Path _ = Files.createFile(go);
      var _ = run.await();
      assertEquals(1, run.progress().attempt());
      Numbered.requireAll(outputs, COUNT);
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }

  /// Returns the ports of TCP at which a process listens.
  private static Set<Integer> ports(long process) throws IOException {
    Set<String> sockets = new HashSet<>();
    try (Stream<Path> all = Files.list(Path.of("/proc", String.valueOf(process), "fd"))) {
      for (Path each : all.toList()) {
        try {
          sockets.add(Files.readSymbolicLink(each).toString());
        } catch (IOException e) {
          // it was closed meanwhile
        }
      }
    }
    Set<Integer> ports = new TreeSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
        String[] fields = line.strip().split(" +", -1);
        if (fields[3].equals(LISTENS) && sockets.contains("socket:[" + fields[INODE] + "]")) {
          ports.add(Integer.parseInt(fields[1].substring(fields[1].lastIndexOf(':') + 1), 16));
        }
      }
    }
    return ports;
  }

  private void disturb(int port, List<HostKey> keys) throws IOException {
    for (byte[] each : PLAIN) {
      Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
      open.add(plain); // half of them stay open as long as the run
      plain.getOutputStream().write(each);
      if (open.size() % 2 == 0) {
        plain.close();
      }
    }
    for (HostKey key : keys) {
      for (HostKey.Role role : HostKey.Role.values()) {
        for (byte[] each : key.equals(keys.getFirst()) ? SECURE : SECURE.subList(0, 1)) {
          say(key, role, port, each);
        }
      }
    }
  }

  private void say(HostKey key, HostKey.Role role, int port, byte[] message) throws IOException {
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(plain);
    plain.setSoTimeout(PATIENCE_MILLIS);
    try {
      Socket secure =
          key.context(role)
              .getSocketFactory()
              .createSocket(plain, "127.0.0.1", port, open.size() % 2 == 0);
      open.add(secure);
      secure.getOutputStream().write(message);
    } catch (IOException e) {
      // its key is not welcome there
    }
  }

  /// Connects to the coordinator as a worker that does not know the token.
  private static void guessToken(Path runs) throws IOException {
    Path run;
    try (Stream<Path> all = Files.list(runs)) {
      run = all.findFirst().orElseThrow();
    }
    Contact contact = Contact.of(RunFolder.read(RunFolder.control(run)));
    long wrong = contact.token() + 1;
    Duration patience = Duration.ofMillis(PATIENCE_MILLIS);
    try (ControlLink link =
        new ControlLink(contact.network().messages(), "worker-0.1", wrong, patience)) {
      String _ = Objects.requireNonNull(link.listen(contact.network()));
      String why =
          String.valueOf(link.map(0, contact.address(), ControlLink.COORDINATOR, wrong, patience));
      assertTrue(why.contains("another tag"), why);
    }
  }
}
