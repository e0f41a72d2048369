package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// One client does not keep a server from the others.
class FairShareTest {
  private static final int TOTAL = 64;

  @Test
  void oneClientAloneTakesSevenEighthsOfThePlaces() {
    Places places = new Places(TOTAL);
    assertEquals(TOTAL - 7, takeAll(places, 0));
    Places few = new Places(8);
    assertEquals(8, takeAll(few, 0), "of a few places all");
  }

  private static int takeAll(Places places, int has) {
    int count = has;
    while (places.mayTake(count)) {
      places.take();
      count++;
    }
    return count;
  }

  @Test
  void clientsThatWantAllEndWithAsManyAsTheOthers() {
    Places places = new Places(TOTAL);
    int[] has = {takeAll(places, 0), 0, 0};
    for (int round = 0; round < 1000; round++) {
      int ends = round % 3;
      if (has[ends] > 0) {
        places.giveBack();
        has[ends]--;
      }
      for (int i = 0; i < 3; i++) {
        has[i] = takeAll(places, has[i]);
      }
    }
    for (int each : has) {
      assertTrue(each >= 18 && each <= 22, () -> "%s of %d".formatted(List.of(each), TOTAL));
    }
    assertTrue(has[0] + has[1] + has[2] <= TOTAL);
  }

  @Test
  void aClientThatTakesAllItCanHoldsUpNoOther() throws InterruptedException {
    Book book = new Book();
    book.gate = new CountDownLatch(1);
    ServerOptions small = ServerOptions.DEFAULT.withMostRunning(16).withMostQueued(16);
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(fabric, "orders@*", small, Calls.service(Orders.class, book))) {
      Orders greedy = client(fabric, server);
      AtomicInteger refused = new AtomicInteger();
      AtomicInteger served = new AtomicInteger();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        callers.add(Thread.ofVirtual().start(() -> block(greedy, refused, served)));
      }
      Wait.until(
          () -> "%s, %d refused".formatted(server.statistics(), refused.get()),
          Wait.PATIENCE,
          () -> refused.get() == 60 - 29 && book.running.get() == 15);
      for (int i = 1; i <= 2; i++) {
        Orders other = client(fabric, server);
        for (int n = 0; n < 20; n++) {
          assertEquals(10L * i, other.findQuantity(i), "others are served, one call at a time");
        }
        Calls.close(other);
      }
      assertEquals(15, book.running.get(), "while that one waits");
      book.gate.countDown();
      for (Thread each : callers) {
        each.join();
      }
      assertEquals(29, served.get(), "and is served in the end");
      callers.clear();
      refused.set(0);
      for (int i = 0; i < 20; i++) {
        callers.add(Thread.ofVirtual().start(() -> block(greedy, refused, served)));
      }
      for (Thread each : callers) {
        each.join();
      }
      assertEquals(49, served.get(), "its places are free again");
      Wait.until("all is given back", () -> server.statistics().buffers() == 0);
      Calls.close(greedy);
    }
  }

  private static Orders client(Fabric fabric, CallServer server) {
    return Calls.client(
        Orders.class,
        fabric,
        "orders@" + server.address(),
        CallOptions.DEFAULT.withDeadline(Duration.ofSeconds(60)));
  }

  private static void block(Orders orders, AtomicInteger refused, AtomicInteger served) {
    try {
      assertEquals(0, orders.block(60_000));
      served.incrementAndGet();
    } catch (CallException e) {
      assertEquals(Status.RESOURCE_EXHAUSTED, e.status());
      assertTrue(e.text().contains("by this client"), e.text());
      refused.incrementAndGet();
    }
  }
}
