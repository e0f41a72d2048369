// Over 400 lines: what calls promise, case by case, on every provider.
package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Options;
import dev.tigris.net.Fabric;
import dev.tigris.net.testing.FabricContract;
import dev.tigris.testing.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The promises of calls, on one provider. Each test ends with all buffers given back.
abstract class CallContract {
  private final FabricContract.Subject subject;
  private final CallOptions options;
  private final ServerOptions serving;
  private final List<Object> clients = new ArrayList<>();
  private final List<CallServer> servers = new ArrayList<>();
  private Fabric fabric;
  private Book book;
  private CallServer server;
  private Orders orders;

  CallContract(FabricContract.Subject subject, boolean lossy) {
    this.subject = subject;
    Options messages =
        CallOptions.DEFAULT
            .messages()
            .withPayloadBytes(16 << 10)
            .withCredits(16)
            .withLossy(lossy)
            .withReceives(lossy ? 64 : 16);
    this.options = CallOptions.DEFAULT.withMessages(messages).withDeadline(Duration.ofSeconds(20));
    this.serving = ServerOptions.DEFAULT.withMessages(messages);
  }

  @BeforeEach
  void connect() {
    fabric = subject.open();
    book = new Book();
    server = serve(serving, Calls.service(Orders.class, book));
    orders = client(options, server);
  }

  private CallServer serve(ServerOptions its, Implementation implementation) {
    CallServer made = Calls.serve(fabric, "orders@" + subject.anyAddress(), its, implementation);
    servers.add(made);
    return made;
  }

  private Orders client(CallOptions its, CallServer... at) {
    List<String> names = new ArrayList<>();
    for (CallServer each : at) {
      names.add("orders@" + each.address());
    }
    Orders made = Calls.client(Orders.class, fabric, String.join(",", names), its);
    clients.add(made);
    return made;
  }

  @AfterEach
  void nothingIsOut() {
    for (Object client : clients) {
      Wait.until(
          () -> "a buffer of a client is out: " + Calls.statistics(client),
          Duration.ofSeconds(20),
          () -> Calls.statistics(client).buffers() == 0);
      ((Stub) client).client.checkInvariants();
    }
    for (CallServer each : servers) {
      Wait.until(
          () -> "a buffer of a server is out: " + each.statistics(),
          Duration.ofSeconds(20),
          () -> each.statistics().buffers() == 0);
    }
    clients.forEach(Calls::close);
    servers.forEach(CallServer::close);
    fabric.close();
  }

  private static Status statusOf(Runnable call) {
    return assertThrows(CallException.class, call::run).status();
  }

  @Test
  void sendsObjectsAndReturnsThem() {
    Order order = orders.find(4);
    assertNotNull(order);
    assertEquals(40, order.quantity);
    assertTrue(order.symbol.contentEquals("S4"));
    Calls.release(orders, order);
    assertNull(orders.find(-1));
  }

  @Test
  void tellsWhatTheServersServe() {
    List<String> methods = Calls.methods(orders);
    int health = ServiceModel.of(Health.class).methods().size();
    assertEquals(ServiceModel.of(Orders.class).methods().size() + health, methods.size());
    assertTrue(methods.contains("Order Orders.find(long)"), methods::toString);
    assertTrue(methods.contains("Results<Order> Orders.open(int, int)"), methods::toString);
  }

  @Test
  void freesResultsThatAreDropped() {
    assertEquals(50, orders.findQuantity(5), "a default method, which drops its result");
    assertEquals(1, Calls.statistics(orders).buffers());
    awaitCollection();
  }

  private void awaitCollection() {
    Wait.until(
        "what was dropped is collected",
        () -> {
          System.gc();
          return Calls.statistics(orders).buffers() == 0;
        });
  }

