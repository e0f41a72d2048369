package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Implements the service of the tests.
class Book implements Orders {
  final AtomicLong placed = new AtomicLong();
  final AtomicInteger running = new AtomicInteger();
  final AtomicInteger interrupted = new AtomicInteger();
  final AtomicLong produced = new AtomicLong();
  final List<Retained> retained = new ArrayList<>();
  final List<Order> kept = new ArrayList<>();
  volatile CountDownLatch gate = new CountDownLatch(0);

  @Override
  public @Nullable Order find(long id) {
    return id < 0 ? null : Order.of(Calls.container(), id, (int) (10 * id), "S" + id);
  }

  @Override
  public Receipt place(@Nullable Order order) {
    placed.incrementAndGet();
    Receipt receipt = new Receipt(Calls.container());
    double price = 0;
    for (Order each = order; each != null; each = each.next) {
      price += each.quantity * each.symbol.lengthBytes();
      receipt.order = each.id;
    }
    receipt.price = price;
    return receipt;
  }

  @Override
  public double sum(boolean a, byte b, short c, char d, int e, long f, float g, double h) {
    return (a ? 1 : 0) + b + c + d + e + f + g + h;
  }

  @Override
  public @Nullable String join(
      @Nullable String first, @Nullable Order order, @Nullable String last) {
    return first == null && order == null && last == null
        ? null
        : "%s %s %s".formatted(first, order == null ? null : order.symbol, last);
  }

  @Override
  public long pair(@Nullable Order first, @Nullable Order second) {
    return (first == null ? 0 : 100 * first.id) + (second == null ? 0 : second.id);
  }

  @Override
  public @Nullable Bytes reverse(@Nullable Bytes bytes) {
    if (bytes == null) {
      return null;
    }
    Bytes reversed = Jbuf.allocate(Math.max(1, bytes.length()), "test").asBytes();
    for (long i = 0; i < bytes.length(); i++) {
      reversed.set(bytes.length() - 1 - i, bytes.get(i));
    }
    return reversed.slice(0, bytes.length());
  }

  @Override
  public void fail(int status) {
    Status its = Status.of(status);
    if (its == null) {
      throw new ArithmeticException("as it is asked to");
    }
    throw new CallException(its, "as it is asked to");
  }

  @Override
  public CompletableFuture<Order> later(long id) {
    Container container = Jbuf.allocate(1024, "test").asContainer();
    return CompletableFuture.supplyAsync(() -> Order.of(container, id, 7, "later"));
  }

  @Override
  public CompletableFuture<Long> count() {
    return CompletableFuture.completedFuture(placed.get());
  }

  @Override
  public Results<Order> open(int count, int failAt) {
    return Results.of(
        new Iterator<Order>() {
          private final Container container = Jbuf.allocate(1024, "test").asContainer();
          private int next;

          @Override
          public boolean hasNext() {
            return next < count;
          }

          @Override
          public Order next() {
            if (next == failAt) {
              throw new CallException(Status.DATA_LOSS, "the book ends here");
            }
            produced.incrementAndGet();
            container.clear();
            return Order.of(container, next++, 1, "open");
          }
        });
  }

  @Override
  public long sleep(long millis) {
    running.incrementAndGet();
    try {
      if (!gate.await(millis, TimeUnit.MILLISECONDS)) {
        return millis;
      }
      return 0;
    } catch (InterruptedException e) {
      interrupted.incrementAndGet();
      throw new CallException(Status.CANCELLED, "interrupted", e);
    } finally {
      running.decrementAndGet();
    }
  }

  @Override
  public long block(long millis) {
    return sleep(millis);
  }

  @Override
  public int running() {
    return running.get();
  }

  @Override
  public long keep(Order order) {
    synchronized (retained) {
      retained.add(Calls.current().retain());
      kept.add(order);
    }
    return order.id;
  }
}
