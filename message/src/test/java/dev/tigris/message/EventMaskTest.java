package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.message.Bundle.Event;
import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A wait ends by the events of its mask alone (AM-II), and handlers run in any case.
class EventMaskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void aWaitEndsByTheEventsOfItsMaskAlone() {
    try (Fabric fabric = Fabric.open("shm");
        Party server = new Party(Options.DEFAULT, List.of(fabric));
        Party client = new Party(Options.DEFAULT, List.of(fabric))) {
      String address =
          server.call(
              () -> {
                Endpoint at = server.bundle().endpoint("server", 1);
                at.handler(1, (token, message) -> {});
                at.handler(2, (token, message) -> token.reply(1));
                return server.bundle().listen("shm", "*");
              });
      client.run(() -> waits(client.bundle(), address));
    }
  }

  private static void waits(Bundle bundle, String address) {
    List<String> heard = new ArrayList<>();
    Endpoint from = bundle.endpoint("client", 2);
    from.handler(1, (token, message) -> heard.add("reply"));
    from.errorHandler(returned -> heard.add(returned.reason().toString()));
    from.map(0, "shm", address, "server", 1, PATIENCE);

    bundle.mask(Set.of(Event.ACKNOWLEDGED));
    from.request(0, 1);
    assertTrue(bundle.await(PATIENCE), "the server has acknowledged");
    assertEquals(List.of(), heard);

    bundle.mask(Set.of(Event.MESSAGE));
    from.request(0, 2);
    assertTrue(bundle.await(PATIENCE));
    assertEquals(List.of("reply"), heard);

    bundle.mask(Set.of(Event.NOTICE));
    from.request(0, 2);
    while (heard.size() < 2) {
      assertFalse(bundle.await(SHORT), "a reply is no notice");
    }
    from.request(0, 3);
    assertTrue(bundle.await(PATIENCE));
    assertEquals(List.of("reply", "reply", "NO_HANDLER"), heard);

    bundle.mask(Set.of());
    from.request(0, 2);
    while (heard.size() < 4) {
      assertFalse(bundle.await(SHORT), "nothing ends it but time");
    }
  }
}
