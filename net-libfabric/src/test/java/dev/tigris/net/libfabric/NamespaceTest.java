package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayDeque;
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
@EveryTier("messages: 150, 400, 100,000")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NamespaceTest {
  private static final long BITS_PER_SECOND = 200_000_000;
  private static final int MESSAGES = Tier.choose(150, 400, 100_000);

  private TwoHosts hosts;

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
  void makeTwoHosts() {
    hosts =
        TwoHosts.connectedBy("tbf rate %dbit burst 64kb latency 50ms".formatted(BITS_PER_SECOND));
  }

  @AfterEach
  void removeThem() {
    if (hosts != null) {
      hosts.close();
    }
  }

  @ParameterizedTest
  @MethodSource("providers")
  @Slow("the quick tier has the rate of a cable that is pulled for a while")
  void exchangesMessagesAtTheRateOfTheCable(String provider) {
    exchange(provider, false);
  }

  @ParameterizedTest
  @MethodSource("providers")
  void keepsAConnectionWhoseCableIsPulledForAWhile(String provider) {
    exchange(provider, true);
  }

  private void exchange(String provider, boolean pull) {
    String near = hosts.near().address();
    Command sends = Jvm.of(Sender.class).quick().command(provider, near).errorsApart();
    Command echoes = Jvm.of(ProcessContract.Echo.class).quick().command(provider);
    try (Child sender = hosts.near().on(sends).start()) {
      String address = sender.nextLine();
      assertNotNull(address, "it does not listen");
      assertTrue(address.startsWith(near), address);
      Child echo = hosts.far().on(echoes).start();
      echo.say(ProcessContract.CONNECTS + " 42 " + address);
      sender.expectLine("half");
      if (pull) {
        hosts.far().pullCable();
        assertFalse(sender.endsWithin(Duration.ofSeconds(1))); // as long as the cable is out
        hosts.far().plugCable();
      }
      String[] result = String.valueOf(sender.nextLine()).split(" ", -1);
      double seconds = Long.parseLong(result[1]) / 1e9;
      double bits = 8.0 * Long.parseLong(result[0]);
      assertTrue(seconds > 0.8 * bits / BITS_PER_SECOND, "in " + seconds + " s");
      sender.outcome().expect(0);
      echo.outcome().expect(0);
    }
  }
}
