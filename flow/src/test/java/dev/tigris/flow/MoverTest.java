package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Streams that move only when their module's thread moves them.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MoverTest {
  /// Far longer than the engine asks for: a wake-up that is missed is seen in the time of the test.
  private static final long LONG_SECONDS = 20;

  private static final class Wires implements Mover {
    private final ConcurrentLinkedQueue<Runnable> arriving = new ConcurrentLinkedQueue<>();
    private final Semaphore wakes = new Semaphore(0);
    private volatile boolean isParked;
    final AtomicLong timeouts = new AtomicLong();

    @Override
    public void poll() {
      for (Runnable next = arriving.poll(); next != null; next = arriving.poll()) {
        next.run();
      }
    }

    @Override
    public void await(long nanos) {
      isParked = true;
      try {
        if (!wakes.tryAcquire(LONG_SECONDS, TimeUnit.SECONDS)) {
          timeouts.incrementAndGet();
        }
        wakes.drainPermits();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        isParked = false;
      }
    }

    @Override
    public void wake() {
      wakes.release();
    }

    void arrive(Runnable arrival) {
      arriving.add(arrival);
      wake();
    }

    void awaitParked() {
      while (!isParked) {
        Thread.onSpinWait();
      }
    }
  }

  /// A stream over a wire: a module's thread alone sees what was moved.
  private static final class Moved extends LockedStream {
    private final Wires wires;

    Moved(StreamKind.Place place, Wires wires) {
      super(place);
      this.wires = wires;
    }

    /// Lets a number come in. Any thread.
    void arrive(long number) {
      wires.arrive(
          () -> {
            Water water = super.spring().createWater(Long.BYTES);
            water.bytes().setLong(0, number);
            countReceived(water.size());
            send(water);
          });
    }

    void arriveEnd() {
      wires.arrive(this::sendEnd);
    }

    @Override
    protected @Nullable Mover mover() {
      return wires;
    }
  }

  private static StreamKind kind(Wires wires, Map<String, Moved> opened) {
    return place -> {
      Moved moved = new Moved(place, wires);
      opened.put(place.name(), moved);
      return moved;
    };
  }

  /// A source that puts a number when it is told to.
  private static Source told(ConcurrentLinkedQueue<Long> numbers, Semaphore more) {
    return out -> {
      more.acquire();
      Long number = numbers.poll();
      if (number != null) {
        Numbers.put(out, number);
      }
      return number != null;
    };
  }

  @Test
  void aModuleWaitsForMemoryAndForAMoverAtOnce() throws Exception {
    Wires wires = new Wires();
    Map<String, Moved> opened = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Long> numbers = new ConcurrentLinkedQueue<>();
    Semaphore more = new Semaphore(0);
    Semaphore taken = new Semaphore(0);
    FlowRun run =
        Flow.named("both")
            .source("told", () -> told(numbers, more))
            .reservoir(Reservoir.lottery())
            .stage("take", () -> (in, out) -> taken.release())
            .feed("take", kind(wires, opened))
            .build()
            .start();
    numbers.add(1L);
    more.release();
    taken.acquire();
    Moved moved = opened.get("feed[0]->take[0]");
    for (long i = 0; i < 200; i++) {
      if (i % 10 == 0) {
        wires.awaitParked();
      }
      if (i % 2 == 0) {
        moved.arrive(i);
      } else {
        numbers.add(i);
        more.release();
      }
      taken.acquire();
    }
    moved.arriveEnd();
    more.release();
    run.await();
    assertEquals(
        List.of(101L, 100L),
        run.snapshot().streams().stream().map(stream -> stream.counters().taken()).toList());
    assertEquals(0, wires.timeouts.get(), "each wait was ended by what it was for");
  }

  @Test
  void inputsThatAlwaysHaveSomethingDoNotStarveAMover() throws Exception {
    Wires wires = new Wires();
    Map<String, Moved> opened = new ConcurrentHashMap<>();
    CountDownLatch busy = new CountDownLatch(1000);
    FlowRun run =
        Flow.named("busy")
            .source("forever", Numbers.counting(1, Long.MAX_VALUE))
            .reservoir(Reservoir.lottery())
            .stage(
                "take",
                () ->
                    (in, out) -> {
                      busy.countDown();
                      if (Numbers.number(in) == 0) {
                        throw new EndOfStreamException();
                      }
                    })
            .feed("take", kind(wires, opened))
            .build()
            .start();
    busy.await();
    opened.get("feed[0]->take[0]").arrive(0);
    assertTrue(run.await(Duration.ofSeconds(50)));
  }

  @Test
  void anOperationAndTheEndOfTheFlowEndAWaitInAMover() throws Exception {
    Wires wires = new Wires();
    Map<String, Moved> opened = new ConcurrentHashMap<>();
    FlowEngine engine =
        Flow.named("parked")
            .stage("take", () -> (in, out) -> {})
            .feed("take", kind(wires, opened))
            .build()
            .engine();
    var take = new Operation.End("take", 0);
    engine.apply(new Operation.CreateModule(take)).join();
    engine
        .apply(
            new Operation.CreateStream(
                "fed",
                0,
                Operation.Use.FEED,
                "feed",
                new Operation.End("feed", 0),
                take,
                kind(wires, opened),
                4))
        .join();
    engine.apply(new Operation.AttachInput(take, "fed")).join();
    wires.awaitParked();
    engine.apply(new Operation.Initialize(take)).join();
    wires.awaitParked();
    engine.apply(new Operation.Start(take)).join();
    wires.awaitParked();
    CompletableFuture<FlowEngine.Answer> reserved = engine.apply(new Operation.ReserveInputs(take));
    assertEquals(FlowEngine.Answer.APPLIED, reserved.join());
    wires.awaitParked();
    engine.cancel();
    assertThrows(CancellationException.class, engine::await);
    assertEquals(0, wires.timeouts.get());
  }

  @Test
  void refusesStreamsOfTwoMoversInOneModule() {
    Map<String, Moved> opened = new ConcurrentHashMap<>();
    FlowRun run =
        Flow.named("two")
            .stage("take", () -> (in, out) -> {})
            .feed("take", kind(new Wires(), opened), kind(new Wires(), opened))
            .build()
            .start();
    FlowException refused = assertThrows(FlowException.class, run::await);
    assertEquals(FlowException.Phase.OPEN, refused.phase());
    assertTrue(refused.getMessage().contains("two movers"), refused.getMessage());
  }
}
