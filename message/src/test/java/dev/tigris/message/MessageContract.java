// Over 400 lines: what an endpoint promises, case by case, on every provider.
package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.ErrorHandler.Returned;
import dev.tigris.net.Fabric;
import dev.tigris.net.testing.FabricContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The promises of endpoints, on one provider: after GASNet's tests, with faults of others.
abstract class MessageContract {
  static final long TAG = 4711;
  static final int ECHO = 1;
  static final int BACK = 2;
  static final int NOTE = 3;
  static final int FAIL = 4;
  static final int UNKNOWN = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int PAYLOAD = 8 << 10;
  private static final int REPLY = 512;

  private final FabricContract.Subject subject;
  private final Options options;
  private Fabric fabric;
  Party server;
  Party client;
  Endpoint at;
  Endpoint from;
  String address;

  /// The messages that each side has got; each list belongs to the thread of its party.
  final List<Got> atServer = new ArrayList<>();

  final List<Got> atClient = new ArrayList<>();
  final List<Returned> serverReturned = new ArrayList<>();
  final List<Returned> clientReturned = new ArrayList<>();
  final List<String> serverLost = new ArrayList<>();
  final List<String> clientLost = new ArrayList<>();

  /// A message that has arrived, copied.
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Got(long[] words, byte[] payload) {
    static Got of(Message message) {
      long[] words = IntStream.range(0, message.words()).mapToLong(message::word).toArray();
      return new Got(words, message.array().clone());
    }
  }

  MessageContract(FabricContract.Subject subject, boolean lossy) {
    this.subject = subject;
    this.options =
        Options.DEFAULT
            .withPayloadBytes(PAYLOAD)
            .withReplyBytes(REPLY)
            .withCredits(16)
            .withReceives(lossy ? 64 : 8)
            .withLossy(lossy)
            .withBulkBytes(4 << 20)
            .withPatience(Duration.ofSeconds(20));
  }

  @BeforeEach
  void connect() {
    fabric = subject.open();
    server = new Party(options, List.of(fabric));
    client = new Party(options, List.of(fabric));
    address =
        server.call(
            () -> {
              at = server.bundle().endpoint("server", TAG);
              at.errorHandler(collecting(serverReturned, serverLost));
              at.handler(ECHO, (token, message) -> echo(token, message));
              at.handler(NOTE, (token, message) -> atServer.add(Got.of(message)));
              at.handler(
                  FAIL,
                  (token, message) -> {
                    throw new IllegalStateException("this handler fails, as it is asked to");
                  });
              return server.bundle().listen(fabric.provider(), subject.anyAddress());
            });
    client.run(
        () -> {
          from = client.bundle().endpoint("client", TAG + 1);
          from.errorHandler(collecting(clientReturned, clientLost));
          from.handler(BACK, (token, message) -> atClient.add(Got.of(message)));
          map(0);
        });
  }

  private void map(int entry) {
    from.map(entry, fabric.provider(), address, "server", TAG, PATIENCE);
  }

  private static ErrorHandler collecting(List<Returned> returned, List<String> lost) {
    return new ErrorHandler() {
      @Override
      public void undelivered(Returned message) {
        returned.add(message);
      }

      @Override
      public void lost(int entry, String why) {
        lost.add(entry + ": " + why);
      }
    };
  }

  /// Replies with the words and the payload, by the first of these ways that takes it.
  private static void echo(Token token, Message message) {
    Got got = Got.of(message);
    int length = got.payload().length;
    if (length == 0 && got.words().length == 0) {
      token.reply(BACK);
    } else if (length == 0 && got.words().length == 1) {
      token.reply(BACK, got.words()[0]);
    } else if (length == 0 && got.words().length == 2) {
      token.reply(BACK, got.words()[0], got.words()[1]);
    } else if (length <= REPLY) {
      token.reply(BACK, got.words(), length == 0 ? null : bytes(got.payload()), 0, length);
    } else {
      token.bulk(BACK, got.words(), bytes(got.payload()), 0, length, () -> {});
    }
  }

  static Bytes bytes(byte[] content) {
    Bytes bytes = Jbuf.allocate(Math.max(1, content.length), "test").asBytes();
    bytes.copyFrom(0, content, 0, content.length);
    return bytes;
  }

