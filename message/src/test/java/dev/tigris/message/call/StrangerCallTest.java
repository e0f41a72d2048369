package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// A peer that sends anything: the other side goes on, and each of its buffers is given back.
class StrangerCallTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final long seed = Long.getLong("tigris.test.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  private long[] words(List<Long> methods) {
    long[] words = new long[random.nextInt(9)];
    for (int i = 0; i < words.length; i++) {
      words[i] =
          switch (random.nextInt(4)) {
            case 0 -> random.nextInt(300);
            case 1 -> -random.nextInt(3);
            case 2 -> 1L << random.nextInt(64);
            default -> random.nextLong();
          };
    }
    if (words.length > 3 && random.nextInt(5) > 0) {
      words[0] = methods.get(random.nextInt(methods.size()));
      words[2] = random.nextInt(1_000_000_000);
    }
    return words;
  }

  @Test
  void aServerBearsAnyCall() {
    Book book = new Book();
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(
                fabric, "orders@*", ServerOptions.DEFAULT, Calls.service(Orders.class, book))) {
      // Those that would keep, or wait for long, are left out.
      List<Long> methods =
          ServiceModel.of(Orders.class).methods().stream()
              .map(each -> each.signature())
              .filter(each -> List.of("find", "place", "join", "reverse").contains(each.name()))
              .map(Signature::id)
              .toList();
      try (Bundle bundle = Bundle.open(CallOptions.MESSAGES, List.of(fabric))) {
        Endpoint endpoint = bundle.endpoint("stranger", 1);
        endpoint.handler(Frames.REPLY, (token, message) -> {});
        endpoint.handler(Frames.ITEM, (token, message) -> {});
        endpoint.errorHandler(returned -> {});
        endpoint.map(0, "shm", server.address(), "orders", CallOptions.TAG, PATIENCE);
        Bytes payload = Jbuf.allocate(1 << 16, "test").asBytes();
        for (int i = 0; i < 600; i++) {
          int length = random.nextInt(300);
          for (int at = 0; at < length; at++) {
            payload.set(at, (byte) random.nextInt());
          }
          int handler = 1 + random.nextInt(6);
          endpoint.request(0, handler, words(methods), payload, 0, length);
          if (i % 100 == 0) {
            endpoint.bulk(0, Frames.CALL, words(methods), payload, 0, 40_000, () -> {});
          }
        }
        assertTrue(endpoint.drain(PATIENCE), "seed " + seed);
      }
      Orders orders =
          Calls.client(Orders.class, fabric, "orders@" + server.address(), CallOptions.DEFAULT);
      Calls.release(orders, orders.find(3));
      Wait.until(
          () -> "seed %d: %s".formatted(seed, server.statistics()),
          PATIENCE,
          () -> server.statistics().underWay() == 0 && server.statistics().buffers() == 0);
      Calls.close(orders);
    }
  }

  @Test
  void aClientRefusesAServerThatDescribesNothing() throws Exception {
    try (Fabric fabric = Fabric.open("shm")) {
      CompletableFuture<String> address = new CompletableFuture<>();
      AtomicBoolean isOver = new AtomicBoolean();
      Thread stranger = Thread.ofPlatform().start(() -> answerAnything(fabric, address, isOver));
      String servers = "orders@" + address.get();
      for (int i = 0; i < 5; i++) {
        CallException refused =
            assertThrows(
                CallException.class,
                () ->
                    Calls.client(
                        Orders.class,
                        fabric,
                        servers,
                        CallOptions.DEFAULT.withConnecting(Duration.ofMillis(200))));
        assertEquals(Status.UNAVAILABLE, refused.status());
      }
      isOver.set(true);
      stranger.join();
    }
  }

  private void answerAnything(
      Fabric fabric, CompletableFuture<String> address, AtomicBoolean isOver) {
    try (Bundle bundle = Bundle.open(CallOptions.MESSAGES, List.of(fabric))) {
      Endpoint endpoint = bundle.endpoint("orders", CallOptions.TAG);
      endpoint.errorHandler(returned -> {});
      Bytes payload = Jbuf.allocate(1024, "test").asBytes();
      endpoint.handler(
          Frames.CALL,
          (token, message) -> {
            long[] words = {message.word(1), random.nextLong(2) * random.nextInt(300), 0};
            words[2] = random.nextBoolean() ? random.nextLong() : random.nextInt(200);
            for (int at = 0; at < 200; at++) {
              payload.set(at, (byte) random.nextInt());
            }
            token.reply(Frames.REPLY, words, payload, 0, random.nextInt(200));
          });
      boolean _ = address.complete(bundle.listen("shm", "*"));
      while (!isOver.get()) {
        boolean _ = bundle.await(Duration.ofMillis(20));
      }
    }
  }
}
