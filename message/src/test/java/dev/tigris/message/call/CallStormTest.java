package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Options;
import dev.tigris.net.Fabric;
import dev.tigris.net.testing.FabricContract;
import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultySubject;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// Calls of all kinds from many threads, that are cancelled, interrupted, out of time, or too many,
/// over providers with faults: each ends once, each method runs as often as it may, and no buffer
/// and no place is left.
class CallStormTest {
  private static final int THREADS = 8;

  /// A slow machine goes on until so many have ended.
  private static final int FEWEST = 100;

  private final long seed = Long.getLong("tigris.test.seed", System.nanoTime());
  private final AtomicLong orderIds = new AtomicLong();
  private final Map<Long, Integer> runs = new ConcurrentHashMap<>();
  private final Set<Long> succeeded = ConcurrentHashMap.newKeySet();
  private final AtomicLong ended = new AtomicLong();

  /// Counts how often each order is placed.
  private final class Counting extends Book {
    Counting() {
      gate = new CountDownLatch(1); // methods that wait do so for their time
    }

    @Override
    public Receipt place(Order order) {
      int _ = runs.merge(order.id, 1, Integer::sum);
      return super.place(order);
    }
  }

  @Test
  @EveryTier("each tier calls for so many seconds")
  void leavesNothingOverAProviderThatLosesAndRepeats() throws Exception {
    Faults wild =
        Faults.NONE
            .withSeed(seed)
            .withLoss(0.01)
            .withDuplication(0.01)
            .withReordering(0.01)
            .withCorruption(0.01);
    storm(new FaultySubject("tcp", "127.0.0.1:0", wild), true);
  }

  @Test
  @EveryTier("each tier calls for so many seconds")
  void leavesNothingOverConnectionsThatAreCut() throws Exception {
    Faults cuts = Faults.NONE.withSeed(seed).withCut(0.001);
    storm(new FaultySubject("tcp", "127.0.0.1:0", cuts), false);
  }

