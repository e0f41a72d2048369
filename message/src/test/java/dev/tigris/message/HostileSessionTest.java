package dev.tigris.message;

import static dev.tigris.message.RawPackets.ACKNOWLEDGEMENT;
import static dev.tigris.message.RawPackets.BULK_GREETING;
import static dev.tigris.message.RawPackets.COUNTS;
import static dev.tigris.message.RawPackets.DATA;
import static dev.tigris.message.RawPackets.greeting;
import static dev.tigris.message.RawPackets.kind;
import static dev.tigris.message.RawPackets.longs;
import static dev.tigris.message.RawPackets.packet;
import static dev.tigris.message.RawPackets.send;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.Wait;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Peers that have a session, and then do not keep to the protocol of bulk transfers: the session
/// ends, all memory that it held comes back, and others are served.
class HostileSessionTest {
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMillis(600);
  private static final long CONNECTION_TAG = 0x5449_4752_4953_414dL;
  private static final long BULK_TAG = 0x5449_4752_4953_424bL;
  private static final long TAG = 4711;
  private static final int ECHO = 1;
  private static final int LONG_REPLY = 2;
  private static final int REQUEST_FRAME = 1;
  private static final int OFFERED_REQUEST = 9;
  private static final int LONG_BYTES = 200_000;

  private final Fabric fabric = Fabric.open("tcp");
  private final Fabric shared = Fabric.open("shm");
  private final CompletionQueue queue = fabric.completionQueue();
  private final List<String> ends = new CopyOnWriteArrayList<>();
  private final AtomicInteger freed = new AtomicInteger();
  private final List<Reason> returned = new CopyOnWriteArrayList<>();
  private Party server;
  private String address;
  private String sharedAddress;
  private VirtualInterface link;
  private Ticket memory;
  private boolean isPosted;

  @BeforeEach
  void listen() {
    Options options = Options.DEFAULT.withPayloadBytes(4096).withPatience(PATIENCE);
    server = new Party(options, List.of(fabric, shared));
    address =
        server.call(
            () -> {
              Endpoint at = server.bundle().endpoint("server", TAG);
              at.errorHandler(
                  new ErrorHandler() {
                    @Override
                    public void undelivered(ErrorHandler.Returned message) {
                      returned.add(message.reason());
                    }

                    @Override
                    public void lost(int entry, String why) {
                      ends.add(why);
                    }
                  });
              at.handler(ECHO, (token, message) -> token.reply(ECHO));
              at.handler(
                  LONG_REPLY,
                  (token, message) -> {
                    Bytes payload = Jbuf.allocate(LONG_BYTES, "test").asBytes();
                    Runnable whenFree = freed::incrementAndGet;
                    token.bulk(ECHO, new long[0], payload, 0, LONG_BYTES, whenFree);
                  });
              sharedAddress = server.bundle().listen("shm", "*");
              return server.bundle().listen("tcp", "127.0.0.1:0");
            });
    link = connect(CONNECTION_TAG, 8192);
    memory = link.register(Jbuf.allocate(8192, "test").asBytes());
    send(link, greeting(3, 3, "server", TAG));
    assertEquals(2, kind(receive()), "it is not welcome");
  }

  @AfterEach
  void close() {
    queue.close();
    server.close();
    fabric.close();
    shared.close();
  }

  private VirtualInterface connect(long tag, int maximum) {
    Attributes attributes = Attributes.DEFAULT.withMaximumMessageBytes(maximum);
    return fabric.connect(address, tag, queue, attributes, WAIT).get();
  }

  /// Returns the next packet, if one comes in this time; empty else, and if the session has ended.
  private byte[] next(Duration limit) {
    if (!isPosted && link.postReceive(memory) != Posting.POSTED) {
      return new byte[0];
    }
    isPosted = true;
    Descriptor next = queue.await(limit);
    while (next != null && !memory.equals(next)) {
      next = queue.await(limit);
    }
    isPosted = next == null;
    byte[] packet = new byte[next == null ? 0 : (int) next.transferredBytes()];
    ((Bytes) memory.view()).copyTo(0, packet, 0, packet.length);
    return packet;
  }

  private byte[] receive() {
    byte[] packet = next(WAIT);
    assertTrue(packet.length > 0, "nothing arrives");
    return packet;
  }

  private void awaitEnd(String why) {
    Wait.until("the session ends", () -> ends.size() == 1);
    assertTrue(ends.getFirst().contains(why), () -> ends.getFirst());
    serves();
  }

  private static byte[] offer(long number, long total, long pieceBytes) {
    ByteBuffer frame = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(OFFERED_REQUEST | ECHO << 16).putInt(0).putLong(number);
    return frame.putLong(total).putLong(pieceBytes).putLong(-1).array();
  }

  private static byte[] request(int handler, long number) {
    return ByteBuffer.allocate(16)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(REQUEST_FRAME | handler << 16)
        .putInt(0)
        .putLong(number)
        .array();
  }

