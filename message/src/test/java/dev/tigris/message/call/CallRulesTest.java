package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
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

  /// Cannot even be printed.
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new ArithmeticException("it does not say");
    }
  }

  @Test
  void anExceptionThatCannotBeToldEndsItsCallAndLeavesItsPlace() {
    Book book =
        new Book() {
          @Override
          public int running() {
            throw new Unspeakable();
          }
        };
    CallServer server = serve(book, ServerOptions.DEFAULT.withMostRunning(1).withMostQueued(0));
    Orders orders = client(server, CallOptions.DEFAULT);
    for (int i = 0; i < 3; i++) {
      CallException failed = assertThrows(CallException.class, orders::running);
      assertEquals(Status.UNKNOWN, failed.status(), failed.text());
      assertTrue(failed.text().contains("Unspeakable"), failed.text());
    }
  }

  @Test
  void aResultThatIsTooLongForItsClientIsToldAtOnce() {
    CallServer server = serve(new Book(), ServerOptions.DEFAULT);
    CallOptions small =
        CallOptions.DEFAULT
            .withDeadline(Duration.ofDays(1))
            .withMessages(CallOptions.DEFAULT.messages().withBulkBytes(64 << 10));
    Orders orders = client(server, small);
    Bytes bytes = Jbuf.allocate(100_000, "test").asBytes();
    CallException failed = assertThrows(CallException.class, () -> orders.reverse(bytes));
    assertEquals(Status.RESOURCE_EXHAUSTED, failed.status(), failed.text());
    assertTrue(failed.text().contains("100000 bytes"), failed.text());
  }

  @Test
  void drainingAServerThatIsClosedReturnsAtOnce() {
    CallServer server = serve(new Book(), ServerOptions.DEFAULT);
    server.close();
    assertTrue(server.drain(Wait.PATIENCE));
  }

  @Test
  void aCallerThatPollsIsInterruptedAsOthersAre() {
    Book book = new Book();
    book.gate = new CountDownLatch(1);
    CallServer server = serve(book, ServerOptions.DEFAULT);
    CallOptions polling =
        CallOptions.DEFAULT.withCallerPolls(true).withDeadline(Duration.ofDays(1));
    Orders orders = client(server, polling);
    Thread.currentThread().interrupt();
    CallException call = assertThrows(CallException.class, () -> orders.block(60_000));
    assertTrue(Thread.interrupted(), "the thread still is");
    assertEquals(Status.CANCELLED, call.status(), call.text());
    try (Results<Order> stream = orders.open(1, -1)) {
      Thread.currentThread().interrupt(); // nothing arrives before it polls
      CallException read = assertThrows(CallException.class, stream::hasNext);
      assertTrue(Thread.interrupted());
      assertEquals(Status.CANCELLED, read.status(), read.text());
    }
  }

  @Test
  void whatDependsOnACancelledFutureHoldsUpNoOtherCall() {
    CountDownLatch gate = new CountDownLatch(1);
    Book book =
        new Book() {
          @Override
          public CompletableFuture<Long> count() {
            CompletableFuture<Long> never = new CompletableFuture<>();
            CompletableFuture<Long> _ =
                never.whenComplete(
                    (value, failure) -> Wait.until("it is told to", () -> gate.getCount() == 0));
            return never;
          }
        };
    CallServer server = serve(book, ServerOptions.DEFAULT);
    Orders orders = client(server, CallOptions.DEFAULT);
    CompletableFuture<Long> counted = orders.count();
    Wait.until("it runs", () -> server.statistics().underWay() == 1);
    assertTrue(counted.cancel(true));
    assertEquals(0, orders.running());
    gate.countDown();
  }

  @Test
  void callsFailAtOnceForAsLongAsTheOnlyServerLeaves() {
    CallServer server = serve(new Book(), ServerOptions.DEFAULT);
    Orders orders = client(server, CallOptions.DEFAULT.withDeadline(Duration.ofDays(1)));
    assertEquals(0, orders.running());
    assertTrue(server.drain(Wait.PATIENCE));
    long start = System.nanoTime();
    while (System.nanoTime() - start < 300_000_000) { // several tries to connect again
      CallException failed = assertThrows(CallException.class, orders::running);
      assertEquals(Status.UNAVAILABLE, failed.status(), failed.text());
    }
  }
}