  private void storm(FabricContract.Subject subject, boolean lossy) throws Exception {
    System.out.println("-Dtigris.test.seed=" + seed);
    Options messages =
        CallOptions.MESSAGES.withLossy(lossy).withReceives(lossy ? 64 : 16).withCredits(16);
    ServerOptions serving =
        ServerOptions.DEFAULT.withMessages(messages).withMostRunning(6).withMostQueued(6);
    CallOptions options =
        CallOptions.DEFAULT.withMessages(messages).withDeadline(Duration.ofSeconds(20));
    try (Fabric fabric = subject.open();
        CallServer server =
            Calls.serve(
                fabric,
                "orders@" + subject.anyAddress(),
                serving,
                Calls.service(Orders.class, new Counting()))) {
      List<Orders> clients = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        clients.add(Calls.client(Orders.class, fabric, "orders@" + server.address(), options));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Tier.choose(1, 3, 300));
      List<Future<?>> all = new ArrayList<>();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < THREADS; i++) {
          SplittableRandom random = new SplittableRandom(seed + i);
          Orders orders = clients.get(i % clients.size());
          all.add(threads.submit(() -> callUntil(end, orders, random)));
        }
        for (Future<?> each : all) {
          each.get();
        }
      }
      runs.forEach((id, times) -> assertEquals(1, times, () -> "order %d, %s".formatted(id, this)));
      assertTrue(runs.keySet().containsAll(succeeded), this::toString);
      assertTrue(ended.get() > FEWEST, this::toString);
      for (Orders each : clients) {
        Wait.until(
            () -> "a client has it: %s, %s".formatted(Calls.statistics(each), this),
            Wait.PATIENCE,
            () -> {
              System.gc(); // results that were dropped
              CallStatistics now = Calls.statistics(each);
              return now.buffers() == 0 && now.underWay() == 0;
            });
        ((Stub) each).client.checkInvariants();
      }
      Wait.until(
          () -> "the server has it: %s, %s".formatted(server.statistics(), this),
          Wait.PATIENCE,
          () -> server.statistics().buffers() == 0 && server.statistics().underWay() == 0);
      clients.forEach(Calls::close);
      assertTrue(server.drain(Wait.PATIENCE), "no place is taken");
    }
  }

  private void callUntil(long end, Orders orders, SplittableRandom random) {
    while (System.nanoTime() - end < 0 || ended.get() <= FEWEST) {
      try {
        callOnce(orders, random);
      } catch (CallException e) {
        switch (e.status()) {
          case UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, CANCELLED -> {}
          default -> throw new AssertionError(toString(), e);
        }
      }
      ended.incrementAndGet();
    }
  }

  private void callOnce(Orders all, SplittableRandom random) {
    boolean isBrief = random.nextInt(4) == 0;
    Orders orders =
        isBrief ? Calls.within(all, Duration.ofNanos(random.nextInt(1, 5_000_000))) : all;
    switch (random.nextInt(7)) {
      case 0 -> place(orders);
      case 1 -> {
        Order found = orders.find(random.nextInt(50));
        if (random.nextBoolean()) {
          Calls.release(orders, found);
        }
      }
      case 2 -> reverse(orders, random.nextInt(1, 30_000));
      case 3 -> stream(orders, random);
      case 4 -> future(orders, random);
      case 5 -> interrupt(orders, random);
      default -> {
        CallException failed =
            assertThrows(CallException.class, () -> orders.fail(Status.ABORTED.code()));
        if (failed.status() != Status.ABORTED) {
          throw failed;
        }
      }
    }
  }

  private void place(Orders orders) {
    long id = orderIds.incrementAndGet();
    Receipt receipt = orders.place(Order.of(Calls.container(orders), id, 1, "x"));
    assertEquals(id, receipt.order, this::toString);
    succeeded.add(id);
    Calls.release(orders, receipt);
  }

  private void reverse(Orders orders, int length) {
    Bytes bytes = Jbuf.allocate(length, "test").asBytes();
    bytes.set(length - 1, (byte) 7);
    Bytes reversed = orders.reverse(bytes);
    assertEquals(7, reversed.get(0), this::toString);
    Calls.release(orders, reversed);
  }

  private void stream(Orders orders, SplittableRandom random) {
    int count = random.nextInt(1, 60);
    int most = random.nextInt(60);
    try (Results<Order> open = orders.open(count, -1)) {
      for (int i = 0; i < most && open.hasNext(); i++) {
        assertEquals(i, open.next().id, this::toString);
      }
    }
  }

  private void future(Orders orders, SplittableRandom random) {
    CompletableFuture<Order> future = orders.later(random.nextInt(100));
    try {
      if (random.nextBoolean()) {
        Order order = future.get(random.nextInt(1, 3_000), TimeUnit.MICROSECONDS);
        Calls.release(orders, order);
        return;
      }
    } catch (TimeoutException e) {
      // it is cancelled
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallException failed) {
        throw failed;
      }
      throw new AssertionError(toString(), e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (!future.cancel(true) && !future.isCompletedExceptionally()) {
      Calls.release(orders, future.join());
    }
  }

  private static void interrupt(Orders orders, SplittableRandom random) {
    CompletableFuture<Long> ends = new CompletableFuture<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    boolean _ = ends.complete(orders.block(1));
                  } catch (CallException | AssertionError e) {
                    boolean _ = ends.completeExceptionally(e);
                  }
                });
    LockSupport.parkNanos(random.nextInt(2_000_000));
    caller.interrupt();
    try {
      assertEquals(1, ends.get(1, TimeUnit.MINUTES));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallException failed) {
        throw failed;
      }
      throw new AssertionError(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("a call does not end", e);
    }
  }

  @Override
  public String toString() {
    return "-Dtigris.test.seed=%d, %d calls".formatted(seed, ended.get());
  }
}
