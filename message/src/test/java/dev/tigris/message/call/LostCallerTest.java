package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// A client dies, or stops, amid calls that wait, run, stream and bring long results: the server
/// ends them, has each buffer back, and serves others meanwhile and afterwards.
class LostCallerTest {
  private static final int CALLS = 4;

  /// A client that is to be killed.
  static final class Client {
    private Client() {}

    public static void main(String[] arguments) throws InterruptedException {
      Fabric fabric = Fabric.open(arguments[0]);
      Orders orders =
          Calls.client(
              Orders.class,
              fabric,
              "orders@" + arguments[1],
              CallOptions.DEFAULT.withDeadline(Duration.ofMinutes(10)));
      for (int i = 0; i < CALLS; i++) {
        Thread _ = Thread.ofVirtual().start(() -> orders.block(600_000));
        Thread _ = Thread.ofVirtual().start(() -> reverse(orders));
      }
      Results<Order> open = orders.open(1_000_000, -1); // of which it reads one, and keeps the rest
      System.out.println(open.next().id);
      new CountDownLatch(1).await();
    }

    private static void reverse(Orders orders) {
      Bytes bytes = Jbuf.allocate(100_000, "test").asBytes();
      while (true) {
        Bytes reversed = orders.reverse(bytes);
        if (reversed != null) {
          Calls.release(orders, reversed);
        }
      }
    }
  }

  /// An end of a client.
  private interface End {
    void of(Child client);
  }

  @Test
  void allIsBackWhenACallerIsKilled() {
    check("shm", Child::kill);
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void allIsBackWhenACallerIsKilledOverTcp() {
    check("tcp", Child::kill);
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void allIsBackWhenACallerStops() {
    check("shm", Child::pause);
    check("tcp", Child::pause);
  }

  private static void check(String provider, End end) {
    Book book = new Book();
    book.gate = new CountDownLatch(1);
    ServerOptions options =
        ServerOptions.DEFAULT.withMessages(
            CallOptions.MESSAGES.withPatience(Duration.ofSeconds(2)));
    String at = "orders@" + (provider.equals("shm") ? "*" : "127.0.0.1:0");
    try (Fabric fabric = Fabric.open(provider);
        CallServer server = Calls.serve(fabric, at, options, Calls.service(Orders.class, book));
        Child client = Jvm.of(Client.class).quick().command(provider, server.address()).start()) {
      assertEquals("0", client.nextLine());
      Wait.until("its calls run", () -> book.running.get() == CALLS);
      Wait.until("long results have come", () -> server.statistics().succeeded() > 20);
      end.of(client);
      Orders other =
          Calls.client(Orders.class, fabric, "orders@" + server.address(), CallOptions.DEFAULT);
      assertEquals(30, other.findQuantity(3), "another client is served meanwhile");
      if (client.isAlive()) {
        book.gate.countDown(); // it is sent replies, which it does not acknowledge
      } else {
        Wait.until("methods are interrupted", () -> book.interrupted.get() == CALLS);
      }
      Wait.until(
          () -> "it is out: " + server.statistics(),
          Wait.PATIENCE,
          () -> server.statistics().underWay() == 0 && server.statistics().buffers() == 0);
      assertTrue(server.drain(Wait.PATIENCE), "no place is taken");
      Calls.close(other);
    }
  }
}
