package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What is tried again and how often, what is cancelled before it runs, and deadlines that do not
/// pass on.
class CallRulesTest {
  private final Fabric fabric = Fabric.open("shm");
  private final List<Orders> clients = new ArrayList<>();
  private final List<CallServer> servers = new ArrayList<>();

  private CallServer serve(Book book, ServerOptions options) {
    CallServer made = Calls.serve(fabric, "orders@*", options, Calls.service(Orders.class, book));
    servers.add(made);
    return made;
  }

  private Orders client(CallServer at, CallOptions options) {
    Orders made = Calls.client(Orders.class, fabric, "orders@" + at.address(), options);
    clients.add(made);
    return made;
  }

  @AfterEach
  void nothingIsOut() {
    for (Orders each : clients) {
      Wait.until(
          () -> "it is out: " + Calls.statistics(each),
          Wait.PATIENCE,
          () -> Calls.statistics(each).buffers() == 0);
      Calls.close(each);
    }
    for (CallServer each : servers) {
      Wait.until(
          () -> "it is out: " + each.statistics(),
          Wait.PATIENCE,
          () -> each.statistics().buffers() == 0);
      each.close();
    }
    fabric.close();
  }

  /// Says that it is not available, whatever is called.
  private static final class Absent extends Book {
    private final AtomicInteger found = new AtomicInteger();

    @Override
    public Order find(long id) {
      found.incrementAndGet();
      throw new CallException(Status.UNAVAILABLE, "the shelf is locked");
    }

    @Override
    public Receipt place(Order order) {
      placed.incrementAndGet();
      throw new CallException(Status.UNAVAILABLE, "the shelf is locked");
    }
  }

  @Test
  void triesIdempotentMethodsAgainWhileTheBudgetLastsAndOthersNever() {
    Absent absent = new Absent();
    Orders orders = client(serve(absent, ServerOptions.DEFAULT), CallOptions.DEFAULT);
    for (int i = 1; i <= 5; i++) {
      assertEquals(
          Status.UNAVAILABLE, assertThrows(CallException.class, () -> orders.place(null)).status());
      assertEquals(i, absent.placed.get(), "one run for each call");
    }
    assertEquals(0, Calls.statistics(orders).retried());
    for (int i = 1; i <= 20; i++) {
      assertEquals(
          Status.UNAVAILABLE, assertThrows(CallException.class, () -> orders.find(1)).status());
    }
    long retried = Calls.statistics(orders).retried();
    assertEquals(20 + retried, absent.found.get());
    assertTrue(retried >= 10 && retried <= 12, () -> retried + ": ten, and a tenth of the calls");
  }

  @Test
  void aCallThatIsCancelledWhileItWaitsNeverRuns() {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicInteger counted = new AtomicInteger();
    Book book =
        new Book() {
          @Override
          public CompletableFuture<Long> count() {
            counted.incrementAndGet();
            return super.count();
          }
        };
    book.gate = gate;
    CallServer server = serve(book, ServerOptions.DEFAULT.withMostRunning(1));
    Orders orders = client(server, CallOptions.DEFAULT);
    Thread caller = Thread.ofVirtual().start(() -> assertEquals(0, orders.block(60_000)));
    Wait.until("it runs", () -> book.running.get() == 1);
    List<CompletableFuture<Long>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      waiting.add(orders.count());
    }
    Wait.until("they wait", () -> server.statistics().underWay() == 21);
    for (int i = 0; i < 20; i += 2) {
      assertTrue(waiting.get(i).cancel(true));
    }
    Wait.until("half of them are over", () -> server.statistics().underWay() == 11);
    gate.countDown();
    for (int i = 1; i < 20; i += 2) {
      assertEquals(0, waiting.get(i).join());
    }
    Wait.until("the caller returns", () -> !caller.isAlive());
    assertEquals(10, counted.get());
  }

  /// Completes its futures when it is told to.
  private static final class Late extends Book {
    private final CountDownLatch later = new CountDownLatch(1);

    @Override
    public CompletableFuture<Order> later(long id) {
      Container container = Jbuf.allocate(1024, "test").asContainer();
      return CompletableFuture.supplyAsync(
          () -> {
            Wait.until("it is told to", () -> later.getCount() == 0);
            return Order.of(container, id, 7, "later");
          });
    }
  }

  @Test
  void aCallWhileServingMayOutliveTheCallThatIsServed() {
    Late inner = new Late();
    inner.gate = new CountDownLatch(1);
    Orders within =
        client(
            serve(inner, ServerOptions.DEFAULT), CallOptions.DEFAULT.withInheritsDeadline(false));
    CompletableFuture<CompletableFuture<Order>> begun = new CompletableFuture<>();
    Book outer =
        new Book() {
          @Override
          public int running() {
            boolean _ = begun.complete(within.later(1));
            return (int) within.sleep(60_000);
          }
        };
    Orders brief =
        Calls.within(
            client(serve(outer, ServerOptions.DEFAULT), CallOptions.DEFAULT),
            Duration.ofMillis(100));
    assertEquals(
        Status.DEADLINE_EXCEEDED, assertThrows(CallException.class, brief::running).status());
    inner.later.countDown();
    Order order = begun.join().join();
    assertEquals(1, order.id, "it has its own time");
    Calls.release(within, order);
  }
}