  @AfterEach
  void close() {
    try (Fabric _ = fabric;
        Party _ = server;
        Party _ = client) {
      assertEquals(0, client.call(() -> from.handlerFailures()));
    }
  }

  /// Services the client until something is so.
  void await(String what, Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      assertTrue(
          System.nanoTime() - start < PATIENCE.toNanos(),
          () ->
              "not so: %s%n%s%n%s%n%s%s"
                  .formatted(
                      what,
                      client.bundle().describe(),
                      server.call(() -> server.bundle().describe()),
                      clientReturned,
                      clientLost));
      boolean _ = client.bundle().await(Duration.ofMillis(100));
    }
  }

  private static byte[] content(SplittableRandom random, int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  private void request(long[] words, byte[] content) {
    if (content.length <= PAYLOAD) {
      from.request(0, ECHO, words, bytes(content), 0, content.length);
    } else {
      from.bulk(0, ECHO, words, bytes(content), 0, content.length, () -> {});
    }
  }

  @Test
  void carriesEveryNumberOfWordsWithEveryKindOfPayload() {
    SplittableRandom random = new SplittableRandom(1);
    int[] lengths = {
      0, 1, 7, 8, REPLY - 1, REPLY, REPLY + 1, PAYLOAD, PAYLOAD + 1, 5 * PAYLOAD + 3
    };
    client.run(
        () -> {
          List<Got> sent = new ArrayList<>();
          for (int length : lengths) {
            for (int count = 0; count <= Endpoint.MOST_WORDS; count++) {
              long[] words = random.longs(count).toArray();
              byte[] content = content(random, length);
              sent.add(new Got(words, content));
              request(words, content);
              if (length > REPLY || count % 4 == 0) { // replies of two kinds have no order
                await("a reply", () -> atClient.size() == sent.size());
              }
            }
            await("all replies", () -> atClient.size() == sent.size());
          }
          for (int i = 0; i < sent.size(); i++) {
            assertArrayEquals(sent.get(i).words(), atClient.get(i).words());
            assertArrayEquals(sent.get(i).payload(), atClient.get(i).payload());
          }
          assertEquals(List.of(), clientReturned);
        });
  }

  @Test
  void keepsTheOrderOfManyRequestsUnderWay() {
    client.run(
        () -> {
          for (int i = 0; i < 2_000; i++) {
            if (i % 3 == 0) {
              from.request(0, ECHO, i);
            } else {
              from.request(0, NOTE, i, -i);
            }
          }
          assertTrue(from.drain(PATIENCE));
          await("all replies", () -> atClient.size() == 667);
          for (int i = 0; i < atClient.size(); i++) {
            assertEquals(3L * i, atClient.get(i).words()[0]);
          }
        });
    server.run(
        () -> {
          assertEquals(1_333, atServer.size());
          long last = -1;
          for (Got got : atServer) {
            assertTrue(got.words()[0] > last);
            last = got.words()[0];
          }
        });
  }

  @Test
  void makesProgressForASenderThatOnlySends() {
    client.run(
        () -> {
          for (int i = 0; i < 500; i++) {
            from.request(0, NOTE, i);
          }
        });
    client.run(() -> assertTrue(from.drain(PATIENCE)));
    server.run(() -> assertEquals(500, atServer.size()));
  }

  @Test
  void doesNotDeadlockWhenBothSidesFloodEachOther() throws Exception {
    String back =
        client.call(
            () -> {
              from.handler(ECHO, (token, message) -> echo(token, message));
              return client.bundle().listen(fabric.provider(), subject.anyAddress());
            });
    List<Got> replies = new ArrayList<>();
    var reverse =
        server.start(
            () -> {
              at.handler(BACK, (token, message) -> replies.add(Got.of(message)));
              at.map(0, fabric.provider(), back, "client", TAG + 1, PATIENCE);
              return flood(at);
            });
    var forward = client.start(() -> flood(from));
    assertTrue(forward.get());
    assertTrue(reverse.get());
    client.run(() -> await("all replies", () -> atClient.size() == 600));
    server.run(
        () -> {
          while (replies.size() < 600) {
            boolean _ = server.bundle().await(Duration.ofMillis(100));
          }
        });
  }

  private static boolean flood(Endpoint endpoint) {
    Bytes payload = bytes(new byte[REPLY]);
    for (int i = 0; i < 600; i++) {
      endpoint.request(0, ECHO, new long[] {i}, payload, 0, i % 5 == 0 ? REPLY : 0);
    }
    return endpoint.drain(PATIENCE);
  }

  @Test
  void twoEndpointsMapEachOtherAtOnce() throws Exception {
    String back =
        client.call(() -> client.bundle().listen(fabric.provider(), subject.anyAddress()));
    var one =
        server.start(
            () -> {
              at.map(3, fabric.provider(), back, "client", TAG + 1, PATIENCE);
              return at.isMapped(3);
            });
    var other =
        client.start(
            () -> {
              map(3);
              return from.isMapped(3);
            });
    assertTrue(one.get());
    assertTrue(other.get());
  }

  @Test
  void sendsBackWhatNoHandlerTakesAndWhatFails() {
    client.run(
        () -> {
          from.request(0, UNKNOWN, 1, 2);
          from.request(0, FAIL, 3);
          from.bulk(0, ECHO, new long[] {4}, bytes(new byte[5 << 20]), 0, 5 << 20, () -> {});
          from.bulkInto(0, ECHO, new long[] {5}, bytes(new byte[9]), 0, 9, 0, () -> {});
          await("all of them", () -> clientReturned.size() == 4);
          for (Returned each : clientReturned) {
            assertEquals(0, each.entry());
            assertFalse(each.isReply());
            Reason expected =
                switch (each.words().getFirst().intValue()) {
                  case 1 -> Reason.NO_HANDLER;
                  case 3 -> Reason.HANDLER_FAILED;
                  default -> Reason.TOO_LONG;
                };
            assertEquals(expected, each.reason());
          }
          from.request(0, ECHO, 6);
          await("a reply", () -> atClient.size() == 1);
        });
  }

  @Test
  void sendsBackARepliesThatNoHandlerTakes() {
    client.run(
        () -> {
          from.handler(BACK, null);
          for (int i = 0; i < 100; i++) {
            from.request(0, ECHO, i);
          }
          assertTrue(from.drain(PATIENCE));
        });
    server.run(
        () -> {
          long start = System.nanoTime();
          while (serverReturned.size() < 100 && System.nanoTime() - start < 10_000_000_000L) {
            boolean _ = server.bundle().await(Duration.ofMillis(100));
          }
          assertEquals(100, serverReturned.size());
          for (int i = 0; i < 100; i++) {
            Returned each = serverReturned.get(i);
            assertTrue(each.isReply());
            assertEquals(Reason.NO_HANDLER, each.reason());
            assertEquals(i, each.words().getFirst());
          }
        });
  }

  @Test
  void aHandlerCanOnlyReplyOnce() {
    List<Throwable> thrown = new ArrayList<>();
    List<Token> kept = new ArrayList<>();
    server.run(
        () ->
            at.handler(
                10,
                (token, message) -> {
                  kept.add(token);
                  token.reply(BACK, 1);
                  thrown.add(assertThrows(IllegalStateException.class, () -> token.reply(BACK)));
                  thrown.add(
                      assertThrows(IllegalStateException.class, () -> server.bundle().poll()));
                }));
    client.run(
        () -> {
          from.handler(
              BACK,
              (token, message) -> {
                atClient.add(Got.of(message));
                thrown.add(assertThrows(IllegalStateException.class, () -> token.reply(BACK)));
                thrown.add(assertThrows(IllegalStateException.class, () -> from.request(0, ECHO)));
              });
          from.request(0, 10);
          await("a reply", () -> atClient.size() == 1);
        });
    assertEquals(4, thrown.size());
    server.run(() -> assertThrows(IllegalStateException.class, () -> kept.getFirst().reply(BACK)));
  }

  @Test
  void putsTransfersIntoTheSegment() {
    byte[] content = content(new SplittableRandom(2), 3 * PAYLOAD + 17);
    Bytes segment = Jbuf.allocate(100_000, "test").asBytes();
    List<Long> places = new ArrayList<>();
    server.run(
        () -> {
          at.segment(segment);
          at.handler(
              10,
              (token, message) -> {
                places.add(message.place());
                token.reply(BACK, message.payloadBytes());
              });
        });
    List<String> freed = new ArrayList<>();
    client.run(
        () -> {
          from.bulkInto(
              0, 10, new long[0], bytes(content), 0, content.length, 1_001, () -> freed.add("it"));
          await("a reply", () -> atClient.size() == 1 && freed.size() == 1);
        });
    byte[] arrived = new byte[content.length];
    segment.copyTo(1_001, arrived, 0, arrived.length);
    assertArrayEquals(content, arrived);
    assertEquals(List.of(1_001L), server.call(() -> List.copyOf(places)));
  }

  @Test
  void usesSuppliedBuffersAgainAndArraysWhenNoneIsFree() {
    int length = 2 * PAYLOAD;
    List<Bytes> kept = new ArrayList<>();
    List<Boolean> inBuffers = new ArrayList<>();
    server.run(
        () -> {
          at.supply(Stream.generate(() -> Jbuf.allocate(length, "pool")).limit(4).toList());
          at.handler(
              10,
              (token, message) -> {
                Bytes buffer = message.buffer();
                inBuffers.add(buffer != null);
                if (message.words() > 0 && buffer != null) {
                  kept.add(buffer);
                }
                token.reply(BACK, message.getByte(length - 1));
              });
        });
    client.run(
        () -> {
          byte[] content = new byte[length];
          content[length - 1] = 5;
          Bytes payload = bytes(content);
          for (int i = 1; i <= 5; i++) { // the handler keeps all four buffers
            int count = i;
            from.bulk(0, 10, new long[1], payload, 0, length, () -> {});
            await("a reply", () -> atClient.size() == count);
          }
          assertEquals(5, atClient.getLast().words()[0]);
        });
    server.run(
        () -> {
          assertEquals(List.of(true, true, true, true, false), inBuffers);
          assertEquals(0, at.freeBuffers());
          for (int i = 0; i < 4; i++) {
            assertEquals(5, kept.get(i).get(length - 1));
          }
          kept.clear();
          long start = System.nanoTime();
          while (at.freeBuffers() < 4 && System.nanoTime() - start < PATIENCE.toNanos()) {
            System.gc();
            boolean _ = server.bundle().await(Duration.ofMillis(10));
          }
          assertEquals(4, at.freeBuffers());
        });
  }

  @Test
  void sendsAMessageFromWhereItWasPrepared() {
    List<Long> used = new ArrayList<>();
    server.run(
        () ->
            at.handler(
                10,
                (token, message) -> {
                  Container container = message.container();
                  used.add(container.usedBytes());
                  token.reply(BACK, message.word(0), container.usedBytes());
                }));
    client.run(
        () -> {
          for (int i = 1; i <= 50; i++) {
            try (Draft draft = from.prepare(0, 10, 1, 1024)) {
              Container container = draft.word(0, i).container();
              assertThrows(IllegalStateException.class, () -> from.request(0, ECHO));
              if (i % 5 == 0) {
                continue; // given up
              }
              draft.commit(container.usedBytes());
              assertThrows(IllegalStateException.class, draft::commit);
            }
          }
          await("all replies", () -> atClient.size() == 40);
          assertEquals(Container.HEADER_BYTES, atClient.getFirst().words()[1]);
        });
    server.run(() -> assertEquals(Container.HEADER_BYTES, used.getLast()));
  }

  @Test
  void refusesToMapWhatIsNotThere() {
    client.run(
        () -> {
          String provider = fabric.provider();
          Duration brief = Duration.ofSeconds(5);
          for (String wrong : new String[] {"name", "tag"}) {
            MessageException refused =
                assertThrows(
                    MessageException.class,
                    () ->
                        from.map(
                            1,
                            provider,
                            address,
                            wrong.equals("name") ? "nothing" : "server",
                            wrong.equals("tag") ? TAG + 9 : TAG,
                            brief));
            assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
            assertFalse(from.isMapped(1));
          }
          assertThrows(IllegalArgumentException.class, () -> map(0));
          assertThrows(IllegalArgumentException.class, () -> from.request(1, ECHO));
          assertThrows(IllegalArgumentException.class, () -> from.request(0, 1 << 16));
          assertThrows(
              IllegalArgumentException.class,
              () -> from.request(0, ECHO, new long[17], null, 0, 0));
          from.request(0, ECHO);
          await("a reply", () -> atClient.size() == 1);
        });
  }

  @Test
  void hearsOnceThatAPeerHasClosed() {
    client.run(
        () -> {
          from.request(0, NOTE, 1);
          assertTrue(from.drain(PATIENCE));
        });
    server.run(() -> at.close());
    client.run(
        () -> {
          await("the loss", () -> !clientLost.isEmpty());
          assertEquals(1, clientLost.size());
          assertEquals(List.of(), clientReturned);
          assertFalse(from.isMapped(0));
        });
  }

  @Test
  void unmapsAndMapsAgain() {
    client.run(
        () -> {
          for (int i = 1; i <= 5; i++) {
            from.request(0, NOTE, i);
            assertTrue(from.drain(PATIENCE));
            from.unmap(0);
            assertFalse(from.isMapped(0));
            map(0);
          }
          assertEquals(List.of(), clientReturned);
        });
    server.run(() -> assertEquals(5, atServer.size()));
  }

  @Test
  void readsNoMoreThanThePayload() {
    List<String> results = new ArrayList<>();
    server.run(
        () ->
            at.handler(
                10,
                (token, message) -> {
                  assertThrows(IndexOutOfBoundsException.class, () -> message.word(2));
                  assertThrows(IndexOutOfBoundsException.class, () -> message.getByte(9));
                  assertThrows(IndexOutOfBoundsException.class, () -> message.getLong(2));
                  assertThrows(IndexOutOfBoundsException.class, () -> message.getInt(-1));
                  assertNull(message.buffer());
                  assertEquals(-1, message.place());
                  results.add("%x %x".formatted(message.getLong(1), message.getInt(0)));
                  token.reply(BACK);
                }));
    client.run(
        () -> {
          Bytes payload = bytes(new byte[] {9, 1, 2, 3, 4, 5, 6, 7, 8});
          from.request(0, 10, new long[2], payload, 0, 9);
          await("a reply", () -> atClient.size() == 1);
        });
    assertEquals(List.of("807060504030201 3020109"), server.call(() -> List.copyOf(results)));
    assertNotNull(results);
  }

  @Test
  void anEndpointMovesToAnotherThreadWithRequestsUnderWay() throws Exception {
    try (Party other = new Party(options, List.of(fabric))) {
      other.call(() -> other.bundle().listen(fabric.provider(), subject.anyAddress()));
      var sending =
          client.start(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  from.request(0, ECHO, i);
                }
                return from.drain(PATIENCE);
              });
      server.run(() -> at.moveTo(other.bundle()));
      assertTrue(sending.get());
      client.run(() -> await("all replies", () -> atClient.size() == 1_000));
      for (int i = 0; i < 1_000; i++) {
        assertEquals(i, atClient.get(i).words()[0]);
      }
      other.run(() -> assertEquals(other.bundle(), at.bundle()));
      assertEquals(List.of(), clientReturned);
      assertEquals(List.of(), clientLost);
      other.run(() -> at.close());
    }
  }

  @Test
  void anEndpointMovesWithThePeersThatItHasMapped() {
    try (Party other = new Party(options, List.of(fabric))) {
      client.run(
          () -> {
            for (int i = 0; i < 10; i++) {
              from.request(0, ECHO, i); // the last replies find it on the other thread
            }
            from.moveTo(other.bundle());
            assertThrows(
                IllegalArgumentException.class,
                () -> client.bundle().endpoint("client", 1).moveTo(other.bundle()));
          });
      other.run(
          () -> {
            boolean _ = other.bundle().await(Duration.ofMillis(10));
            for (int i = 10; i < 200; i++) {
              from.request(0, ECHO, i);
            }
            assertTrue(from.drain(PATIENCE));
            long start = System.nanoTime();
            while (atClient.size() < 200 && System.nanoTime() - start < PATIENCE.toNanos()) {
              boolean _ = other.bundle().await(Duration.ofMillis(100));
            }
            for (int i = 0; i < 200; i++) {
              assertEquals(i, atClient.get(i).words()[0]);
            }
            assertEquals(List.of(), clientReturned);
            from.close();
          });
    }
  }
}
