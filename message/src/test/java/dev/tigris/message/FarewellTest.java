package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.net.Fabric;
import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultySubject;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// A farewell may be lost as other packets are. The peer hears it nevertheless, long before its
/// patience is over.
class FarewellTest {
  private static final long TAG = 7;
  private static final int ECHO = 1;
  private static final int BACK = 2;
  private static final int SESSIONS = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void isRepeatedUntilThePeerHearsIt() {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + seed);
    var subject = new FaultySubject("tcp", "127.0.0.1:0", Faults.NONE.withSeed(seed).withLoss(0.4));
    Options options = Options.DEFAULT.withLossy(true).withPatience(PATIENCE);
    List<String> ends = new CopyOnWriteArrayList<>();
    try (Fabric fabric = subject.open();
        Party server = new Party(options, List.of(fabric));
        Party client = new Party(options, List.of(fabric))) {
      String address =
          server.call(
              () -> {
                Endpoint at = server.bundle().endpoint("server", TAG);
                at.handler(ECHO, (token, message) -> token.reply(BACK));
                at.errorHandler(new Ends(ends));
                return server.bundle().listen(fabric.provider(), "127.0.0.1:0");
              });
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", TAG);
            List<Integer> replies = new ArrayList<>();
            from.handler(BACK, (token, message) -> replies.add(1));
            for (int i = 1; i <= SESSIONS; i++) {
              from.map(0, fabric.provider(), address, "server", TAG, PATIENCE);
              from.request(0, ECHO);
              while (replies.size() < i) {
                boolean _ = client.bundle().await(PATIENCE);
              }
              from.unmap(0); // the farewell alone acknowledges the reply
            }
          });
      Wait.until("the server has heard each farewell", () -> ends.size() == SESSIONS);
      assertEquals(List.of("the peer has closed it"), ends.stream().distinct().toList());
    }
  }

  private record Ends(List<String> whys) implements ErrorHandler {
    @Override
    public void undelivered(Returned message) {}

    @Override
    public void lost(int entry, String why) {
      whys.add(why);
    }
  }
}
