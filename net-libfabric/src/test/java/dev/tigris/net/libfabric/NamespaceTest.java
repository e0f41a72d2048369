package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.testing.ProcessContract;
import dev.tigris.net.testing.Side;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Two hosts: network namespaces with a cable between them that carries 200 Mbit/s. What reaches
/// another host reaches this one.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NamespaceTest {
  private static final String NEAR = "tigris-near-" + ProcessHandle.current().pid();
  private static final String FAR = "tigris-far-" + ProcessHandle.current().pid();
  private static final String NEAR_ADDRESS = "10.213.71.1";
  private static final String FAR_ADDRESS = "10.213.71.2";
  private static final long BITS_PER_SECOND = 200_000_000;
  private static final int MESSAGES = 400;

  /// Listens, sends numbered messages with checksums to whoever connects, and checks what comes
  /// back.
  static final class Sender {
    private final ArrayDeque<Ticket> free = new ArrayDeque<>();
    private final SplittableRandom random = new SplittableRandom(1);
    private int sent;
    private int returned;
    private long bytes;

    public static void main(String[] arguments) throws Exception {
      try (Fabric fabric = Fabric.open(arguments[0]);
          Listener listener = fabric.listen(arguments[1] + ":0");
          CompletionQueue queue = fabric.completionQueue()) {
        System.out.println(listener.address());
        ConnectionRequest request = listener.next(Duration.ofSeconds(100));
        VirtualInterface peer = request.accept(queue, Attributes.DEFAULT);
        long start = System.nanoTime();
        long bytes = new Sender().exchange(peer, queue);
        System.out.println(bytes + " " + (System.nanoTime() - start));
        peer.close();
      }
    }

    private long exchange(VirtualInterface peer, CompletionQueue queue) {
      for (int i = 0; i < 16; i++) {
        Ticket memory = peer.register(Jbuf.allocate(ProcessContract.BYTES).asBytes());
        peer.postReceive(memory).orThrow();
        free.add(peer.register(Jbuf.allocate(ProcessContract.BYTES).asBytes()));
      }
      while (returned < MESSAGES) {
        while (sent < MESSAGES && !free.isEmpty() && sent - returned < 16) {
          send(peer, free.remove());
        }
        Ticket next = (Ticket) queue.await(Side.LONG_NANOS);
        assertNotNull(next, "nothing comes any more");
        assertEquals(Status.DONE, next.status(), () -> String.valueOf(peer.failure()));
        if (next.isSend()) {
          free.add(next);
        } else {
          check(next);
          peer.postReceive(next).orThrow();
        }
      }
      return bytes;
    }

    private void send(VirtualInterface peer, Ticket message) {
      int length = 8 + random.nextInt(ProcessContract.BYTES - 8);
      Bytes content = Side.bytes(message);
      for (int at = 8; at < length; at += 64) {
        content.set(at, (byte) random.nextInt());
      }
      content.setInt(4, sent);
      content.setInt(0, checksum(content, length));
      peer.postSend(message.range(0, length)).orThrow();
      bytes += length;
      sent++;
      if (sent == MESSAGES / 2) {
        System.out.println("half");
      }
    }

    private void check(Ticket message) {
      Bytes content = Side.bytes(message);
      assertEquals(returned, content.getInt(4));
      assertEquals(checksum(content, message.transferredBytes()), content.getInt(0));
      returned++;
    }

    private static int checksum(Bytes bytes, long length) {
      CRC32C crc = new CRC32C();
      crc.update(bytes.byteBuffer().limit((int) length).position(4));
      return (int) crc.getValue();
    }
  }

  /// All that can be used here, but what stays on one host; also those that the best one for such a
  /// cable is not among.
  static Stream<String> providers() {
    return Fabric.candidates("127.0.0.1").stream()
        .map(Fabric.Candidate::name)
        .filter(name -> !name.equals("shm"))
        .filter(name -> Fabric.provider(name).obstacle().isEmpty());
  }

  @BeforeEach
  void makeTwoHosts() throws Exception {
    String uid = output("id", "-u");
    assumeTrue(uid.equals("0"), "network namespaces need root");
    for (String tool : new String[] {"ip", "tc"}) {
      assumeTrue(
          output("sh", "-c", "command -v " + tool + " || true").contains(tool),
          "there is no " + tool + ": install iproute2");
    }
    for (String line : configuration()) {
      String wrong = output(line.split(" ", -1));
      assumeTrue(wrong.isEmpty(), () -> "network namespaces cannot be made here: " + wrong);
    }
  }

  private static List<String> configuration() {
    List<String> lines = new ArrayList<>();
    lines.add("ip netns add " + NEAR);
    lines.add("ip netns add " + FAR);
    lines.add("ip link add eth0 netns %s type veth peer name eth0 netns %s".formatted(NEAR, FAR));
    lines.add("ip -n %s addr add %s/24 dev eth0".formatted(NEAR, NEAR_ADDRESS));
    lines.add("ip -n %s addr add %s/24 dev eth0".formatted(FAR, FAR_ADDRESS));
    for (String host : new String[] {NEAR, FAR}) {
      lines.add("ip -n %s link set eth0 up".formatted(host));
      lines.add(
          "tc -n %s qdisc add dev eth0 root tbf rate %dbit burst 64kb latency 50ms"
              .formatted(host, BITS_PER_SECOND));
    }
    return lines;
  }

  @AfterEach
  void removeThem() throws Exception {
    for (String host : new String[] {NEAR, FAR}) {
      String unused = output("sh", "-c", "ip netns del " + host + " || true");
      assertNotNull(unused);
    }
  }

  /// What a command prints; nothing if it prints nothing.
  private static String output(String... command) throws Exception {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    return code == 0 || !text.isBlank() ? text.strip() : "it ended with " + code;
  }

  private static Process run(String host, Class<?> main, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", host));
    command.addAll(ProcessContract.command(main, arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @ParameterizedTest
  @MethodSource("providers")
  void exchangesMessagesAtTheRateOfTheCable(String provider) throws Exception {
    exchange(provider, false);
  }

  @ParameterizedTest
  @MethodSource("providers")
  void keepsAConnectionWhoseCableIsPulledForAWhile(String provider) throws Exception {
    exchange(provider, true);
  }

  private static void exchange(String provider, boolean pull) throws Exception {
    Process sender = run(NEAR, Sender.class, provider, NEAR_ADDRESS);
    try (BufferedReader lines = sender.inputReader(StandardCharsets.UTF_8)) {
      String address = lines.readLine();
      assertNotNull(address, "it does not listen");
      assertTrue(address.startsWith(NEAR_ADDRESS), address);
      Process echo = run(FAR, ProcessContract.Echo.class, provider);
      ProcessContract.order(echo, ProcessContract.CONNECTS, 42, address);
      assertEquals("half", lines.readLine());
      if (pull) {
        assertEquals("", output("ip", "-n", FAR, "link", "set", "eth0", "down"));
        assertFalse(sender.waitFor(1, TimeUnit.SECONDS)); // as long as the cable is out
        assertEquals("", output("ip", "-n", FAR, "link", "set", "eth0", "up"));
      }
      String[] result = lines.readLine().split(" ", -1);
      double seconds = Long.parseLong(result[1]) / 1e9;
      double bits = 8.0 * Long.parseLong(result[0]);
      assertTrue(seconds > 0.8 * bits / BITS_PER_SECOND, "in " + seconds + " s");
      assertEquals(0, sender.waitFor());
      assertEquals(0, echo.waitFor());
    }
  }
}
