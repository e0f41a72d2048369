package dev.tigris.message;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.channel.BulkSend;
import dev.tigris.message.channel.Channel;
import dev.tigris.net.Fabric;
import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultyFabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The second interface of a connection, for bulk transfers.
class BulkPairTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int NOTE = 1;
  private static final int BACK = 2;
  private static final int LONGEST = 300_000;

  /// A piece is 7.5 KB long.
  private static final Options OPTIONS =
      Options.DEFAULT
          .withReplyBytes(64)
          .withPayloadBytes(256)
          .withBulkBytes(LONGEST)
          .withPatience(PATIENCE);

  private final List<Long> taken = new ArrayList<>();
  private final List<ComeBack> returned = new ArrayList<>();
  private final List<Long> back = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();
  private boolean isDamaged;
  private int freed;
  private Fabric fabric;
  private Party server;
  private Party client;
  private Endpoint at;
  private Endpoint from;
  private String address;

  /// The channel of the last message that asked for a reply.
  private Channel replyingOver;

  /// A transfer that has come back.
  private record ComeBack(long word, Reason reason) {}

  private void connect(Fabric its, boolean hasSegment) {
    connect(OPTIONS, its, hasSegment);
  }

  private void connect(Options options, Fabric its, boolean hasSegment) {
    fabric = its;
    server = new Party(options, List.of(fabric));
    client = new Party(options, List.of(fabric));
    String anyAddress = its.provider().contains("shm") ? "*" : "127.0.0.1:0";
    address =
        server.call(
            () -> {
              at = server.bundle().endpoint("server", 1);
              if (hasSegment) {
                at.segment(Jbuf.allocate(LONGEST, "test").asBytes());
              }
              at.handler(NOTE, this::take);
              return server.bundle().listen(its.provider(), anyAddress);
            });
    client.run(
        () -> {
          from = client.bundle().endpoint("client", 2);
          from.handler(BACK, (token, message) -> back.add(check(message)));
          from.errorHandler(
              new ErrorHandler() {
                @Override
                public void undelivered(ErrorHandler.Returned message) {
                  returned.add(new ComeBack(message.words().getFirst(), message.reason()));
                }

                @Override
                public void lost(int entry, String why) {
                  lost.add(why);
                }
              });
          from.map(0, its.provider(), address, "server", 1, PATIENCE);
        });
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    fabric.close();
  }

  private void take(Token token, Message message) {
    taken.add(check(message));
    if (message.words() >= 2) {
      replyingOver = ENDPOINTS.channel(token);
      long word = message.word(0);
      int length = (int) (message.words() == 3 ? message.word(2) : message.payloadBytes());
      token.bulk(BACK, new long[] {word}, payload(word, length), 0, length, () -> {});
    }
  }

  private long check(Message message) {
    byte[] arrived = message.array();
    isDamaged |= !Arrays.equals(content(message.word(0), arrived.length), arrived);
    return message.word(0);
  }

  private static byte[] content(long seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private static Bytes payload(long seed, int length) {
    Bytes bytes = Jbuf.allocate(Math.max(8, length), "test").asBytes();
    bytes.copyFrom(0, content(seed, length), 0, length);
    return bytes;
  }

  private void send(int length, long... words) {
    from.bulk(0, NOTE, words, payload(words[0], length), 0, length, () -> freed++);
  }

  private void drain() {
    assertTrue(
        from.drain(PATIENCE), () -> client.bundle().describe() + "\n" + server.bundle().describe());
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp", "uring"})
  void isMadeForTheFirstTransferThatFitsNoPacket(String provider) {
    connect(Fabric.open(provider), false);
    client.run(
        () -> {
          int before = client.bundle().connects();
          from.request(0, NOTE, 1);
          send(200, 2);
          drain();
          assertEquals(before, client.bundle().connects(), "a short message has made it");
          send(LONGEST, 3, 0);
          send(0, 4, 0);
          send(5_000, 5, 0);
          drain();
          assertTrue(client.bundle().connects() > before);
          assertEquals(List.of(3L, 4L, 5L), back);
          assertEquals(4, freed);
        });
    server.run(() -> assertEquals(List.of(1L, 2L, 3L, 4L, 5L), taken));
    assertTrue(!isDamaged);
  }

  @Test
  void transfersThatAreRefusedComeBackInTheirTurn() {
    connect(Fabric.open("shm"), false);
    client.run(
        () -> {
          send(20_000, 1);
          send(LONGEST + 1, 2);
          send(30_000, 3);
          send(0, 4);
          from.bulkInto(0, NOTE, new long[] {5}, payload(5, 9_000), 0, 9_000, 0, () -> freed++);
          send(40_000, 6);
          drain();
          boolean _ = client.bundle().poll() > 0;
          assertEquals(6, freed);
          assertEquals(
              List.of(
                  new ComeBack(2, Reason.TOO_LONG),
                  new ComeBack(5, Reason.TOO_LONG)), // there is no segment
              returned);
        });
    server.run(() -> assertEquals(List.of(1L, 3L, 4L, 6L), taken));
    assertTrue(!isDamaged);
  }

  @Test
  void aPlaceIsNotOverwrittenBeforeItsHandlerHasRun() {
    connect(Fabric.open("shm"), true);
    client.run(
        () -> {
          for (int i = 0; i < 40; i++) {
            int length = 20_000 + i;
            long place = (i % 3) * 10_000L;
            long[] words = {i};
            from.bulkInto(0, NOTE, words, payload(i, length), 0, length, place, () -> freed++);
          }
          drain();
          assertEquals(40, freed);
        });
    server.run(() -> assertEquals(40, taken.size()));
    assertTrue(!isDamaged);
  }

  /// The side that is mapped sends long requests, as servers of calls do, and long replies. Their
  /// pieces have one order, whatever has waited for a credit.
  @ParameterizedTest
  @ValueSource(strings = {"shm", "uring"})
  void requestsAndRepliesInBulkKeepTheirOwnBytes(String provider) {
    connect(OPTIONS.withCredits(8), Fabric.open(provider), false);
    int length = 9_000;
    for (int round = 0; round < 10; round++) {
      long first = 1_000L * (round + 1);
      client.run(
          () -> {
            for (int i = 0; i < 6; i++) {
              send(200, first + i, 0, length); // a short one, with a long reply
            }
          });
      server.run(
          () -> {
            while (replyingOver == null) {
              boolean _ = server.bundle().await(PATIENCE);
            }
            for (int i = 100; i < 112; i++) {
              replyingOver.send(note(first + i, length));
            }
            ENDPOINTS.touched(at, replyingOver);
          });
    }
    client.run(
        () -> {
          while (back.size() < 180 && lost.isEmpty()) {
            boolean _ = client.bundle().await(PATIENCE);
          }
          drain();
          assertEquals(List.of(), lost);
          assertEquals(180, Set.copyOf(back).size());
        });
    assertTrue(!isDamaged, "a transfer has the bytes of another one");
  }

  /// Neither side accepts while it connects, so both have to give way.
  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp", "uring"})
  void bothSidesConnectForTheirTransfersAtOnce(String provider) throws Exception {
    connect(Fabric.open(provider), false);
    String anyAddress = provider.equals("shm") ? "*" : "127.0.0.1:0";
    AtomicInteger fromServer = new AtomicInteger();
    String back =
        client.call(
            () -> {
              from.handler(NOTE, (token, message) -> fromServer.addAndGet((int) check(message)));
              return client.bundle().listen(provider, anyAddress);
            });
    for (int round = 1; round <= 3; round++) {
      server.run(() -> at.map(0, provider, back, "client", 2, PATIENCE));
      FutureTask<Boolean> reverse = server.start(() -> sendsALongOne(at));
      assertTrue(client.call(() -> sendsALongOne(from)));
      assertTrue(reverse.get(), () -> server.bundle().describe());
      assertEquals(round, fromServer.get());
      server.run(() -> at.unmap(0));
      client.run(
          () -> {
            from.unmap(0);
            from.map(0, provider, address, "server", 1, PATIENCE);
          });
    }
    server.run(() -> assertEquals(List.of(1L, 1L, 1L), taken));
    assertTrue(!isDamaged);
  }

  private static boolean sendsALongOne(Endpoint endpoint) {
    endpoint.bulk(0, NOTE, new long[] {1}, payload(1, LONGEST), 0, LONGEST, () -> {});
    return endpoint.drain(PATIENCE);
  }

  private static BulkSend note(long word, int length) {
    long[] words = {word};
    Bytes payload = payload(word, length);
    return new BulkSend(payload, 0, length, false, BACK, words, -1, 0, () -> {});
  }

  /// A session that has moved a long transfer, and then has nothing to do, outlives its patience.
  @ParameterizedTest
  @ValueSource(strings = {"shm", "uring"})
  void anIdleSessionOutlivesItsPatienceAfterALongTransfer(String provider) {
    Duration brief = Duration.ofSeconds(1);
    connect(OPTIONS.withPatience(brief), Fabric.open(provider), false);
    client.run(
        () -> {
          for (int i = 0; i < 10; i++) {
            send(100_000, i, 0);
            drain();
          }
          long start = System.nanoTime();
          while (System.nanoTime() - start < brief.toNanos() * 5 / 4) {
            boolean _ = client.bundle().await(brief);
          }
          assertEquals(List.of(), lost);
          send(100_000, 10, 0);
          drain();
          assertEquals(11, back.size());
        });
    assertTrue(!isDamaged);
  }

  /// Each interface is lost now and then, in the middle of a transfer too.
  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp", "uring"})
  void transfersGoOnWhenAnInterfaceIsLost(String provider) {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    connect(FaultyFabric.open(provider, Faults.NONE.withSeed(seed).withCut(0.02)), false);
    client.run(
        () -> {
          for (int i = 0; i < 20; i++) {
            send(1_000 + 2_000 * i, i, 0);
          }
          drain();
          assertEquals(20, freed, () -> "seed " + seed + ", " + lost);
          assertEquals(IntStream.range(0, 20).mapToObj(i -> (long) i).toList(), back);
          assertTrue(client.bundle().connects() > 2, () -> "nothing was cut, seed " + seed);
        });
    assertTrue(!isDamaged, () -> "seed " + seed);
  }
}