  private void serves() {
    try (Party client = new Party(Options.DEFAULT, "tcp")) {
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 1);
            from.handler(ECHO, (token, message) -> {});
            from.map(0, "tcp", address, "server", TAG, WAIT);
            from.request(0, ECHO);
            assertTrue(from.drain(WAIT));
          });
    }
  }

  @Test
  void offersOfMorePiecesThanCanBeCountedEndTheSession() {
    List<byte[]> offers = new ArrayList<>(List.of(offer(1, 1, 1)));
    for (int i = 2; i <= 8; i++) {
      offers.add(offer(i, Long.MAX_VALUE / 4, 1));
    }
    for (int i = 0; i < offers.size(); i++) {
      send(link, packet(DATA, i, offers.get(i)));
    }
    awaitEnd("messages that cannot be");
  }

  @Test
  void countsOfPiecesThatWereNeverOfferedEndTheSession() {
    send(link, packet(COUNTS, 0, longs(1, 1, 1)));
    awaitEnd("never offered");
  }

  /// Connects for bulk transfers, as a peer that keeps to the protocol.
  private VirtualInterface bulk(long number) {
    VirtualInterface second = connect(BULK_TAG, 1 << 20);
    send(second, packet(BULK_GREETING, number, new byte[0]));
    return second;
  }

  /// Waits for counts with as many granted pieces.
  private void awaitGrants(long granted) {
    byte[] packet = receive();
    while (kind(packet) != COUNTS
        || ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(packet, RawPackets.HEADER_BYTES, 8)
                .getLong(0)
            != granted) {
      packet = receive();
    }
  }

  @Test
  void aPieceOfAnotherLengthEndsTheSession() {
    send(link, packet(DATA, 0, offer(1, 60_000, 60_000)));
    VirtualInterface second = bulk(1);
    awaitGrants(1);
    send(second, new byte[59_999]);
    awaitEnd("a piece of another length");
  }

  @Test
  void anOlderInterfaceForBulkTransfersIsClosed() {
    send(link, packet(DATA, 0, offer(1, 60_000, 60_000)));
    VirtualInterface second = bulk(2);
    awaitGrants(1);
    VirtualInterface old = bulk(1);
    Ticket posted = old.register(Jbuf.allocate(64, "test").asBytes());
    old.postReceive(posted).orThrow();
    Wait.until(
        "the old one is closed",
        () -> {
          boolean _ = queue.await(Duration.ofMillis(10)) != null;
          return old.state() != InterfaceState.CONNECTED;
        });
    assertEquals(InterfaceState.CONNECTED, second.state());
    send(second, new byte[60_000]);
    byte[] packet = receive();
    while (kind(packet) != DATA) { // the reply of its handler
      packet = receive();
    }
    assertEquals(List.of(), ends);
  }

  /// Asks for a long reply, and waits until it is offered.
  private void awaitOffer() {
    send(link, packet(DATA, 0, request(LONG_REPLY, 1)));
    byte[] offered = receive();
    while (kind(offered) != DATA) {
      offered = receive();
    }
  }

  /// The server waits for a grant, and so has nothing posted there.
  @Test
  void theEndOfAnInterfaceWithNothingPostedIsNoticed() {
    awaitOffer();
    VirtualInterface second = bulk(1);
    Wait.until("the server has it", () -> server.bundle().describe().contains("over bulk 1"));
    second.abort();
    Wait.until("it knows of the end", () -> server.bundle().describe().contains("over null"));
    serves();
  }

  /// A session's number is no secret from the processes of this machine.
  @Test
  void anInterfaceForBulkTransfersOverAnotherProviderIsClosed() {
    send(link, packet(DATA, 0, offer(1, 60_000, 60_000)));
    try (CompletionQueue other = shared.completionQueue()) {
      Attributes attributes = Attributes.DEFAULT.withMaximumMessageBytes(1 << 20);
      VirtualInterface foreign =
          shared.connect(sharedAddress, BULK_TAG, other, attributes, WAIT).get();
      Ticket posted = foreign.register(Jbuf.allocate(64, "test").asBytes());
      foreign.postReceive(posted).orThrow();
      send(foreign, packet(BULK_GREETING, 1, new byte[0]));
      Wait.until(
          "the foreign one is closed",
          () -> {
            boolean _ = other.await(Duration.ofMillis(10)) != null;
            return foreign.state() != InterfaceState.CONNECTED;
          });
    }
    VirtualInterface own = bulk(1);
    awaitGrants(1);
    assertEquals(InterfaceState.CONNECTED, own.state());
    assertEquals(List.of(), ends);
  }

  /// The counts of a transfer that the peer refuses come before what it returns.
  @Test
  void aTransferThatWasSkippedComesBackOnceIfTheSessionEndsBeforeItIsReturned() {
    awaitOffer();
    send(link, packet(COUNTS, 0, 1, 0, longs(3, 3, 0)));
    Wait.until("the memory of the reply is free", () -> freed.get() == 1);
    assertEquals(List.of(), returned);
    link.abort();
    Wait.until("the reply comes back", () -> !returned.isEmpty());
    Wait.until("the session ends", () -> ends.size() == 1);
    assertEquals(List.of(Reason.NOT_DELIVERED), returned);
    assertEquals(1, freed.get());
  }

  /// A peer that says something again and again, and nothing else.
  private void talkUntilTheEnd(byte[] packet) {
    long start = System.nanoTime();
    while (ends.isEmpty()) {
      assertTrue(System.nanoTime() - start < WAIT.toNanos(), "the session stays");
      send(link, packet);
      byte[] _ = next(Duration.ofMillis(20));
    }
  }

  @Test
  void aPeerThatTalksAndTakesNoPieceHoldsNoMemory() {
    awaitOffer();
    talkUntilTheEnd(packet(ACKNOWLEDGEMENT, 0, 1, 0, new byte[0]));
    assertTrue(ends.getFirst().contains("takes no piece"), () -> ends.getFirst());
    Wait.until("the memory of the reply is free", () -> freed.get() == 1);
    serves();
  }

  @Test
  void aPeerThatTalksAndAcknowledgesNothingHoldsNoMemory() {
    send(link, packet(DATA, 0, request(ECHO, 1)));
    talkUntilTheEnd(packet(ACKNOWLEDGEMENT, 0, 0, 0, new byte[0]));
    assertTrue(ends.getFirst().contains("acknowledges nothing"), () -> ends.getFirst());
    assertNotNull(ends.getFirst());
    serves();
  }
}
