// Over 400 lines: what a program finds beside the calls themselves, case by case.
package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Deadlines of single calls, health, interceptors, metrics, events and policies.
class CallServicesTest {
  private final Fabric fabric = Fabric.open("shm");
  private final List<Object> clients = new ArrayList<>();
  private final List<CallServer> servers = new ArrayList<>();
  private final Book book = new Book();

  private CallServer serve(Book its, ServerOptions options) {
    CallServer made = Calls.serve(fabric, "orders@*", options, Calls.service(Orders.class, its));
    servers.add(made);
    return made;
  }

  /// Serves a book whose gate is closed: its methods take their time.
  private CallServer serve() {
    book.gate = new CountDownLatch(1);
    return serve(book, ServerOptions.DEFAULT);
  }

  private <T> T client(Class<T> service, CallOptions options, CallServer... at) {
    List<String> names = new ArrayList<>();
    for (CallServer each : at) {
      names.add("orders@" + each.address());
    }
    T made = Calls.client(service, fabric, String.join(",", names), options);
    clients.add(made);
    return made;
  }

  private Orders orders(CallServer... at) {
    return client(Orders.class, CallOptions.DEFAULT, at);
  }

  @AfterEach
  void nothingIsOut() {
    for (CallServer each : servers) {
      Wait.until(
          () -> "a buffer of a server is out: " + each.statistics(),
          Wait.PATIENCE,
          () -> each.statistics().buffers() == 0);
    }
    for (Object each : clients) {
      Wait.until(
          () -> "a buffer of a client is out: " + Calls.statistics(each),
          Wait.PATIENCE,
          () -> Calls.statistics(each).buffers() == 0);
      ((Stub) each).client.checkInvariants();
      Calls.close(each);
    }
    servers.forEach(CallServer::close);
    fabric.close();
  }

  private static Status statusOf(Runnable call) {
    return assertThrows(CallException.class, call::run).status();
  }

  @Test
  void aCallMayHaveADeadlineOfItsOwn() {
    Orders orders = orders(serve());
    Orders brief = Calls.within(orders, Duration.ofMillis(50));
    assertEquals(Status.DEADLINE_EXCEEDED, statusOf(() -> brief.sleep(60_000)));
    assertEquals(Status.DEADLINE_EXCEEDED, statusOf(() -> brief.sleep(60_000)), "it counts anew");
    assertEquals(200, orders.sleep(200), "other calls have the time of the client");
    assertThrows(IllegalArgumentException.class, () -> Calls.within(orders, Duration.ZERO));
    assertThrows(
        IllegalArgumentException.class, () -> Calls.within("no client", Duration.ofSeconds(1)));
    Orders polling =
        client(Orders.class, CallOptions.DEFAULT.withCallerPolls(true), servers.getFirst());
    Orders briefPolling = Calls.within(polling, Duration.ofMillis(50));
    assertEquals(Status.DEADLINE_EXCEEDED, statusOf(() -> briefPolling.sleep(60_000)));
    assertEquals(100, polling.sleep(100));
  }

  @Test
  void aCallWhileServingEndsWithTheCallThatIsServed() {
    Book inner = new Book();
    inner.gate = new CountDownLatch(1);
    Orders within = Calls.within(orders(serve(inner, ServerOptions.DEFAULT)), Duration.ofDays(1));
    Book outer =
        new Book() {
          @Override
          public int running() {
            return (int) within.sleep(1_000_000);
          }
        };
    Orders brief =
        Calls.within(orders(serve(outer, ServerOptions.DEFAULT)), Duration.ofMillis(100));
    assertEquals(Status.DEADLINE_EXCEEDED, statusOf(brief::running));
    Wait.until("the inner method is interrupted", () -> inner.interrupted.get() == 1);
  }

  @Test
  void tellsItsHealth() {
    CallServer server = serve();
    Health health = client(Health.class, CallOptions.DEFAULT, server);
    assertEquals(Serving.SERVING, health.check(""));
    assertEquals(Serving.SERVING, health.check("Orders"));
    assertEquals(Status.NOT_FOUND, statusOf(() -> health.check("Nothing")));
    server.health().set("Orders", Serving.NOT_SERVING);
    assertEquals(Serving.NOT_SERVING, health.check("Orders"));
    assertEquals(Serving.SERVICE_UNKNOWN, server.health().get("Nothing"));
    for (Serving each : Serving.values()) {
      assertEquals(each, Serving.of(each.code()));
    }
  }

