package dev.tigris.message;

import static dev.tigris.message.RawPackets.DATA;
import static dev.tigris.message.RawPackets.HEADER_BYTES;
import static dev.tigris.message.RawPackets.REFUSAL;
import static dev.tigris.message.RawPackets.greeting;
import static dev.tigris.message.RawPackets.packet;
import static dev.tigris.message.RawPackets.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Peers that do not keep to the protocol: they are refused or given up, and others are served.
class StrangerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long CONNECTION_TAG = 0x5449_4752_4953_414dL;
  private static final long BULK_TAG = 0x5449_4752_4953_424bL;
  private static final int BULK_REQUEST = 5;
  private static final long TAG = 4711;

  private final Fabric fabric = Fabric.open("tcp");
  private final CompletionQueue queue = fabric.completionQueue();
  private Party server;
  private String address;

  @BeforeEach
  void listen() {
    server = new Party(Options.DEFAULT.withPayloadBytes(4096), "tcp");
    address =
        server.call(
            () -> {
              Endpoint at = server.bundle().endpoint("server", TAG);
              at.errorHandler(returned -> {});
              at.handler(1, (token, message) -> token.reply(1, message.words()));
              return server.bundle().listen("tcp", "127.0.0.1:0");
            });
  }

  @AfterEach
  void close() {
    queue.close();
    fabric.close();
    server.close();
  }

  private VirtualInterface connect() {
    return connect(CONNECTION_TAG, 8192);
  }

  private VirtualInterface connect(long tag, int maximum) {
    Attributes attributes = Attributes.DEFAULT.withMaximumMessageBytes(maximum);
    return fabric.connect(address, tag, queue, attributes, PATIENCE).get();
  }

  /// Greets, and returns the text of the refusal.
  private String refusal(byte[] greeting) {
    VirtualInterface link = connect();
    Ticket memory = link.register(Jbuf.allocate(8192, "test").asBytes());
    link.postReceive(memory).orThrow();
    send(link, greeting);
    Descriptor next = queue.await(PATIENCE);
    while (next != null && next.isSend()) {
      next = queue.await(PATIENCE);
    }
    assertNotNull(next, "nothing arrives");
    byte[] answer = new byte[(int) next.transferredBytes()];
    ((Bytes) memory.view()).copyTo(0, answer, 0, answer.length);
    ByteBuffer packet = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(REFUSAL, packet.get(3));
    int length = packet.getInt(HEADER_BYTES + 8);
    link.abort();
    return new String(answer, HEADER_BYTES + 12, length, StandardCharsets.UTF_8);
  }

  @Test
  void refusesVersionsThatItDoesNotSpeakAndNamesBoth() {
    String text = refusal(greeting(7, 9, "server", TAG));
    assertTrue(text.contains("7 to 9") && text.contains("3 to 3"), text);
  }

  @Test
  void refusesNamesAndTagsThatItDoesNotHave() {
    assertTrue(refusal(greeting(3, 3, "nothing", TAG)).contains("name"));
    assertTrue(refusal(greeting(3, 3, "server", TAG + 1)).contains("tag"));
  }

  @Test
  void holdsNoMemoryForThousandsOfNamesThatItDoesNotHave() {
    int count = Tier.choose(100, 3_000, 3_000);
    for (int i = 0; i < count; i++) {
      VirtualInterface link = connect();
      send(link, greeting(3, 3, "a stale name " + i, TAG));
      link.abort();
      while (queue.poll() != null) {
        // it comes back flushed
      }
    }
    Wait.until(
        () -> "it is held: " + Jbuf.use(),
        PATIENCE,
        () -> {
          System.gc();
          return Jbuf.use().bytesByOwner().getOrDefault("messages", 0L) == 0;
        });
    serves();
  }

  @Test
  void takesFewConnectionsThatHaveNotGreeted() {
    Attributes attributes = Attributes.DEFAULT.withMaximumMessageBytes(8192);
    List<VirtualInterface> silent = new ArrayList<>();
    int rejected = 0;
    for (int i = 0; i < 300; i++) {
      switch (fabric.connect(address, CONNECTION_TAG, queue, attributes, PATIENCE)) {
        case Connection.Established(VirtualInterface link) -> silent.add(link);
        case Connection.Refused refused -> {
          assertEquals(Connection.Reason.REJECTED, refused.reason());
          rejected++;
        }
      }
    }
    assertEquals(44, rejected, "256 may be without a greeting");
    silent.forEach(VirtualInterface::abort);
    Wait.until(
        "the others have left",
        () -> {
          try {
            serves();
            return true;
          } catch (MessageException e) {
            return false;
          }
        });
  }

  @Test
  void aTransferThatIsNotWholeTakesNoBuffer() {
    Endpoint[] at = new Endpoint[1];
    server.run(
        () -> {
          at[0] = server.bundle().endpoint("pool", TAG);
          at[0].errorHandler(returned -> {});
          at[0].supply(List.of(Jbuf.allocate(4096, "pool"), Jbuf.allocate(4096, "pool")));
        });
    for (int i = 0; i < 3; i++) {
      VirtualInterface link = connect();
      send(link, greeting(3, 3, "pool", TAG));
      ByteBuffer frame = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
      frame.putInt(BULK_REQUEST | 1 << 16).putInt(8).putLong(1);
      frame.putLong(1_000).putLong(0).putLong(-1).putLong(7); // the last part, and 992 are missing
      send(link, packet(DATA, 0, frame.array()));
      Ticket memory = link.register(Jbuf.allocate(8192, "test").asBytes());
      Descriptor next = memory;
      while (link.state() == InterfaceState.CONNECTED) { // until the server ends it
        if (memory.equals(next)) {
          Posting _ = link.postReceive(memory);
        }
        next = queue.await(PATIENCE);
        assertNotNull(next, "the connection stays");
      }
    }
    assertEquals(2, server.call(() -> at[0].freeBuffers()));
  }

  @Test
  void servesOthersBetweenTheBytesOfASlowWriter() throws Exception {
    try (ByteByByte slow = new ByteByByte(HostAndPort.of(address).port());
        Party writer = new Party(Options.DEFAULT, "tcp");
        Party other = new Party(Options.DEFAULT, "tcp")) {
      int[] replies = new int[1];
      Endpoint from = other.call(() -> other.bundle().endpoint("other", 1));
      other.run(
          () -> {
            from.handler(1, (token, message) -> replies[0]++);
            from.map(0, "tcp", address, "server", TAG, PATIENCE);
          });
      FutureTask<Boolean> writing =
          writer.start(
              () -> {
                Endpoint its = writer.bundle().endpoint("slow", 1);
                its.map(0, "tcp", slow.address(), "server", TAG, PATIENCE);
                its.request(0, 1, new long[0], Jbuf.allocate(200, "test").asBytes(), 0, 200);
                return its.drain(PATIENCE);
              });
      int bytes = 0;
      while (!writing.isDone()) {
        if (!slow.passOne()) {
          continue;
        }
        bytes++;
        int before = replies[0];
        other.run(
            () -> {
              from.request(0, 1);
              while (replies[0] == before) {
                boolean _ = other.bundle().await(PATIENCE); // false after a wake
              }
            });
      }
      assertTrue(writing.get());
      assertTrue(bytes > 200, bytes + " bytes have passed");
    }
  }

  @Test
  @Slow("a peer that says nothing is given up after five seconds")
  void givesUpAPeerThatNeverGreets() {
    VirtualInterface link = connect();
    Ticket memory = link.register(Jbuf.allocate(8192, "test").asBytes());
    link.postReceive(memory).orThrow();
    byte[] whole = greeting(3, 3, "server", TAG);
    send(link, Arrays.copyOf(whole, whole.length - 8)); // half a frame
    Descriptor next = queue.await(PATIENCE);
    while (next != null && next.isSend()) {
      next = queue.await(PATIENCE);
    }
    assertNotNull(next, "the connection stays");
    assertEquals(Status.FLUSHED, next.status());
    serves();
  }

  private void serves() {
    try (Party client = new Party(Options.DEFAULT, "tcp")) {
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 1);
            from.map(0, "tcp", address, "server", TAG, PATIENCE);
            from.request(0, 1);
            assertTrue(from.drain(PATIENCE));
          });
    }
  }

  /// Over a connection for bulk transfers: garbage, greetings for no session, and too much.
  @Test
  void closesAConnectionForBulkTransfersThatBelongsToNoSession() {
    for (byte[] first :
        new byte[][] {new byte[48], new byte[1], new byte[8192], packet(9, 1, new byte[0])}) {
      VirtualInterface link = connect(BULK_TAG, 1 << 20);
      Ticket memory = link.register(Jbuf.allocate(64, "test").asBytes());
      link.postReceive(memory).orThrow();
      send(link, first);
      Descriptor next = queue.await(PATIENCE);
      while (next != null && next.isSend()) {
        next = queue.await(PATIENCE);
      }
      assertNotNull(next, "it stays open");
      assertEquals(Status.FLUSHED, next.status());
      link.abort();
    }
    serves();
  }

  @Test
  void closesAConnectionForBulkTransfersThatTakesNoPiece() {
    VirtualInterface link = connect(BULK_TAG, 8192);
    link.postReceive(link.register(Jbuf.allocate(64, "test").asBytes())).orThrow();
    Descriptor next = queue.await(PATIENCE);
    assertNotNull(next, "it stays open");
    assertEquals(Status.FLUSHED, next.status());
    link.abort();
    serves();
  }

  @Test
  void servesOthersAfterGarbage() {
    SplittableRandom random = new SplittableRandom(5);
    byte[] whole = greeting(3, 3, "server", TAG);
    for (int i = 0; i < 200; i++) {
      VirtualInterface link = connect();
      switch (i % 4) {
        case 0 -> {
          byte[] noise = new byte[random.nextInt(600)];
          random.nextBytes(noise);
          send(link, noise);
        }
        case 1 -> {
          byte[] damaged = whole.clone();
          damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
          send(link, damaged);
        }
        default -> {
          send(link, whole);
          byte[] body = new byte[8 * random.nextInt(1, 40)];
          random.nextBytes(body);
          body[0] = (byte) random.nextInt(10);
          body[1] = (byte) random.nextInt(20);
          send(link, packet(i % 4 == 2 ? DATA : random.nextInt(10), random.nextInt(3), body));
        }
      }
      link.abort();
      while (queue.poll() != null) {
        // it comes back flushed
      }
    }
    serves();
  }
}
