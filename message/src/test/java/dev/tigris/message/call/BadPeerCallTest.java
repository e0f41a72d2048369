package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.Options;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// One peer that cannot be reached, answers nothing or reads nothing: the others are served.
class BadPeerCallTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int CALLS = 100;
  private static final CallOptions BRIEF =
      CallOptions.DEFAULT
          .withDeadline(Duration.ofSeconds(5))
          .withMessages(CallOptions.DEFAULT.messages().withPatience(Duration.ofMillis(500)));

  private final Book book = new Book();

  private CallServer serve(Fabric fabric) {
    return Calls.serve(
        fabric, "orders@*", ServerOptions.DEFAULT, Calls.service(Orders.class, book));
  }

  private static Fabric hooked(HookedProvider.Hook hook) {
    return Fabric.open(new HookedProvider(Fabric.provider("shm"), hook));
  }

  @Test
  void aServerWithoutAnAddressHoldsUpNoOther() {
    AtomicInteger attempts = new AtomicInteger();
    HookedProvider.Hook hook =
        (address, nanos) -> {
          if (address.equals("gone")) {
            attempts.incrementAndGet();
            throw new NetException("connect to", address, "the name has no address", null);
          }
          return null;
        };
    try (Fabric fabric = hooked(hook);
        CallServer server = serve(fabric)) {
      String servers = "orders@gone,orders@" + server.address();
      Orders orders = Calls.client(Orders.class, fabric, servers, BRIEF);
      assertEquals(20, orders.findQuantity(2));
      int before = attempts.get();
      Wait.until(
          "it is tried again",
          () -> {
            assertEquals(30, orders.findQuantity(3));
            return attempts.get() > before;
          });
      assertEquals(40, orders.findQuantity(4));
      Calls.close(orders);
    }
  }

  @Test
  void callsEndWhenTheThreadOfTheirClientFails() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    CompletableFuture<Boolean> fails = new CompletableFuture<>();
    HookedProvider.Hook hook =
        (address, nanos) -> {
          if (fails.isDone() && Thread.currentThread().getName().startsWith("tigris-calls")) {
            failed.countDown();
            throw new IllegalStateException("the provider fails, as it is asked to");
          }
          return null;
        };
    try (Fabric fabric = hooked(hook)) {
      Orders orders;
      String at;
      try (CallServer server = serve(fabric)) {
        at = "orders@" + server.address();
        orders = Calls.client(Orders.class, fabric, "orders@" + server.address(), BRIEF);
        assertEquals(20, orders.findQuantity(2));
        fails.complete(true);
      }
      try (CallServer _ =
          Calls.serve(fabric, at, ServerOptions.DEFAULT, Calls.service(Orders.class, book))) {
        assertTrue(failed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "it connects no more");
        for (int i = 0; i < 3; i++) {
          CompletableFuture<Long> call = orders.count();
          var ended =
              assertThrows(
                  ExecutionException.class, () -> call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
          assertInstanceOf(CallException.class, ended.getCause());
        }
        Calls.close(orders);
      }
    }
  }

  @Test
  void aSilentServerLeavesTheOthersTimeToBeConnectedTo() {
    HookedProvider.Hook hook =
        (address, nanos) -> address.equals("silent") ? afterSilence(nanos) : null;
    try (Fabric fabric = hooked(hook);
        CallServer server = serve(fabric)) {
      String servers = "orders@silent,orders@" + server.address();
      CallOptions options = BRIEF.withConnecting(Duration.ofSeconds(1));
      Orders orders = Calls.client(Orders.class, fabric, servers, options);
      assertEquals(20, orders.findQuantity(2));
      Calls.close(orders);
    }
  }

  /// Does as a host that swallows packets.
  private static ConnectResult afterSilence(long nanos) {
    try {
      boolean _ = new CountDownLatch(1).await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ConnectResult.timedOut();
  }

  @Test
  void aClientThatReadsNoRepliesHoldsUpNoOther() throws Exception {
    try (Fabric fabric = Fabric.open("shm");
        CallServer server = serve(fabric)) {
      book.gate = new CountDownLatch(1);
      CountDownLatch isCalled = new CountDownLatch(1);
      CountDownLatch isOver = new CountDownLatch(1);
      Thread deaf =
          Thread.ofPlatform().start(() -> callAndReadNothing(fabric, server, isCalled, isOver));
      assertTrue(isCalled.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
      Wait.until("all of them run", () -> book.running.get() == CALLS);
      book.gate.countDown(); // more replies than there are credits
      Wait.until("all have returned", () -> book.running.get() == 0);
      Orders orders =
          Calls.client(Orders.class, fabric, "orders@" + server.address(), CallOptions.DEFAULT);
      for (int i = 1; i <= 50; i++) {
        assertEquals(10L * i, orders.findQuantity(i));
      }
      assertTrue(server.statistics().underWay() > 0, "the other one has got all of its replies");
      isOver.countDown();
      deaf.join();
      Wait.until(
          () -> "it is out: " + server.statistics(),
          PATIENCE,
          () -> server.statistics().underWay() == 0);
      Calls.close(orders);
    }
  }

  private static void callAndReadNothing(
      Fabric fabric, CallServer server, CountDownLatch isCalled, CountDownLatch isOver) {
    long method =
        ServiceModel.of(Orders.class).methods().stream()
            .filter(each -> each.signature().name().equals("block"))
            .findFirst()
            .orElseThrow()
            .signature()
            .id();
    Options few = CallOptions.MESSAGES.withCredits(CALLS / 2);
    try (Bundle bundle = Bundle.open(few, List.of(fabric))) {
      Endpoint endpoint = bundle.endpoint("deaf", 1);
      endpoint.map(0, "shm", server.address(), "orders", CallOptions.TAG, PATIENCE);
      for (int i = 1; i <= CALLS; i++) {
        long[] words = {
          method, i, Duration.ofHours(1).toNanos(), 0, Duration.ofHours(1).toMillis()
        };
        endpoint.request(0, Frames.CALL, words, null, 0, 0);
      }
      assertTrue(endpoint.drain(PATIENCE));
      isCalled.countDown(); // from now on it does not poll
      isOver.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aCancelThatComesBeforeTheFutureOfAMethodEndsTheCall() throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    Book waits =
        new Book() {
          @Override
          public CompletableFuture<Long> count() {
            runs.countDown();
            while (!Calls.current().isCancelled()) {
              Thread.onSpinWait();
            }
            return new CompletableFuture<>();
          }
        };
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(
                fabric, "orders@*", ServerOptions.DEFAULT, Calls.service(Orders.class, waits))) {
      Orders orders =
          Calls.client(Orders.class, fabric, "orders@" + server.address(), CallOptions.DEFAULT);
      CompletableFuture<Long> call = orders.count();
      assertTrue(runs.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
      assertTrue(call.cancel(true));
      Wait.until(
          () -> "it is under way: " + server.statistics(),
          PATIENCE,
          () -> server.statistics().underWay() == 0 && server.statistics().buffers() == 0);
      assertTrue(server.drain(PATIENCE));
      Calls.close(orders);
    }
  }
}
