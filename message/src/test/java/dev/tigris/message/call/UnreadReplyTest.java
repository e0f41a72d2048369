package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A client that calls and does not poll: what a server holds for it has a bound.
class UnreadReplyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final int LONG_REPLY = 8 << 10;

  private static long method(String name) {
    return ServiceModel.of(Orders.class).methods().stream()
        .map(ServiceModel.MethodModel::signature)
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow()
        .id();
  }

  private static Endpoint stranger(Bundle bundle, CallServer server) {
    Endpoint endpoint = bundle.endpoint("stranger", 1);
    endpoint.handler(Frames.REPLY, (token, message) -> {});
    endpoint.handler(Frames.ITEM, (token, message) -> {});
    endpoint.errorHandler(returned -> {});
    endpoint.map(0, "shm", server.address(), "orders", CallOptions.TAG, PATIENCE);
    return endpoint;
  }

  private static void awaitNothing(CallServer server) {
    Wait.until(
        () -> server.statistics().toString(),
        PATIENCE,
        () -> server.statistics().underWay() == 0 && server.statistics().buffers() == 0);
  }

  @Test
  void longRepliesThatAreNotReadKeepThePlacesOfTheirCalls() {
    ServerOptions small = ServerOptions.DEFAULT.withMostRunning(4).withMostQueued(4);
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(fabric, "orders@*", small, Calls.service(Orders.class, new Book()))) {
      try (Bundle bundle = Bundle.open(CallOptions.MESSAGES, List.of(fabric))) {
        Endpoint endpoint = stranger(bundle, server);
        Bytes payload = Jbuf.allocate(LONG_REPLY, "test").asBytes();
        for (int i = 1; i <= 16; i++) {
          int calls = i;
          long[] words = {method("reverse"), i, MINUTE_NANOS, 0, LONG_REPLY};
          endpoint.request(0, Frames.CALL, words, payload, 0, LONG_REPLY);
          bundle.flush();
          Wait.until(
              () -> server.statistics().toString(),
              PATIENCE,
              () -> server.statistics().started() == calls && server.statistics().underWay() == 0);
        }
        assertEquals(8, server.statistics().refused(), "the places of eight replies are taken");
        assertTrue(server.statistics().buffers() <= 8);
        assertTrue(endpoint.drain(PATIENCE));
      }
      awaitNothing(server);
    }
  }

  @Test
  void itemsThatAreNotReadHaveABoundWhateverIsGranted() {
    Book book = new Book();
    int window = 4;
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(
                fabric, "orders@*", ServerOptions.DEFAULT, Calls.service(Orders.class, book))) {
      try (Bundle bundle = Bundle.open(CallOptions.MESSAGES, List.of(fabric))) {
        Endpoint endpoint = stranger(bundle, server);
        Bytes payload = Jbuf.allocate(8, "test").asBytes();
        long[] open = {method("open"), 1, MINUTE_NANOS, window, 1_000_000, -1};
        endpoint.request(0, Frames.CALL, open, payload, 0, 0);
        for (int i = 0; i < 20; i++) {
          endpoint.request(0, Frames.GRANT, 1, Long.MAX_VALUE - i);
        }
        long[] count = {method("count"), 2, MINUTE_NANOS, 0};
        endpoint.request(0, Frames.CALL, count, payload, 0, 0);
        bundle.flush();
        Wait.until("all grants are there", () -> server.statistics().started() == 2);
        long most = CallOptions.MESSAGES.credits() + 2L * window + 2;
        long end = System.nanoTime() + 200_000_000;
        while (System.nanoTime() - end < 0) {
          assertTrue(book.produced.get() <= most, () -> book.produced.get() + " items");
          Thread.onSpinWait();
        }
        endpoint.request(0, Frames.CANCEL, 1);
        boolean _ = endpoint.drain(PATIENCE);
      }
      awaitNothing(server);
    }
  }
}
