package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Wait;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// All memory comes back, however a session ends.
class MemoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Options SMALL =
      Options.DEFAULT.withPayloadBytes(4096).withCredits(4).withReceives(4);

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void givesAllMemoryBackWhenSessionsEnd(String provider) {
    try (Party server = new Party(SMALL, provider);
        Party client = new Party(SMALL, provider)) {
      String address =
          server.call(
              () -> {
                Endpoint at = server.bundle().endpoint("server", 1);
                at.handler(1, (token, message) -> token.reply(1));
                return server
                    .bundle()
                    .listen(provider, provider.equals("shm") ? "*" : "127.0.0.1:0");
              });
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 2);
            from.handler(1, (token, message) -> {});
            from.errorHandler(returned -> {});
            for (int i = 0; i < 5; i++) {
              from.map(0, provider, address, "server", 1, PATIENCE);
              Bytes payload = Jbuf.allocate(100_000, "payload").asBytes();
              from.bulk(0, 1, new long[0], payload, 0, 100_000, () -> {});
              if (i % 2 == 0) {
                assertTrue(from.drain(PATIENCE));
              }
              from.unmap(0);
            }
          });
    }
    Wait.until(
        () -> "it is held: " + Jbuf.use(),
        Duration.ofSeconds(20),
        () -> {
          System.gc();
          return held("messages") + held("payload") == 0;
        });
  }

  private static long held(String owner) {
    return Jbuf.use().bytesByOwner().getOrDefault(owner, 0L);
  }
}