  @Test
  void sendsFromWhereItWasMadeAndCopiesOthersOnce() {
    Container own = Calls.container(orders);
    Order second = Order.of(own, 2, 3, "abc");
    Order first = Order.of(own, 1, 2, "ab");
    first.next = second;
    Receipt receipt = orders.place(first);
    assertEquals(2, receipt.order);
    assertEquals(13, receipt.price);
    Calls.release(orders, receipt);
    assertEquals(1, Calls.statistics(orders).inPlace());
    assertEquals(0, Calls.statistics(orders).copied());

    Container other = Jbuf.allocate(1 << 20, "test").asContainer();
    Order.of(other, 9, 9, "not sent");
    Order next = Order.of(other, 6, 1, "abcd");
    Order sent = Order.of(other, 5, 1, "a");
    sent.next = next;
    receipt = orders.place(sent);
    assertEquals(6, receipt.order);
    assertEquals(5, receipt.price);
    Calls.release(orders, receipt);
    assertEquals(1, Calls.statistics(orders).copied());
    assertTrue(Calls.statistics(orders).bytesSent() < 4096, "and no other object");
    assertEquals(2, server.statistics().inPlace());

    assertThrows(IllegalStateException.class, () -> orders.place(first), "the call has taken it");
    receipt = orders.place(null);
    assertEquals(0, receipt.order);
    Calls.release(orders, receipt);
    Container unused = Calls.container(orders);
    Calls.release(orders, unused);
    assertThrows(IllegalStateException.class, () -> Calls.release(orders, unused));
  }

  @Test
  void sendsLongObjectsFromWhereTheyLie() {
    Container own = Calls.container(orders, 300_000);
    Order last = null;
    for (int i = 0; i < 4000; i++) {
      Order order = Order.of(own, i, 1, "x");
      order.next = last;
      last = order;
    }
    Receipt receipt = orders.place(last);
    assertEquals(4000, receipt.price);
    Calls.release(orders, receipt);
  }

  @Test
  void passesPrimitivesTextsAndBytes() {
    assertEquals(
        1 - 2 + 3 + 'd' + 5 + 6_000_000_000L + 7.5f + 8.25,
        orders.sum(true, (byte) -2, (short) 3, 'd', 5, 6_000_000_000L, 7.5f, 8.25));
    Container own = Calls.container(orders);
    assertEquals("é null z", orders.join("é", null, "z"));
    Order inside = Order.of(own, 1, 1, "S");
    assertEquals("a S z", orders.join("a", inside, "z"));
    assertThrows(IllegalStateException.class, () -> Calls.release(orders, own), "it was taken");
    assertEquals(
        "null S null", orders.join(null, Order.of(Calls.container(orders), 1, 1, "S"), null));
    assertNull(orders.join(null, null, null));
    assertEquals(" null ", orders.join("", null, ""));
    for (int length : new int[] {0, 1, 8, 1000, 5000, 100_000}) {
      Bytes bytes = Jbuf.allocate(length + 1, "test").asBytes();
      for (int i = 0; i < length; i++) {
        bytes.set(i, (byte) i);
      }
      Bytes reversed = orders.reverse(bytes.slice(0, length));
      assertNotNull(reversed);
      assertEquals(length, reversed.length());
      for (int i = 0; i < length; i++) {
        assertEquals((byte) (length - 1 - i), reversed.get(i));
      }
      Calls.release(orders, reversed);
    }
    assertNull(orders.reverse(null));
  }

  @Test
  void takesTheContainersOfAllArguments() {
    Container both = Calls.container(orders);
    Order first = Order.of(both, 1, 1, "a");
    assertEquals(102, orders.pair(first, Order.of(both, 2, 1, "b")));
    Order third = Order.of(Calls.container(orders), 3, 1, "c");
    assertEquals(304, orders.pair(third, Order.of(Calls.container(orders), 4, 1, "d")));
    assertEquals(0, Calls.statistics(orders).buffers(), "all were taken");

    Container left = Calls.container(orders);
    Order kept = Order.of(left, 5, 1, "e");
    assertThrows(IllegalStateException.class, () -> orders.pair(kept, third), "one is gone");
    assertEquals(500, orders.pair(kept, null), "the other is the program's still");
  }

  @Test
  void refusesAnArgumentThatWasTakenEvenIfItsMemoryIsUsedAgain() {
    Order first = Order.of(Calls.container(orders), 1, 2, "ab");
    Calls.release(orders, orders.place(first));
    Container next = Calls.container(orders);
    Order second = Order.of(next, 3, 2, "cd");
    assertThrows(IllegalStateException.class, () -> orders.place(first), "the call has taken it");
    Receipt receipt = orders.place(second);
    assertEquals(3, receipt.order);
    Calls.release(orders, receipt);
  }

