// Over 400 lines: the edges of messages, case by case, on every provider.
package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Fabric;
import dev.tigris.net.testing.FabricContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The edges of messages, on one provider, after the tests of GASNet and of UCX: sizes at every
/// maximum, sixteen of each kind under way, sources inside and outside of the segment, an endpoint
/// of the same bundle, the first and the last handler, a receiver that comes late.
abstract class EdgeContract {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long TAG = 11;
  private static final int BACK = 0;
  private static final int ECHO = 65_535;
  private static final int PUT = 300;
  private static final int PAYLOAD = 8 << 10;
  private static final int REPLY = 512;
  private static final int BULK = 256 << 10;
  private static final int DEPTH = 16;

  private final FabricContract.Subject subject;
  private final Options options;
  private Fabric fabric;
  private Party server;
  private Party client;
  private Endpoint at;
  private Endpoint from;
  private Bytes segment;
  private String address;

  /// The first words of the replies, and what is wrong with their payloads.
  private final Set<Long> back = new HashSet<>();

  private final List<String> wrong = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();

  EdgeContract(FabricContract.Subject subject, boolean lossy) {
    this.subject = subject;
    this.options =
        Options.DEFAULT
            .withPayloadBytes(PAYLOAD)
            .withReplyBytes(REPLY)
            .withCredits(DEPTH)
            .withReceives(lossy ? 64 : 8)
            .withLossy(lossy)
            .withBulkBytes(BULK)
            .withPatience(PATIENCE);
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
              at.handler(ECHO, EdgeContract::echo); // the last one first
              at.handler(PUT, EdgeContract::echo);
              segment = Jbuf.allocate(DEPTH * BULK, "test").asBytes();
              at.segment(segment);
              return server.bundle().listen(fabric.provider(), subject.anyAddress());
            });
    client.run(
        () -> {
          from = client.bundle().endpoint("client", TAG + 1);
          from.handler(BACK, (token, message) -> take(message));
          from.errorHandler(
              new ErrorHandler() {
                @Override
                public void undelivered(Returned message) {
                  wrong.add(message.toString());
                }

                @Override
                public void lost(int entry, String why) {
                  lost.add(why);
                }
              });
          from.map(0, fabric.provider(), address, "server", TAG, PATIENCE);
        });
  }

  @AfterEach
  void close() {
    try (Fabric _ = fabric;
        Party _ = server;
        Party _ = client) {
      client.run(() -> assertEquals(List.of(), wrong));
    }
  }

  /// Returns the words and the payload, in the way that takes them.
  private static void echo(Token token, Message message) {
    long[] words = new long[message.words()];
    for (int i = 0; i < words.length; i++) {
      words[i] = message.word(i);
    }
    byte[] content = message.array();
    Bytes payload = MessageContract.bytes(content);
    if (content.length <= REPLY) {
      token.reply(BACK, words, payload, 0, content.length);
    } else {
      token.bulk(BACK, words, payload, 0, content.length, () -> {});
    }
  }

  /// What a message carries that has this number and length.
  private static byte[] content(long number, int length) {
    byte[] content = new byte[length];
    new SplittableRandom(number).nextBytes(content);
    return content;
  }

  private void take(Message message) {
    long number = message.word(0);
    if (!back.add(number)) {
      wrong.add("a second reply to " + number);
    }
    byte[] expected = content(number, (int) message.word(1));
    if (!Arrays.equals(expected, message.array())) {
      wrong.add("the reply to %d has other bytes".formatted(number));
    }
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      assertTrue(
          System.nanoTime() - start < PATIENCE.toNanos(),
          () -> "not so: %s; %s %s".formatted(what, lost, client.bundle().describe()));
      boolean _ = client.bundle().await(Duration.ofMillis(100));
    }
  }

  /// Sends by the way that takes so many bytes, and returns the payload.
  private Bytes send(long number, int length) {
    Bytes payload = MessageContract.bytes(content(number, length));
    long[] words = {number, length};
    if (length <= PAYLOAD) {
      from.request(0, ECHO, words, payload, 0, length);
    } else {
      from.bulk(0, ECHO, words, payload, 0, length, () -> {});
    }
    return payload;
  }

  @Test
  void carriesSizesThatDoubleAndOneLessAndOneMore() {
    client.run(
        () -> {
          long number = 0;
          for (int size = 1; size <= BULK; size *= 2) {
            List<Bytes> sent = new ArrayList<>();
            long first = number;
            for (int length = size - 1; length <= Math.min(size + 1, BULK); length++) {
              sent.add(send(number++, length));
            }
            long expected = number;
            await("the replies", () -> back.size() == expected);
            for (int i = 0; i < sent.size(); i++) { // the sources are as they were
              byte[] content = content(first + i, size - 1 + i);
              byte[] now = new byte[content.length];
              sent.get(i).copyTo(0, now, 0, now.length);
              assertArrayEquals(content, now);
            }
          }
        });
  }

  @Test
  void hasSixteenOfEachKindUnderWay() {
    client.run(
        () -> {
          int[] lengths = {0, 8, REPLY, PAYLOAD, PAYLOAD + 1, 5 * PAYLOAD};
          long number = 0;
          for (int round = 0; round < 2; round++) {
            for (int length : lengths) {
              for (int i = 0; i < DEPTH; i++) {
                Bytes _ = send(number++, length);
              }
            }
            for (int i = 0; i < DEPTH * lengths.length; i++) { // all kinds in turn
              Bytes _ = send(number++, lengths[i % lengths.length]);
            }
          }
          long expected = number;
          await("all replies", () -> back.size() == expected);
          assertTrue(from.drain(PATIENCE));
        });
  }

  /// Words alone, a payload, one that is prepared, a bulk transfer, and one into the segment.
  private void sendOfKind(int kind, int handler, long number) {
    int length = new int[] {0, REPLY, PAYLOAD, 3 * PAYLOAD, 2 * PAYLOAD + 1}[kind];
    byte[] content = content(number, length);
    long[] words = {number, length};
    switch (kind) {
      case 0 -> from.request(0, handler, number, length);
      case 1 -> from.request(0, handler, words, MessageContract.bytes(content), 0, length);
      case 2 -> {
        try (Draft draft = from.prepare(0, handler, 2, length)) {
          draft.word(0, number).word(1, length).copyFrom(0, content, 0, length).commit();
        }
      }
      case 3 -> from.bulk(0, handler, words, MessageContract.bytes(content), 0, length, () -> {});
      default -> {
        Bytes payload = MessageContract.bytes(content);
        from.bulkInto(0, handler, words, payload, 0, length, number * BULK, () -> {});
      }
    }
  }

  /// Replies with this many bytes, or not at all, to a request that is whole.
  private static void reply(Token token, Message message, int length) {
    long number = message.word(0);
    if (!Arrays.equals(content(number, (int) message.word(1)), message.array())) {
      throw new IllegalStateException("request %d has other bytes".formatted(number));
    }
    long[] words = {number, length};
    if (length == 0) {
      token.reply(BACK, number, length);
    } else if (length > 0) {
      Bytes payload = MessageContract.bytes(content(number, length));
      if (length <= REPLY) {
        token.reply(BACK, words, payload, 0, length);
      } else {
        token.bulk(BACK, words, payload, 0, length, () -> {});
      }
    }
  }

  @Test
  void answersEachKindOfRequestByEachKindOfReply() {
    int[] replies = {-1, 0, REPLY, 2 * PAYLOAD};
    server.run(
        () -> {
          for (int i = 0; i < replies.length; i++) {
            int length = replies[i];
            at.handler(400 + i, (token, message) -> reply(token, message, length));
          }
        });
    client.run(
        () -> {
          long number = 0;
          int expected = 0;
          for (int i = 0; i < replies.length; i++) {
            for (int kind = 0; kind < 5; kind++) {
              sendOfKind(kind, 400 + i, number++ % DEPTH);
              expected += replies[i] < 0 ? 0 : 1;
            }
            assertTrue(from.drain(PATIENCE));
            int all = expected;
            await("the replies", () -> back.size() == all);
            back.clear();
            expected = 0;
          }
        });
  }

  @Test
  void servesManyClientsAtOnce() throws Exception {
    List<Party> parties = new ArrayList<>();
    List<FutureTask<Boolean>> running = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Party party = new Party(options, List.of(fabric));
        parties.add(party);
        running.add(party.start(() -> asksForAll(party)));
      }
      for (FutureTask<Boolean> each : running) {
        assertTrue(each.get());
      }
    } finally {
      parties.forEach(Party::close);
    }
  }

  private boolean asksForAll(Party party) {
    Endpoint own = party.bundle().endpoint("another", TAG);
    Set<Long> replies = new HashSet<>();
    own.handler(
        BACK,
        (token, message) -> {
          byte[] expected = content(message.word(0), (int) message.word(1));
          if (Arrays.equals(expected, message.array())) {
            replies.add(message.word(0));
          }
        });
    own.map(0, fabric.provider(), address, "server", TAG, PATIENCE);
    int[] lengths = {0, 8, REPLY, PAYLOAD};
    for (int i = 0; i < 3 * DEPTH; i++) {
      int length = lengths[i % lengths.length];
      Bytes payload = MessageContract.bytes(content(i, length));
      own.request(0, ECHO, new long[] {i, length}, payload, 0, length);
    }
    long start = System.nanoTime();
    while (replies.size() < 3 * DEPTH && System.nanoTime() - start < PATIENCE.toNanos()) {
      boolean _ = party.bundle().await(Duration.ofMillis(100));
    }
    return replies.size() == 3 * DEPTH;
  }

  @Test
  void sendsFromInsideAndFromOutsideOfTheSegment() {
    int length = 2 * PAYLOAD + 5;
    client.run(
        () -> {
          Bytes own = Jbuf.allocate(DEPTH * BULK, "test").asBytes();
          from.segment(own);
          for (int i = 0; i < DEPTH; i++) {
            byte[] content = content(i, length);
            boolean isInside = i % 2 == 0;
            Bytes source = isInside ? own : MessageContract.bytes(content);
            long offset = isInside ? (long) i * BULK : 0;
            if (isInside) {
              own.copyFrom(offset, content, 0, length);
            }
            long[] words = {i, length};
            from.bulkInto(0, PUT, words, source, offset, length, (long) i * BULK, () -> {});
          }
          await("all replies", () -> back.size() == DEPTH);
        });
    for (int i = 0; i < DEPTH; i++) {
      byte[] arrived = new byte[length];
      segment.copyTo((long) i * BULK, arrived, 0, length);
      assertArrayEquals(content(i, length), arrived);
    }
  }

  @Test
  void refusesAnEndpointOfItsOwnBundleAsAPeer() throws Exception {
    String own =
        client.call(
            () -> {
              String address = client.bundle().listen(fabric.provider(), subject.anyAddress());
              Endpoint neighbour = client.bundle().endpoint("neighbour", TAG + 2);
              for (String name : List.of("client", "neighbour")) {
                assertThrows(
                    IllegalArgumentException.class,
                    () -> neighbour.map(1, fabric.provider(), address, name, TAG + 2, PATIENCE));
              }
              return address;
            });
    try (Party third = new Party(options, List.of(fabric))) { // of the same process
      third.run(
          () -> {
            Endpoint endpoint = third.bundle().endpoint("third", TAG + 3);
            endpoint.map(1, fabric.provider(), own, "neighbour", TAG + 2, PATIENCE);
            assertTrue(endpoint.isMapped(1));
          });
    }
  }

  @Test
  void refusesRequestsToAPeerThatIsBeingMapped() {
    List<Throwable> refused = new ArrayList<>();
    boolean[] isOver = new boolean[1];
    String where = subject.anyAddress();
    client.run(
        () -> {
          from.errorHandler(
              returned -> {
                if (!isOver[0]) {
                  refused.add(
                      assertThrows(IllegalArgumentException.class, () -> from.request(1, ECHO)));
                }
              });
          String address = server.call(() -> server.bundle().listen(fabric.provider(), where));
          for (int i = 0; i < 4; i++) {
            from.request(0, 77); // there is no such handler
          }
          from.map(1, fabric.provider(), address, "server", TAG, PATIENCE);
          isOver[0] = true;
          from.request(1, ECHO, new long[] {5, 0}, null, 0, 0);
          await("a reply", () -> back.size() == 1);
          assertTrue(refused.size() <= 4, refused::toString);
        });
  }

  @Test
  void refusesOneMoreThanThereCanBe() {
    client.run(
        () -> {
          Bytes payload = Jbuf.allocate(BULK + 1, "test").asBytes();
          assertThrows(IllegalArgumentException.class, () -> from.request(0, 65_536));
          assertThrows(IllegalArgumentException.class, () -> from.request(0, -1));
          assertThrows(
              IllegalArgumentException.class, () -> from.handler(65_536, (token, message) -> {}));
          assertThrows(
              IllegalArgumentException.class,
              () -> from.request(0, ECHO, new long[17], payload, 0, 0));
          assertThrows(
              IllegalArgumentException.class,
              () -> from.request(0, ECHO, new long[16], payload, 0, PAYLOAD + 256));
          assertThrows(IllegalArgumentException.class, () -> from.request(7, ECHO));
          Bytes _ = send(1, PAYLOAD);
          await("what is right goes on", () -> back.size() == 1);
        });
  }

  @Test
  void keepsWhatArrivesWhileTheReceiverIsAway() throws Exception {
    CountDownLatch isAway = new CountDownLatch(1);
    CountDownLatch isBack = new CountDownLatch(1);
    var away =
        server.start(
            () -> {
              isAway.countDown();
              return isBack.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            });
    isAway.await();
    client.run(
        () -> {
          for (int i = 0; i < DEPTH; i++) {
            Bytes _ = send(i, i % 2 == 0 ? PAYLOAD : 8);
          }
          boolean _ = client.bundle().await(Duration.ofMillis(30));
          assertTrue(back.isEmpty(), "nothing has run");
          assertFalse(from.hasCredit(0, 0), "all credits are in use");
        });
    isBack.countDown();
    assertTrue(away.get());
    client.run(() -> await("all replies", () -> back.size() == DEPTH));
  }

  @Test
  void tellsOfAnEndpointThatIsClosedAndTakesNoMoreForIt() {
    client.run(
        () -> {
          Bytes _ = send(1, 8);
          await("a reply", () -> back.size() == 1);
        });
    server.run(() -> at.close());
    client.run(
        () -> {
          await("the loss", () -> lost.size() == 1);
          assertThrows(IllegalArgumentException.class, () -> from.request(0, ECHO));
          from.close();
          from.close();
        });
  }
}
