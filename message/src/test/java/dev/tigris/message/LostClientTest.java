package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A client dies, or stops, in the middle of a bulk transfer: the server hears of it once, and has
/// all memory back.
class LostClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Options BRIEF =
      Options.DEFAULT.withCredits(8).withPayloadBytes(4096).withPatience(Duration.ofSeconds(1));
  private static final int TRANSFER_BYTES = 256 << 10;
  private static final int BUFFERS = 3;

  /// Sends one transfer after the other, until it is killed.
  static final class Client {
    private Client() {}

    public static void main(String[] arguments) {
      try (Bundle bundle = Bundle.open(BRIEF.withPatience(PATIENCE), arguments[0])) {
        Endpoint from = bundle.endpoint("client", 2);
        from.handler(1, (token, message) -> {});
        from.map(0, arguments[0], arguments[1], "server", 1, PATIENCE);
        Bytes payload = Jbuf.allocate(TRANSFER_BYTES, "payload").asBytes();
        int[] free = {2};
        while (true) {
          if (free[0] > 0) {
            free[0]--;
            from.bulk(0, 1, new long[0], payload, 0, TRANSFER_BYTES, () -> free[0]++);
          }
          int _ = bundle.poll();
        }
      }
    }
  }

  @Test
  void givesAllMemoryBackWhenAClientIsKilled() {
    check("shm", Child::kill);
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void givesAllMemoryBackWhenAClientIsKilledOverTcp() {
    check("tcp", Child::kill);
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void givesAllMemoryBackWhenAClientStops() {
    check("shm", Child::pause);
    check("tcp", Child::pause);
  }

  /// An end of a client.
  private interface End {
    void of(Child client);
  }

  private static void check(String provider, End end) {
    List<String> lost = new ArrayList<>();
    int[] handled = new int[1];
    Endpoint[] at = new Endpoint[1];
    try (Party server = new Party(BRIEF, provider)) {
      String address =
          server.call(
              () -> {
                at[0] = server.bundle().endpoint("server", 1);
                at[0].supply(buffers());
                at[0].handler(
                    1,
                    (token, message) -> {
                      handled[0]++;
                      token.reply(1);
                    });
                at[0].errorHandler(
                    new ErrorHandler() {
                      @Override
                      public void undelivered(Returned returned) {}

                      @Override
                      public void lost(int entry, String why) {
                        lost.add(entry + ": " + why);
                      }
                    });
                return server
                    .bundle()
                    .listen(provider, provider.equals("shm") ? "*" : "127.0.0.1:0");
              });
      try (Child client = Jvm.of(Client.class).quick().command(provider, address).start()) {
        Wait.until("transfers have arrived", () -> server.call(() -> handled[0] > 2));
        end.of(client);
        Wait.until("it hears of the end", () -> server.call(() -> !lost.isEmpty()));
        Wait.until(
            () -> "it is held: " + Jbuf.use(),
            PATIENCE,
            () -> {
              System.gc();
              return held("messages") == 0 && server.call(() -> at[0].freeBuffers() == BUFFERS);
            });
      }
      server.run(() -> assertEquals(List.of("-1: it was not heard of for too long"), lost));
    }
  }

  private static List<Jbuf> buffers() {
    List<Jbuf> buffers = new ArrayList<>();
    for (int i = 0; i < BUFFERS; i++) {
      buffers.add(Jbuf.allocate(TRANSFER_BYTES, "supplied"));
    }
    return buffers;
  }

  private static long held(String owner) {
    return Jbuf.use().bytesByOwner().getOrDefault(owner, 0L);
  }
}