  @Test
  void refusesAtOnceWhenTheOnlyServerIsLeaving() {
    book.gate = new CountDownLatch(1);
    Thread caller = Thread.ofVirtual().start(() -> assertEquals(0, orders.block(60_000)));
    Wait.until("it runs", () -> book.running.get() == 1);
    assertFalse(server.drain(Duration.ofMillis(1)));
    Wait.until(
        "the client knows",
        () -> {
          try {
            Calls.release(orders, orders.place(null)); // the server's thread has not begun to leave
            return false;
          } catch (CallException refused) {
            assertEquals(Status.UNAVAILABLE, refused.status());
            return refused.text().contains("there is no other");
          }
        });
    book.gate.countDown();
    Wait.until("it returns", () -> !caller.isAlive());
    assertTrue(server.drain(Duration.ofSeconds(Long.MAX_VALUE)), "for as long as it takes");
  }

  @Test
  void refusesToWaitForItself() {
    List<Throwable> refused = new ArrayList<>();
    CallServer[] own = new CallServer[1];
    Book closing =
        new Book() {
          @Override
          public int running() {
            refused.add(assertThrows(IllegalStateException.class, own[0]::close));
            refused.add(
                assertThrows(
                    IllegalStateException.class, () -> own[0].drain(Duration.ofMillis(1))));
            return 5;
          }
        };
    own[0] = serve(serving, Calls.service(Orders.class, closing).inHandler());
    assertEquals(5, client(options, own[0]).running());
    assertEquals(2, refused.size());
  }

