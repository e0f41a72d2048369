package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// A server dies, stops, or starts anew: each call ends once, methods that must run once are not
/// tried again, others are, and no buffer is lost.
class LostServerTest {
  private static final CallOptions OPTIONS =
      CallOptions.DEFAULT
          .withDeadline(Wait.PATIENCE)
          .withMessages(CallOptions.DEFAULT.messages().withPatience(Duration.ofSeconds(1)));

  /// With a patience that a live server does not use up.
  private static final CallOptions ONCE =
      OPTIONS.withMessages(OPTIONS.messages().withPatience(Duration.ofSeconds(2)));

  /// A server that is to be killed.
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) throws Exception {
      Fabric fabric = Fabric.open(arguments[0]);
      Book book = new Book();
      book.gate = new CountDownLatch(1);
      CallServer server =
          Calls.serve(
              fabric,
              "orders@" + arguments[1],
              ServerOptions.DEFAULT,
              Calls.service(Orders.class, book));
      System.out.println(server.address());
      new CountDownLatch(1).await();
    }
  }

  private static Child server(String provider, String address) {
    return Jvm.of(Server.class).quick().command(provider, address).start();
  }

  private static String anyAddress(String provider) {
    return provider.equals("shm") ? "*" : "127.0.0.1:0";
  }

  private static void checkAllIsBack(Orders orders) {
    Wait.until(
        () -> "it is out: " + Calls.statistics(orders),
        Duration.ofSeconds(20),
        () -> Calls.statistics(orders).buffers() == 0);
    assertEquals(0, Calls.statistics(orders).underWay());
  }

  @Test
  void callsOfADeadServerGoToAnotherOne() throws Exception {
    checkDeadServer("tcp");
  }

  @Test
  @Slow("two other processes")
  void callsOfADeadServerGoToAnotherOneOverShm() throws Exception {
    checkDeadServer("shm");
  }

  private static void checkDeadServer(String provider) throws Exception {
    try (Child first = server(provider, anyAddress(provider));
        Child second = server(provider, anyAddress(provider));
        Fabric fabric = Fabric.open(provider)) {
      String at = "orders@%s,orders@%s".formatted(first.nextLine(), second.nextLine());
      Orders orders = Calls.client(Orders.class, fabric, at, OPTIONS);
      for (int i = 0; i < 8; i++) {
        place(orders);
      }
      List<Future<Long>> again = new ArrayList<>();
      boolean wereUnderWay;
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 4; i++) {
          again.add(threads.submit(() -> orders.sleep(1_000)));
        }
        Wait.until("they are sent", () -> Calls.statistics(orders).underWay() == 4);
        first.kill();
        wereUnderWay = again.stream().noneMatch(Future::isDone);
        for (Future<Long> each : again) {
          assertEquals(1_000, each.get(), "an idempotent method is tried again");
        }
      }
      assertTrue(!wereUnderWay || Calls.statistics(orders).retried() >= 1);
      AtomicInteger served = new AtomicInteger();
      Wait.until(
          "calls go to the other one",
          () -> {
            try {
              assertEquals(20, orders.findQuantity(2));
              return served.incrementAndGet() == 20;
            } catch (CallException e) { // a busy machine: that one was silent for a second, too
              return false;
            }
          });
      Wait.until(
          "results are collected",
          () -> {
            System.gc();
            return Calls.statistics(orders).buffers() == 0;
          });
      checkAllIsBack(orders);
      Calls.close(orders);
    }
  }

  /// Calls a method that must run once. Where the machine is busy, a server may be silent for as
  /// long as one that is dead.
  private static void place(Orders orders) {
    try {
      Receipt receipt = orders.place(Order.of(Calls.container(orders), 1, 1, "x"));
      Calls.release(orders, receipt);
    } catch (CallException e) {
      assertEquals(Status.UNAVAILABLE, e.status());
    }
  }

  @Test
  void callsThatMayHaveRunAreNotTriedAgain() throws Exception {
    checkOnce("shm");
  }

  @Test
  @Slow("two other processes")
  void callsThatMayHaveRunAreNotTriedAgainOverTcp() throws Exception {
    checkOnce("tcp");
  }

  private static void checkOnce(String provider) throws Exception {
    String at;
    Orders orders;
    try (Fabric fabric = Fabric.open(provider)) {
      try (Child server = server(provider, anyAddress(provider))) {
        at = server.nextLine();
        orders = Calls.client(Orders.class, fabric, "orders@" + at, ONCE);
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        Thread caller =
            Thread.ofVirtual()
                .start(
                    () ->
                        failed.complete(
                            assertThrows(CallException.class, () -> orders.block(60_000))));
        Wait.until("it runs", () -> orders.running() == 1);
        server.kill();
        caller.join();
        CallException failure = (CallException) failed.get();
        assertEquals(Status.UNAVAILABLE, failure.status());
        assertTrue(failure.text().contains("may have run"), failure.text());
        assertEquals(0, Calls.statistics(orders).retried());
      }
      if (provider.equals("tcp")) {
        try (Child _ = server(provider, at)) {
          assertEquals(0, orders.sum(false, (byte) 0, (short) 0, '\0', 0, 0, 0, 0));
        }
      }
      checkAllIsBack(orders);
      Calls.close(orders);
    }
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void callsOfAStoppedServerEndAtTheirDeadline() throws Exception {
    checkStoppedServer("tcp");
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void callsOfAStoppedServerEndAtTheirDeadlineOverShm() throws Exception {
    checkStoppedServer("shm");
  }

  private static void checkStoppedServer(String provider) throws Exception {
    try (Child server = server(provider, anyAddress(provider));
        Fabric fabric = Fabric.open(provider)) {
      String at = "orders@" + server.nextLine();
      Orders orders =
          Calls.client(Orders.class, fabric, at, OPTIONS.withDeadline(Duration.ofMillis(300)));
      server.pause();
      List<CompletableFuture<Long>> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        all.add(orders.count());
      }
      for (CompletableFuture<Long> each : all) {
        ExecutionException failure =
            assertThrows(ExecutionException.class, () -> each.get(20, TimeUnit.SECONDS));
        Status status = ((CallException) failure.getCause()).status();
        assertTrue(
            status == Status.DEADLINE_EXCEEDED || status == Status.UNAVAILABLE, status::toString);
      }
      checkAllIsBack(orders);
      server.resume();
      Wait.until(
          "it is connected to again",
          () -> {
            try {
              return orders.sum(true, (byte) 0, (short) 0, '\0', 0, 0, 0, 0) == 1;
            } catch (CallException e) {
              return false;
            }
          });
      Calls.close(orders);
    }
  }
}
