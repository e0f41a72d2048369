package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Operation.End;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Taps of flows on threads: what is copied, what is left out, and that the flow does not notice.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TapTest {
  private static final int WINDOW = 4;

  private final AtomicLong made = new AtomicLong();
  private final AtomicLong came = new AtomicLong();
  private final Map<End, Long> next = new HashMap<>();
  private long taken;
  private long takenSum;

  /// A source of numbers, which `work` passes to `add`.
  private Flow flow(long numbers) {
    return Flow.named("tapped")
        .source("make", () -> maker(numbers), 1)
        .reservoir(Reservoir.leastOutstanding().withWindow(WINDOW))
        .stage("work", () -> (in, out) -> out.put(in), 2)
        .reservoir(Reservoir.lottery().withWindow(WINDOW))
        .stage("add", () -> (in, out) -> came.addAndGet(in.bytes().getLong(0)))
        .build();
  }

  private Source maker(long numbers) {
    return out -> {
      Water water = out.spring().createWater(Long.BYTES + 1);
      long number = made.getAndIncrement();
      water.bytes().setLong(0, number);
      out.put(water);
      return number + 1 < numbers;
    };
  }

  private static Tap.Terms terms(boolean blocks, boolean isGranted) {
    return new Tap.Terms(Long.BYTES, 2, blocks, isGranted);
  }

  /// Takes what is there, all of which follows what came before of its sender.
  private int take(Tap tap) throws IOException {
    return tap.read(
        (from, number, size, bytes, length) -> {
          assertEquals(next.getOrDefault(from, 0L), number, from::toString);
          next.put(from, number + 1);
          assertEquals(Long.BYTES + 1, size);
          assertEquals(Long.BYTES, length);
          taken++;
          takenSum += ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
        });
  }

  private void takeAll(Tap tap) throws IOException, InterruptedException {
    while (!tap.isOver()) {
      int count = take(tap);
      if (count == 0) {
        tap.await(Duration.ofSeconds(10));
      }
    }
  }

  /// An engine whose source waits for the tap.
  private static FlowRun startTapped(Flow flow, Tap tap) {
    FlowEngine engine = flow.engine();
    var _ = engine.tap(tap);
    Plan.of(flow).applyTo((LocalRun) engine);
    engine.seal();
    return engine;
  }

  @Test
  void aBlockingTapHasEachWaterOnceAndInOrder() throws Exception {
    Tap tap = new Tap("add", terms(true, false));
    FlowRun run = startTapped(flow(10_000), tap);
    takeAll(tap);
    run.await();
    assertTrue(tap.isComplete());
    assertEquals(10_000, taken);
    assertEquals(came.get(), takenSum);
    assertEquals(2, next.size());
    assertEquals(10_000, tap.copied());
    assertEquals(0, tap.leftOut());
  }

  @Test
  void aTapThatIsNotReadKeepsNoneWaiting() throws Exception {
    Tap tap = new Tap("work", terms(false, false));
    startTapped(flow(1000), tap).await();
    assertFalse(tap.isOver());
    assertEquals(2, take(tap));
    assertTrue(tap.isOver());
    assertEquals(2, tap.copied());
    assertEquals(998, tap.leftOut());
    assertEquals(999 * 1000 / 2, came.get());
  }

  @Test
  void onlyWhatIsGrantedIsCopied() throws Exception {
    Tap tap = new Tap("work", terms(false, true));
    FlowRun run = startTapped(flow(Long.MAX_VALUE), tap);
    Wait.until("waters are left out", () -> tap.leftOut() > 100);
    assertEquals(0, tap.copied());
    tap.grant(1);
    tap.await(Duration.ofSeconds(30));
    long before = made.get();
    Wait.until("the flow goes on", () -> made.get() > before + 100);
    assertEquals(1, tap.copied());
    run.drain();
    run.await();
    assertEquals(made.get(), tap.copied() + tap.leftOut());
  }

  @Test
  void closingATapLetsItsSendersGoOn() throws Exception {
    Tap tap = new Tap("work", terms(true, false));
    FlowRun run = startTapped(flow(1000), tap);
    Wait.until("the tap is full", () -> tap.copied() == 2);
    assertFalse(run.await(Duration.ofMillis(20)));
    tap.close();
    run.await();
    assertEquals(1000, made.get());
    assertTrue(tap.isOver());
  }

  @Test
  void anEndedFlowEndsTheWaitForItsTap() throws Exception {
    Tap tap = new Tap("work", terms(true, false));
    FlowRun run = startTapped(flow(1000), tap);
    Wait.until("the tap is full", () -> tap.copied() == 2);
    run.cancel();
    assertThrows(java.util.concurrent.CancellationException.class, run::await);
    assertFalse(tap.isComplete());
    assertEquals(2, take(tap));
    assertTrue(tap.isOver());
  }

  @Test
  void aReplicaThatJoinsIsTappedFromItsFirstWaterOn() throws Exception {
    Tap tap = new Tap("add", terms(true, false));
    FlowRun run = startTapped(flow(Long.MAX_VALUE), tap);
    var resized = run.resize("work", 4);
    while (!resized.isDone() || next.size() < 4) {
      int _ = take(tap);
      tap.await(Duration.ofMillis(100));
    }
    var shrunk = run.resize("work", 1);
    while (!shrunk.isDone()) {
      int _ = take(tap);
      tap.await(Duration.ofMillis(100));
    }
    run.drain();
    takeAll(tap);
    run.await();
    assertEquals(made.get(), taken);
    assertEquals(came.get(), takenSum);
  }

  @Test
  void refusesWhatIsNotThere() throws Exception {
    FlowRun run = flow(10).start();
    var refused =
        assertThrows(
            IllegalArgumentException.class, () -> run.tap(new Tap("nothing", terms(false, false))));
    assertTrue(refused.getMessage().contains("[work, add]"), refused::getMessage);
    run.await();
    assertThrows(
        ExecutionException.class, () -> run.tap(new Tap("add", terms(false, false))).get());
    assertThrows(IllegalArgumentException.class, () -> new Tap.Terms(-1, 1, false, false));
    assertThrows(IllegalArgumentException.class, () -> new Tap.Terms(1, 0, false, false));
    assertThrows(IllegalArgumentException.class, () -> new Tap.Terms(1, 1, true, true));
  }
}