  @Test
  void refusesWithAnyLengthOfReplies() {
    ServerOptions brief =
        serving.withMessages(serving.messages().withReplyBytes(16)).withMostRunning(1);
    Book busy = new Book();
    busy.gate = new CountDownLatch(1);
    CallServer small = serve(brief.withMostQueued(0), Calls.service(Orders.class, busy));
    Orders client = client(options, small);
    Thread caller = Thread.ofVirtual().start(() -> assertEquals(0, client.block(60_000)));
    Wait.until("it runs", () -> busy.running.get() == 1);
    CallException refused = assertThrows(CallException.class, () -> client.place(null));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status(), refused.getMessage());
    busy.gate.countDown();
    Wait.until("it returns", () -> !caller.isAlive());
  }

  @Test
  void tellsWhyACallHasFailed() {
    for (Status status : Status.values()) {
      if (status != Status.OK && status != Status.UNAVAILABLE) {
        CallException failure = assertThrows(CallException.class, () -> orders.fail(status.code()));
        assertEquals(status, failure.status());
        assertEquals("Orders.fail: as it is asked to", failure.text());
      }
    }
    CallException unknown = assertThrows(CallException.class, () -> orders.fail(99));
    assertEquals(Status.UNKNOWN, unknown.status());
    assertTrue(unknown.text().contains("ArithmeticException"), unknown.text());
  }

  @Test
  void completesFutures() throws Exception {
    List<CompletableFuture<Order>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(orders.later(i));
    }
    for (int i = 0; i < 100; i++) {
      Order order = all.get(i).get(20, TimeUnit.SECONDS);
      assertEquals(i, order.id);
      Calls.release(orders, order);
    }
    assertEquals(0, orders.count().get(20, TimeUnit.SECONDS));
  }

  @Test
  void servesManyThreads() throws Exception {
    List<Future<Long>> all = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 50; i++) {
        long id = i;
        all.add(
            threads.submit(
                () -> {
                  long sum = 0;
                  for (int n = 0; n < 10; n++) {
                    Order order = orders.find(id);
                    sum += order.quantity;
                    Calls.release(orders, order);
                  }
                  return sum;
                }));
      }
      for (int i = 0; i < 50; i++) {
        assertEquals(100L * i, all.get(i).get());
      }
    }
  }

  @Test
  void runsInTheHandlerForACallerThatPolls() {
    Book direct = new Book();
    CallServer fast = serve(serving, Calls.service(Orders.class, direct).inHandler());
    Orders polling = client(options.withCallerPolls(true), fast);
    for (int i = 0; i < 300; i++) {
      Order order = polling.find(i);
      assertEquals(10 * i, order.quantity);
      Calls.release(polling, order);
      Receipt receipt = polling.place(Order.of(Calls.container(polling), i, 1, "abc"));
      assertEquals(3, receipt.price);
      assertEquals(i, receipt.order);
      Calls.release(polling, receipt);
    }
    assertEquals(Status.ABORTED, statusOf(() -> polling.fail(Status.ABORTED.code())));
    assertEquals(7, polling.keep(Order.of(Calls.container(polling), 7, 1, "kept")));
    assertThrows(UnsupportedOperationException.class, () -> polling.later(1));
    try (Results<Order> open = polling.open(100, -1)) {
      int count = 0;
      while (open.hasNext()) {
        assertEquals(count++, open.next().id);
      }
      assertEquals(100, count);
    }
    assertEquals(8, polling.keep(Order.of(Calls.container(polling), 8, 1, "too")));
    assertEquals(7, direct.kept.get(0).id);
    assertEquals(8, direct.kept.get(1).id);
    direct.retained.forEach(Retained::close);
  }

  @Test
  void keepsArgumentsThatAreRetained() {
    for (int i = 0; i < 3; i++) {
      assertEquals(i, orders.keep(Order.of(Calls.container(orders), i, i, "kept")));
    }
    assertEquals(3, server.statistics().buffers());
    for (int i = 0; i < 3; i++) {
      assertEquals(i, book.kept.get(i).id);
      assertTrue(book.kept.get(i).symbol.contentEquals("kept"));
      book.retained.get(i).close();
      book.retained.get(i).close();
    }
  }

  @Test
  void streamsWithAWindow() {
    try (Results<Order> open = orders.open(500, -1)) {
      for (int i = 0; i < 500; i++) {
        assertTrue(open.hasNext());
        assertEquals(i, open.next().id);
        assertTrue(book.produced.get() <= i + 2 + options.window(), "within the window");
        if (i % 100 == 0) {
          assertEquals(10, orders.findQuantity(1), "another call goes on beside it");
        }
      }
      assertFalse(open.hasNext());
    }
    try (Results<Order> fails = orders.open(10, 5)) {
      for (int i = 0; i < 5; i++) {
        assertEquals(i, fails.next().id);
      }
      assertEquals(Status.DATA_LOSS, statusOf(fails::next));
    }
    try (Results<Order> empty = orders.open(0, -1)) {
      assertFalse(empty.hasNext());
    }
    long before = book.produced.get();
    try (Results<Order> left = orders.open(1_000_000, -1)) {
      assertEquals(0, left.next().id);
    }
    Wait.until("the stream has ended", () -> server.statistics().underWay() == 0);
    assertTrue(book.produced.get() - before <= 2 + options.window());
    awaitCollection();
  }

  @Test
  void endsCallsAtTheirDeadline() {
    book.gate = new CountDownLatch(1);
    Orders brief = client(options.withDeadline(Duration.ofMillis(80)), server);
    assertEquals(Status.DEADLINE_EXCEEDED, statusOf(() -> brief.sleep(60_000)));
    Wait.until("the method is interrupted", () -> book.interrupted.get() == 1);
    Wait.until("the server has nothing", () -> server.statistics().underWay() == 0);
    assertEquals(3, brief.sleep(0) + 3);
  }

  @Test
  void cancelsFuturesAndInterruptedThreads() throws Exception {
    book.gate = new CountDownLatch(1);
    Thread caller =
        Thread.ofVirtual()
            .start(() -> assertEquals(Status.CANCELLED, statusOf(() -> orders.sleep(60_000))));
    Wait.until("it runs", () -> book.running.get() == 1);
    caller.interrupt();
    caller.join();
    Wait.until("the method is interrupted", () -> book.interrupted.get() == 1);
    CompletableFuture<Order> future = orders.later(1);
    boolean _ = future.cancel(true);
    assertTrue(future.isCancelled() || !future.isCompletedExceptionally());
    if (!future.isCancelled()) {
      Calls.release(orders, future.get());
    }
  }

  @Test
  void refusesWhatIsTooMuch() {
    Book busy = new Book();
    busy.gate = new CountDownLatch(1);
    CallServer small =
        serve(serving.withMostRunning(2).withMostQueued(1), Calls.service(Orders.class, busy));
    Orders client = client(options, small);
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      callers.add(Thread.ofVirtual().start(() -> assertEquals(0, client.sleep(60_000))));
    }
    Wait.until("three are there", () -> small.statistics().underWay() == 3);
    assertEquals(Status.RESOURCE_EXHAUSTED, statusOf(() -> client.find(1)));
    assertTrue(small.statistics().refused() > 0);
    busy.gate.countDown();
    for (Thread each : callers) {
      Wait.until("it returns", () -> !each.isAlive());
    }
    assertNull(client.find(-1));
  }

  @Test
  void givesEachBufferBackWhenCallsAreCancelledAtRandom() throws Exception {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 200; i++) {
      CompletableFuture<Order> future = orders.later(i);
      if (random.nextInt(4) > 0) {
        int spins = random.nextInt(20_000);
        for (int n = 0; n < spins; n++) {
          Thread.onSpinWait();
        }
      }
      if (!future.cancel(true)) {
        try {
          Calls.release(orders, future.get());
        } catch (ExecutionException e) {
          throw new AssertionError("-Dtigris.test.seed=" + seed, e);
        }
      }
      if (i % 10 == 0) {
        try (Results<Order> open = orders.open(40, -1)) {
          for (int n = random.nextInt(40); n > 0; n--) {
            assertTrue(open.next().id >= 0);
          }
        }
      }
    }
    Wait.until("the server has nothing", () -> server.statistics().underWay() == 0);
    Wait.until("the client has nothing", () -> Calls.statistics(orders).underWay() == 0);
  }

  @Test
  void runsACallThatIsNotIdempotentOnceAtMost() throws Exception {
    Map<Long, Integer> runs = new ConcurrentHashMap<>();
    Book counting =
        new Book() {
          @Override
          public Receipt place(Order order) {
            int _ = runs.merge(order.id, 1, Integer::sum);
            return super.place(order);
          }
        };
    Orders client = client(options, serve(serving, Calls.service(Orders.class, counting)));
    Set<Long> succeeded = ConcurrentHashMap.newKeySet();
    List<Future<?>> all = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        long first = 100L * i;
        all.add(threads.submit(() -> placeEach(client, first, 25, succeeded)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    runs.forEach((id, times) -> assertEquals(1, times, () -> "order " + id));
    assertTrue(runs.keySet().containsAll(succeeded), "each that succeeded has run");
    assertTrue(succeeded.size() > 100, () -> succeeded.size() + " of 200 have succeeded");
  }

  /// Places orders of so many numbers, each by one call.
  private static void placeEach(Orders orders, long first, int count, Set<Long> succeeded) {
    for (long id = first; id < first + count; id++) {
      try {
        Receipt receipt = orders.place(Order.of(Calls.container(orders), id, 1, "x"));
        assertEquals(id, receipt.order);
        Calls.release(orders, receipt);
        succeeded.add(id);
      } catch (CallException e) {
        assertEquals(Status.UNAVAILABLE, e.status(), e.getMessage()); // where connections are cut
      }
    }
  }

  @Test
  void drainsAndSendsClientsElsewhere() {
    Book other = new Book();
    CallServer second = serve(serving, Calls.service(Orders.class, other));
    Orders both = client(options, server, second);
    book.gate = new CountDownLatch(1);
    other.gate = new CountDownLatch(1);
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      callers.add(Thread.ofVirtual().start(() -> assertEquals(0, both.sleep(60_000))));
    }
    Wait.until(
        "each server has half of them", () -> book.running.get() == 3 && other.running.get() == 3);
    assertFalse(server.drain(Duration.ofMillis(50)), "three calls go on");
    for (int i = 0; i < 10; i++) {
      Receipt receipt = both.place(null);
      Calls.release(both, receipt);
    }
    assertEquals(0, book.placed.get());
    assertEquals(10, other.placed.get());
    book.gate.countDown();
    assertTrue(server.drain(Duration.ofSeconds(20)));
    other.gate.countDown();
    for (Thread each : callers) {
      Wait.until("it returns", () -> !each.isAlive());
    }
  }
}