  @Test
  void tellsChangesOfItsHealthUntilItLeaves() {
    CallServer server = serve();
    Health health = client(Health.class, CallOptions.DEFAULT, server);
    try (Results<HealthState> changes =
        Calls.within(health, Duration.ofMinutes(1)).watch("Orders")) {
      assertEquals(Serving.SERVING, changes.next().serving());
      server.health().set("Orders", Serving.NOT_SERVING);
      assertEquals(Serving.NOT_SERVING, changes.next().serving());
      server.health().set("Orders", Serving.SERVING);
      assertEquals(Serving.SERVING, changes.next().serving());
      Orders orders = Calls.client(Orders.class, health);
      Thread caller = Thread.ofVirtual().start(() -> assertEquals(0, orders.block(60_000)));
      Wait.until("it runs", () -> book.running.get() == 1);
      assertFalse(server.drain(Duration.ofMillis(1)));
      assertEquals(Serving.NOT_SERVING, changes.next().serving());
      assertFalse(changes.hasNext(), "there is no more to tell");
      book.gate.countDown();
      Wait.until("it returns", () -> !caller.isAlive());
      assertTrue(server.drain(Duration.ofSeconds(20)));
    }
  }

  @Test
  void watchingTakesNoMoreThanAQuarterOfTheMethods() {
    CallServer server = serve(book, ServerOptions.DEFAULT.withMostRunning(8));
    Health health = client(Health.class, CallOptions.DEFAULT, server);
    try (Results<HealthState> first = health.watch("");
        Results<HealthState> second = health.watch("Orders")) {
      assertTrue(first.hasNext() && second.hasNext());
      try (Results<HealthState> third = health.watch("")) {
        assertEquals(Status.RESOURCE_EXHAUSTED, statusOf(third::next));
      }
    }
    Wait.until("they have ended", () -> server.statistics().underWay() == 0);
    try (Results<HealthState> again = health.watch("")) {
      assertTrue(again.hasNext());
    }
  }

  /// Notes what it sees, and refuses what it is told to.
  private static final class Noting implements Interceptor {
    private final String name;
    private final List<String> notes;
    private volatile RuntimeException refusal;

    Noting(String name, List<String> notes) {
      this.name = name;
      this.notes = notes;
    }

    @Override
    public void before(CallInfo call) {
      if (refusal != null) {
        throw refusal;
      }
      assertTrue(call.timeLeft().isPositive());
      notes.add("%s begins %s".formatted(name, call.methodName()));
    }

    @Override
    public void after(CallInfo call) {
      assertTrue(call.elapsed().isPositive());
      notes.add(
          "%s ends %s, %s, %d to %d"
              .formatted(
                  name,
                  call.methodName(),
                  call.status(),
                  call.argumentBytes(),
                  call.resultBytes()));
      throw new IllegalStateException("which is logged");
    }
  }

  @Test
  void interceptorsSeeCallsInTheirOrderAndMayRefuseThem() throws Exception {
    List<String> notes = Collections.synchronizedList(new ArrayList<>());
    Noting outer = new Noting("outer", notes);
    Noting inner = new Noting("inner", notes);
    Noting served = new Noting("server", notes);
    CallServer server = serve(book, ServerOptions.DEFAULT.withInterceptors(served));
    Orders orders =
        client(Orders.class, CallOptions.DEFAULT.withInterceptors(outer, inner), server);
    assertEquals("a null null", orders.join("a", null, null));
    Wait.until("all are told", () -> notes.size() == 6);
    assertEquals(
        List.of("outer begins Orders.join", "inner begins Orders.join"), notes.subList(0, 2));
    List<String> rest = List.copyOf(notes.subList(2, 6));
    assertTrue(rest.contains("server begins Orders.join"), rest::toString);
    assertTrue(rest.contains("server ends Orders.join, OK, 8 to 11"), rest::toString);
    assertTrue(
        rest.indexOf("inner ends Orders.join, OK, 8 to 11")
            < rest.indexOf("outer ends Orders.join, OK, 8 to 11"),
        rest::toString);

    notes.clear();
    served.refusal = new CallException(Status.PERMISSION_DENIED, "not you");
    assertEquals(Status.PERMISSION_DENIED, statusOf(orders::running));
    served.refusal = new IllegalArgumentException("who?");
    assertEquals(Status.UNKNOWN, statusOf(() -> orders.place(null)));
    assertEquals(0, book.placed.get(), "the method did not run");
    assertFalse(notes.toString().contains("server"), notes::toString);

    notes.clear();
    inner.refusal = new CallException(Status.RESOURCE_EXHAUSTED, "the quota is used up");
    long before = server.statistics().started();
    assertEquals(Status.RESOURCE_EXHAUSTED, statusOf(() -> orders.join("a", null, null)));
    assertEquals(
        List.of("outer begins Orders.join", "outer ends Orders.join, RESOURCE_EXHAUSTED, 8 to 0"),
        notes);
    CompletableFuture<Long> future = orders.count();
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
    assertEquals(
        Status.RESOURCE_EXHAUSTED, ((CallException) failed.getCause()).status(), "of futures");
    try (Results<Order> stream = orders.open(3, -1)) {
      assertEquals(Status.RESOURCE_EXHAUSTED, statusOf(stream::next), "of streams");
    }
    assertEquals(before, server.statistics().started(), "the server hears of none of them");
  }

