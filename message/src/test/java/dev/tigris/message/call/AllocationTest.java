package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Wait;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/// A method that runs in the handler, with objects as argument and result, makes no Java objects.
class AllocationTest {
  /// A service of the fastest kind.
  @Service
  interface Prices {
    @Idempotent
    Receipt price(Receipt asked, long factor);
  }

  /// Keeps one result, which is copied to each reply.
  static final class Book implements Prices {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Receipt kept = new Receipt(Jbuf.allocate(1024, "test").asContainer());
    long served;
    long allocatedBefore;
    volatile long allocated;

    @Override
    public Receipt price(Receipt asked, long factor) {
      kept.order = asked.order;
      kept.price = asked.price * factor;
      served++;
      if (served % 1000 == 0) {
        long now = threads.getCurrentThreadAllocatedBytes();
        allocated = now - allocatedBefore;
        allocatedBefore = now;
      }
      return kept;
    }
  }

  @Test
  void theThreadOfTheServerAllocatesNothing() {
    Book book = new Book();
    try (Fabric fabric = Fabric.open("shm");
        CallServer server =
            Calls.serve(
                fabric,
                "prices@*",
                ServerOptions.DEFAULT,
                Calls.service(Prices.class, book).inHandler())) {
      Prices prices =
          Calls.client(
              Prices.class,
              fabric,
              "prices@" + server.address(),
              CallOptions.DEFAULT.withCallerPolls(true));
      Container container = Jbuf.allocate(1024, "test").asContainer();
      Receipt asked = new Receipt(container);
      asked.order = 17;
      asked.price = 2.5;
      Wait.until(
          () -> "1,000 calls allocate %d bytes".formatted(book.allocated),
          Wait.PATIENCE,
          () -> {
            for (int i = 0; i < 1000; i++) {
              Receipt receipt = prices.price(asked, 4);
              assertEquals(17, receipt.order);
              assertEquals(10, receipt.price);
              Calls.release(prices, receipt);
            }
            return book.served > 1000 && book.allocated == 0;
          });
      Calls.close(prices);
    }
  }
}
