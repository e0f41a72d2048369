package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Long bulk transfers arrive whole, once, and in their order, in each kind of memory.
class LongTransferTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int[] SIZES = {131_073, 1_048_577, 100, 65_536};
  private static final int LONGEST = 1_048_577;
  private static final Options SMALL = Options.DEFAULT.withPayloadBytes(16_384);

  private final List<Integer> lengths = new ArrayList<>();
  private final AtomicInteger answers = new AtomicInteger();
  private final AtomicInteger freed = new AtomicInteger();
  private volatile boolean isDamaged;

  private static byte[] content(int seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private static Bytes memory(byte[] content, boolean shared) {
    Bytes bytes =
        Jbuf.allocate(content.length, "test", shared ? PageKind.SHARED : PageKind.ORDINARY)
            .asBytes();
    bytes.copyFrom(0, content, 0, content.length);
    return bytes;
  }

  private String listen(Party server, String provider, String memory) {
    return server.call(
        () -> {
          Endpoint at = server.bundle().endpoint("server", 1);
          if (memory.equals("segment")) {
            at.segment(Jbuf.allocate(LONGEST, "test").asBytes());
          } else if (memory.equals("buffers")) {
            at.supply(List.of(Jbuf.allocate(LONGEST, "test"), Jbuf.allocate(LONGEST, "test")));
          }
          at.handler(
              1,
              (token, message) -> {
                int seed = (int) message.word(0);
                byte[] arrived = message.array();
                lengths.add(arrived.length);
                isDamaged |= !java.util.Arrays.equals(content(seed, arrived.length), arrived);
                Bytes back = memory(arrived, seed % 2 == 0);
                token.bulk(1, new long[] {seed}, back, 0, arrived.length, () -> {});
              });
          return server.bundle().listen(provider, provider.equals("shm") ? "*" : "127.0.0.1:0");
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shm:segment",
        "shm:buffers",
        "shm:arrays",
        "tcp:segment",
        "tcp:buffers",
        "tcp:arrays"
      })
  void arriveWhole(String where) {
    String provider = where.substring(0, where.indexOf(':'));
    String memory = where.substring(where.indexOf(':') + 1);
    try (Party server = new Party(SMALL, provider);
        Party client = new Party(SMALL, provider)) {
      String address = listen(server, provider, memory);
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 2);
            from.handler(
                1,
                (token, message) -> {
                  byte[] arrived = message.array();
                  isDamaged |=
                      !java.util.Arrays.equals(
                          content((int) message.word(0), arrived.length), arrived);
                  answers.incrementAndGet();
                });
            from.map(0, provider, address, "server", 1, PATIENCE);
            for (int i = 0; i < SIZES.length; i++) {
              Bytes payload = memory(content(i, SIZES[i]), i % 3 == 0);
              long[] words = {i};
              Runnable whenFree = freed::incrementAndGet;
              if (memory.equals("segment")) {
                from.bulkInto(0, 1, words, payload, 0, SIZES[i], 0, whenFree);
              } else {
                from.bulk(0, 1, words, payload, 0, SIZES[i], whenFree);
              }
            }
            boolean isOver = from.drain(PATIENCE);
            assertTrue(
                isOver, () -> client.bundle().describe() + "\n" + server.bundle().describe());
          });
      assertEquals(SIZES.length, answers.get());
      assertEquals(SIZES.length, freed.get());
    }
    assertTrue(!isDamaged, "a transfer has arrived damaged");
    assertArrayEquals(SIZES, lengths.stream().mapToInt(Integer::intValue).toArray());
  }
}
