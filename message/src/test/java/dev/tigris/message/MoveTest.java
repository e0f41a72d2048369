package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.channel.Channel;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Endpoints that move: where others find them, and what the bundle does meanwhile that they move
/// to.
class MoveTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Options SMALL =
      Options.DEFAULT.withPayloadBytes(1024).withCredits(4).withReceives(4);
  private static final int ECHO = 1;
  private static final int BACK = 2;
  private static final int TRANSFER_BYTES = 16 << 20;

  /// Answers until it is killed.
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) {
      try (Bundle bundle = Bundle.open(SMALL, "tcp")) {
        Endpoint at = bundle.endpoint("server", 1);
        at.handler(ECHO, (token, message) -> token.reply(BACK));
        System.out.println(bundle.listen("tcp", "127.0.0.1:0"));
        while (true) {
          boolean _ = bundle.await(Duration.ofSeconds(1));
        }
      }
    }
  }

  private static void answer(Endpoint at) {
    at.handler(ECHO, (token, message) -> token.reply(BACK));
  }

  private static String address(Endpoint of) {
    return of.peerOf(of.channels()[0]).address();
  }

  @Test
  void aBundleThatListensEverywhereIsFoundAtTheHostThatIsKnown() {
    try (Party first = new Party(SMALL, "tcp");
        Party second = new Party(SMALL, "tcp");
        Party client = new Party(SMALL, "tcp")) {
      Endpoint[] at = new Endpoint[1];
      String address =
          first.call(
              () -> {
                at[0] = first.bundle().endpoint("server", 1);
                answer(at[0]);
                return first.bundle().listen("tcp", "127.0.0.1:0");
              });
      String everywhere = second.call(() -> second.bundle().listen("tcp", "0.0.0.0:0"));
      Endpoint from =
          client.call(
              () -> {
                Endpoint made = client.bundle().endpoint("client", 2);
                made.handler(BACK, (token, message) -> {});
                made.map(0, "tcp", address, "server", 1, PATIENCE);
                return made;
              });
      first.run(() -> at[0].moveTo(second.bundle()));
      client.run(
          () -> {
            from.request(0, ECHO);
            assertTrue(from.drain(PATIENCE));
            assertEquals(everywhere.replace("0.0.0.0", "127.0.0.1"), address(from));
          });
    }
  }

  /// Each side moves in the middle of a transfer: what was not taken is sent again over the next
  /// interface, and the handler runs once.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm", "uring"})
  void anEndpointMovesWithATransferThatIsHalfSent(String provider) throws Exception {
    String anyAddress = provider.equals("shm") ? "*" : "127.0.0.1:0";
    try (Party first = new Party(SMALL, provider);
        Party second = new Party(SMALL, provider);
        Party client = new Party(SMALL, provider);
        Party otherClient = new Party(SMALL, provider)) {
      List<Integer> lengths = new ArrayList<>();
      boolean[] isDamaged = new boolean[1];
      Endpoint at = first.call(() -> first.bundle().endpoint("server", 1));
      String address =
          first.call(
              () -> {
                at.handler(
                    ECHO,
                    (token, message) -> {
                      lengths.add((int) message.payloadBytes());
                      isDamaged[0] |= !Arrays.equals(content(), message.array());
                    });
                return first.bundle().listen(provider, anyAddress);
              });
      String _ = second.call(() -> second.bundle().listen(provider, anyAddress));
      int[] freed = new int[1];
      Endpoint from = client.call(() -> client.bundle().endpoint("client", 2));
      client.run(() -> from.map(0, provider, address, "server", 1, PATIENCE));
      FutureTask<Boolean> moving =
          first.start(() -> moveWhileATransferIsOffered(first, at, second));
      client.run(
          () -> {
            from.bulk(0, ECHO, new long[0], transfer(), 0, TRANSFER_BYTES, () -> freed[0]++);
            assertTrue(from.drain(PATIENCE));
          });
      assertTrue(moving.get(10, TimeUnit.SECONDS));
      client.run(
          () -> {
            from.bulk(0, ECHO, new long[0], transfer(), 0, TRANSFER_BYTES, () -> freed[0]++);
            assertTrue(moveWhileATransferIsOffered(client, from, otherClient));
          });
      otherClient.run(() -> assertTrue(from.drain(PATIENCE)));
      Wait.until("both are free", () -> otherClient.call(() -> freed[0] == 2));
      second.run(() -> assertEquals(List.of(TRANSFER_BYTES, TRANSFER_BYTES), lengths));
      assertFalse(isDamaged[0]);
    }
  }

  /// Moves an endpoint between two pieces of a transfer: on its thread, before the transfer begins.
  private static boolean moveWhileATransferIsOffered(Party at, Endpoint moves, Party to) {
    Channel channel = moves.channels()[0];
    while (!channel.hasTransfers()) {
      boolean _ = at.bundle().await(Duration.ofMillis(1));
    }
    boolean isUnderWay = channel.hasTransfers();
    moves.moveTo(to.bundle());
    return isUnderWay;
  }

  private static byte[] content() {
    byte[] bytes = new byte[TRANSFER_BYTES];
    new SplittableRandom(1).nextBytes(bytes);
    return bytes;
  }

  private static Bytes transfer() {
    Bytes bytes = Jbuf.allocate(TRANSFER_BYTES, "test").asBytes();
    bytes.copyFrom(0, content(), 0, TRANSFER_BYTES);
    return bytes;
  }

  @Test
  void anEndpointThatMovesToABundleThatClosesStaysOrIsClosed() throws Exception {
    try (Party source = new Party(SMALL, "tcp")) {
      for (int i = 0; i < 20; i++) {
        String name = "endpoint " + i;
        Endpoint moves = source.call(() -> source.bundle().endpoint(name, 1));
        Party target = new Party(SMALL, "tcp");
        FutureTask<Boolean> moving = source.start(() -> isMoved(moves, target.bundle()));
        target.close();
        if (moving.get(10, TimeUnit.SECONDS)) {
          assertTrue(moves.toString().contains("closed"), moves::toString);
        } else {
          source.run(
              () -> {
                assertSame(source.bundle(), moves.bundle());
                moves.close();
              });
        }
      }
    }
  }

  private static boolean isMoved(Endpoint moves, Bundle to) {
    try {
      moves.moveTo(to);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Test
  void aPeerThatDoesNotAnswerHoldsUpNoOther() {
    try (Child stopped = Jvm.of(Server.class).quick().command().start();
        Party server = new Party(SMALL, "tcp");
        Party first = new Party(SMALL, "tcp");
        Party second = new Party(SMALL, "tcp")) {
      String silent = stopped.nextLine();
      String address =
          server.call(
              () -> {
                answer(server.bundle().endpoint("server", 1));
                return server.bundle().listen("tcp", "127.0.0.1:0");
              });
      int[] back = new int[1];
      Endpoint from =
          first.call(
              () -> {
                Endpoint made = first.bundle().endpoint("client", 2);
                made.handler(BACK, (token, message) -> back[0]++);
                made.map(0, "tcp", silent, "server", 1, PATIENCE);
                made.map(1, "tcp", address, "server", 1, PATIENCE);
                return made;
              });
      stopped.pause();
      first.run(() -> from.moveTo(second.bundle())); // it connects to both again
      second.run(
          () -> {
            for (int i = 1; i <= 100; i++) {
              from.request(1, ECHO);
              while (back[0] < i) {
                boolean _ = second.bundle().await(PATIENCE);
              }
            }
            assertEquals(1, second.bundle().connects());
            from.request(0, ECHO);
          });
      stopped.resume();
      Wait.until("the silent one has answered", () -> second.call(() -> back[0] == 101));
    }
  }
}
