package dev.tigris.verify.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.Message;
import dev.tigris.message.Options;
import dev.tigris.message.Token;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.testing.Slow;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Messages of each kind and length over the providers of module `net-libfabric`, which module
/// `message` does not know of.
@Slow("the quick tier has them over shm, tcp and uring")
class LibfabricMessagesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ECHO = 1;
  private static final int BACK = 2;
  private static final int PAYLOAD = 8 << 10;
  private static final int REPLY = 512;
  private static final int[] LENGTHS = {0, 1, 7, REPLY, REPLY + 1, PAYLOAD, PAYLOAD + 1, 300_001};
  private static final int ROUNDS = 16;

  private static final Options OPTIONS =
      Options.DEFAULT.withPayloadBytes(PAYLOAD).withReplyBytes(REPLY).withCredits(16);

  private final TreeSet<Long> back = new TreeSet<>();
  private final CompletableFuture<String> address = new CompletableFuture<>();
  private volatile boolean isOver;
  private volatile boolean isDamaged;

  private static byte[] content(long number) {
    byte[] content = new byte[LENGTHS[(int) number % LENGTHS.length]];
    new SplittableRandom(number).nextBytes(content);
    return content;
  }

  private static Bytes memory(byte[] content) {
    Bytes bytes = Jbuf.allocate(Math.max(1, content.length), "test").asBytes();
    bytes.copyFrom(0, content, 0, content.length);
    return bytes;
  }

  private long checked(Message message) {
    long number = message.word(0);
    isDamaged |= !Arrays.equals(content(number), message.array());
    return number;
  }

  private void echo(Token token, Message message) {
    long[] words = {checked(message)};
    byte[] content = message.array();
    if (content.length <= REPLY) {
      token.reply(BACK, words, memory(content), 0, content.length);
    } else {
      token.bulk(BACK, words, memory(content), 0, content.length, () -> {});
    }
  }

  private void serve(Fabric fabric, String provider) {
    try (Bundle bundle = Bundle.open(OPTIONS, List.of(fabric))) {
      Endpoint at = bundle.endpoint("server", 1);
      at.handler(ECHO, this::echo);
      address.complete(bundle.listen(provider, "127.0.0.1:0"));
      while (!isOver) {
        boolean _ = bundle.await(Duration.ofMillis(100));
      }
    } catch (RuntimeException e) {
      address.completeExceptionally(e);
      throw e;
    }
  }

  private static Fabric open(String provider) {
    try {
      return Fabric.open(provider);
    } catch (NetException e) {
      assumeTrue(false, e.getMessage());
      throw e;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"libfabric", "libfabric-rdm"})
  void arriveOnceAndAreAnswered(String provider) throws Exception {
    try (Fabric fabric = open(provider)) {
      Thread server = Thread.ofPlatform().start(() -> serve(fabric, provider));
      try (Bundle bundle = Bundle.open(OPTIONS, List.of(fabric))) {
        Endpoint from = bundle.endpoint("client", 2);
        from.handler(BACK, (token, message) -> assertTrue(back.add(checked(message))));
        String where = address.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        from.map(0, provider, where, "server", 1, PATIENCE);
        int count = ROUNDS * LENGTHS.length;
        for (long i = 0; i < count; i++) {
          byte[] content = content(i);
          long[] words = {i};
          if (content.length <= PAYLOAD) {
            from.request(0, ECHO, words, memory(content), 0, content.length);
          } else {
            from.bulk(0, ECHO, words, memory(content), 0, content.length, () -> {});
          }
        }
        assertTrue(from.drain(PATIENCE), from::toString);
        while (back.size() < count && bundle.await(PATIENCE)) {
          // bulk replies arrive
        }
        assertEquals(count, back.size());
        assertEquals(0, from.handlerFailures());
      } finally {
        isOver = true;
        server.join();
      }
    }
    assertTrue(!isDamaged, "a message has arrived damaged");
  }
}