  @Test
  void interceptorsSeeMethodsThatRunInTheHandler() {
    List<String> notes = Collections.synchronizedList(new ArrayList<>());
    CallServer server =
        Calls.serve(
            fabric,
            "orders@*",
            ServerOptions.DEFAULT.withInterceptors(new Noting("server", notes)),
            Calls.service(Orders.class, book).inHandler());
    servers.add(server);
    Orders orders = orders(server);
    assertEquals(0, orders.running());
    Wait.until("all are told", () -> notes.size() == 2);
    assertEquals(
        List.of("server begins Orders.running", "server ends Orders.running, OK, 0 to 0"), notes);
  }

  @Test
  void measuresCalls() {
    CallServer server = serve();
    Orders orders = orders(server);
    for (int i = 0; i < 50; i++) {
      assertEquals(2, orders.sleep(2));
    }
    CallStatistics made = Calls.statistics(orders);
    assertEquals(50, made.latencies().count());
    assertTrue(made.latencies().within(0).toMillis() >= 2, made::toString);
    assertTrue(
        made.latencies().within(0.5).compareTo(made.latencies().within(1)) <= 0, made::toString);
    Wait.until(
        () -> server.statistics().toString(),
        Wait.PATIENCE,
        () -> server.statistics().latencies().count() == 50);
    Wait.until(
        () -> Calls.statistics(orders).toString(),
        Wait.PATIENCE,
        () ->
            Calls.statistics(orders).creditsInUse() == 0
                && Calls.statistics(orders).waiting() == 0);
  }

  @Test
  void tellsTheFlightRecorder(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("calls.jfr");
    CallServer server = serve();
    Orders orders = orders(server);
    assertEquals(1, orders.sleep(1), "before there is a recording");
    try (Recording recording = new Recording()) {
      recording.enable("dev.tigris.message.CallMade");
      recording.enable("dev.tigris.message.CallServed");
      recording.start();
      assertEquals(5, orders.sleep(5));
      assertEquals(Status.ABORTED, statusOf(() -> orders.fail(Status.ABORTED.code())));
      Wait.until("both are served", () -> server.statistics().latencies().count() == 3);
      recording.stop();
      recording.dump(file);
    }
    List<String> told = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      String type = event.getEventType().getName();
      if (type.startsWith("dev.tigris.message.")) {
        told.add(
            type.substring(type.lastIndexOf('.') + 1)
                + " "
                + event.getString("method")
                + " "
                + event.getString("status"));
        if (event.getString("method").equals("Orders.sleep")) {
          assertTrue(event.getDuration().toMillis() >= 5, event::toString);
        }
      }
    }
    Collections.sort(told);
    assertEquals(
        List.of(
            "CallMade Orders.fail ABORTED",
            "CallMade Orders.sleep OK",
            "CallServed Orders.fail ABORTED",
            "CallServed Orders.sleep OK"),
        told);
  }

  @Test
  void programsChooseServersByPoliciesOfTheirOwn() {
    Book second = new Book();
    CallServer[] both = {serve(), serve(second, ServerOptions.DEFAULT)};
    CallOptions options = CallOptions.DEFAULT;
    Orders last =
        client(Orders.class, options.withPolicy((view, random) -> view.servers() - 1), both);
    Orders inTurn = client(Orders.class, options.withPolicy(CallPolicy.roundRobin()), both);
    Orders wrong = client(Orders.class, options.withPolicy((view, random) -> 17), both);
    Orders failing =
        client(
            Orders.class,
            options.withPolicy(
                (view, random) -> {
                  throw new ArithmeticException("a policy with a fault");
                }),
            both);
    for (int i = 0; i < 10; i++) {
      Calls.release(last, last.place(null));
    }
    assertEquals(0, book.placed.get());
    assertEquals(10, second.placed.get());
    for (Orders each : List.of(inTurn, wrong, failing)) {
      long before = book.placed.get();
      for (int i = 0; i < 10; i++) {
        Calls.release(each, each.place(null));
      }
      assertEquals(5, book.placed.get() - before, "half of them");
    }
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    Orders looking =
        client(
            Orders.class,
            options.withPolicy(
                (view, random) -> {
                  assertTrue(view.isOpen(0) && view.credits(0) > 0);
                  seen.add(view.serviceNanos(0) > 0 ? 1 : 0);
                  return 0;
                }),
            both);
    assertEquals(1, looking.sleep(1));
    assertEquals(1, looking.sleep(1));
    assertEquals(1, seen.getLast(), "how long it takes is known after the first");
  }

  @Test
  void aServerThatFailsAtOnceAttractsNoCalls() throws Exception {
    Book broken =
        new Book() {
          @Override
          public long sleep(long millis) {
            running.incrementAndGet();
            throw new CallException(Status.INTERNAL, "out of order");
          }
        };
    Orders orders = orders(serve(broken, ServerOptions.DEFAULT), serve());
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int n = 0; n < 25; n++) {
                      try {
                        assertEquals(2, orders.sleep(2));
                      } catch (CallException e) {
                        assertEquals(Status.INTERNAL, e.status());
                      }
                    }
                  }));
    }
    for (Thread each : callers) {
      each.join();
    }
    int failed = broken.running.get();
    assertTrue(failed < 50, () -> failed + " of 200 calls went to the server that fails at once");
  }
}
