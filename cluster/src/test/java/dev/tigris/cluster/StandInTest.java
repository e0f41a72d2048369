package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Modules that compute for long, while a helper moves their messages.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StandInTest {
  private static final int BYTES = 4 << 20;

  /// The source puts more than the network holds, and computes until all of it has arrived.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void whatAModuleHasPutLeavesWhileItComputes(String provider) throws Exception {
    CountDownLatch arrived = new CountDownLatch(6);
    Source burst =
        out -> {
          for (int i = 0; i < 6; i++) {
            out.put(out.spring().createWater(BYTES));
          }
          arrived.await();
          return false;
        };
    run(provider, burst, (in, out) -> arrived.countDown());
    assertEquals(0, arrived.getCount());
  }

  /// The source's calls are quick until the last one, which waits for what they have put.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void whatQuickCallsHavePutLeavesWhileALaterOneWaits(String provider) throws Exception {
    int count = 1000;
    CountDownLatch arrived = new CountDownLatch(count);
    AtomicLong put = new AtomicLong();
    Source source =
        out -> {
          if (put.get() == count) {
            arrived.await();
            return false;
          }
          out.put(out.spring().createWater(put.getAndIncrement() % 4 == 0 ? 8192 : 64));
          return true;
        };
    run(provider, source, (in, out) -> arrived.countDown());
    assertEquals(0, arrived.getCount());
  }

  /// The receiver computes until the source has put a water in the place of each that it has taken:
  /// these need grants, which only the receiver's side gives.
  @Test
  void aModuleThatComputesTakesWhatComes() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    AtomicLong taken = new AtomicLong();
    Source source =
        out -> {
          out.put(out.spring().createWater(64));
          begun.await();
          Water large = out.spring().createWater(BYTES);
          out.put(large);
          while (out.spring().createWater(BYTES) != large) { // which has gone home
            Thread.onSpinWait();
          }
          left.countDown();
          return false;
        };
    Module module =
        (in, out) -> {
          if (taken.getAndIncrement() == 0) {
            begun.countDown();
            left.await();
          }
        };
    run("tcp", source, module);
    assertEquals(2, taken.get());
  }

  /// Modules put, take and compute for times around that after which a helper looks.
  @Test
  void watersStayInOrderWhileHelpersComeAndGo() throws Exception {
    int count = 400;
    AtomicLong seen = new AtomicLong();
    AtomicLong next = new AtomicLong();
    Random random = new Random(7);
    Random other = new Random(8);
    Source source =
        out -> {
          for (int i = 0; i < 4; i++) {
            int size = 8 + random.nextInt(random.nextInt(4) == 0 ? 300_000 : 5000);
            Water water = out.spring().createWater(size);
            water.bytes().setLong(0, next.getAndIncrement());
            out.put(water);
            compute(random.nextInt(1000));
          }
          return next.get() < count;
        };
    Module module =
        (in, out) -> {
          assertEquals(seen.getAndIncrement(), in.bytes().getLong(0));
          compute(other.nextInt(3000));
          if (other.nextInt(5) == 0) {
            in.keep();
            compute(other.nextInt(1000));
            in.release();
          }
        };
    run("tcp", source, module);
    assertTrue(seen.get() >= count);
    assertEquals(next.get(), seen.get());
  }

  private static void compute(int micros) {
    long end = System.nanoTime() + micros * 1000L;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  private static void run(String provider, Source source, Module module) throws Exception {
    try (Fabric fabric = Fabric.open(provider);
        Exchange here = new Exchange(1, 0, StreamOptions.DEFAULT);
        Exchange there = new Exchange(1, 0, StreamOptions.DEFAULT)) {
      String address = there.listen(fabric, provider.equals("shm") ? "*" : "127.0.0.1:0");
      FlowRun receiver =
          Flow.named("there")
              .stage("take", () -> module)
              .feed("take", there.receiving("s").withWindow(8))
              .build()
              .start();
      FlowRun sender =
          Flow.named("here")
              .source("put", () -> source)
              .drain(
                  "put", Reservoir.roundRobin().withWindow(8), here.sending("s", fabric, address))
              .build()
              .start();
      sender.await();
      receiver.await();
    }
  }
}
