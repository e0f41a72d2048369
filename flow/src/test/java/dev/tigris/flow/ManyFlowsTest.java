package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many flows, large ones, and modules that take their time: threads and buffers are all given
/// back.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ManyFlowsTest {
  private static Flow small(Numbers.Collected collected) {
    return Flow.named("small")
        .source("count", Numbers.counting(0, 3))
        .reservoir(Reservoir.lottery())
        .stage("take", collected.module())
        .build();
  }

  @Test
  void runsOneAfterTheOther() throws Exception {
    long jbufs = Jbuf.use().count();
    var collected = new Numbers.Collected();
    Flow flow = small(collected);
    for (int i = 0; i < 2000; i++) {
      flow.start().await();
    }
    assertEquals(6000, collected.count());
    FailureTest.assertNothingIsLeft("small", jbufs);
  }

  @Test
  void runsAHundredAtOnceOfWhichSomeAreCancelled() throws Exception {
    long jbufs = Jbuf.use().count();
    var collected = new Numbers.Collected();
    Flow small = small(collected);
    Flow endless =
        Flow.named("endless")
            .source("count", Numbers.counting(0, Long.MAX_VALUE), 2)
            .reservoir(Reservoir.leastOutstanding().withWindow(2))
            .stage("take", () -> (in, out) -> {}, 2)
            .build();
    List<FlowRun> ending = new ArrayList<>();
    List<FlowRun> cancelled = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      if (i % 5 == 0) {
        cancelled.add(endless.start());
      } else {
        ending.add(small.start());
      }
    }
    cancelled.forEach(FlowRun::cancel);
    for (FlowRun run : ending) {
      run.await();
    }
    for (FlowRun run : cancelled) {
      assertThrows(CancellationException.class, run::await);
    }
    assertEquals(240, collected.count());
    FailureTest.assertNothingIsLeft("small", jbufs);
    FailureTest.assertNothingIsLeft("endless", jbufs);
  }

  @Test
  void runsFiveHundredStagesInARow() throws Exception {
    var collected = new Numbers.Collected();
    Flow.Builder builder = Flow.named("long").source("count", Numbers.counting(0, 50));
    for (int i = 0; i < 500; i++) {
      builder
          .reservoir(Reservoir.lottery().withWindow(2))
          .stage("pass" + i, () -> (in, out) -> out.put(in));
    }
    builder.reservoir(Reservoir.lottery()).stage("take", collected.module());
    Numbers.run(builder.build());
    assertEquals(50, collected.count());
  }

  @Test
  void runsThousandsOfStreams() throws Exception {
    var collected = new Numbers.Collected();
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("wide")
                .source("count", Numbers.counting(0, 5000), 50)
                .reservoir(Reservoir.leastOutstanding().withWindow(4))
                .stage("take", collected.module(), 60)
                .build());
    assertEquals(3000, snapshot.streams().size());
    assertEquals(5000, collected.count());
  }

  /// A cancelled flow waits for code that takes no notice, and says that it is not over.
  @Test
  void waitsForAModuleThatDoesNotListen() throws Exception {
    var begun = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    FlowRun run =
        Flow.named("deaf")
            .source(
                "deaf",
                () ->
                    out -> {
                      begun.countDown();
                      while (true) {
                        try {
                          goOn.await();
                          return true;
                        } catch (InterruptedException e) {
                          // It does not listen.
                        }
                      }
                    })
            .reservoir(Reservoir.lottery())
            .stage("take", () -> (in, out) -> {})
            .build()
            .start();
    begun.await();
    run.cancel();
    assertTrue(!run.await(Duration.ofMillis(20)) && !run.isDone());
    assertEquals(FlowSnapshot.State.CANCELLED, run.snapshot().state());
    goOn.countDown();
    assertThrows(CancellationException.class, run::await);
    FailureTest.assertNothingIsLeft("deaf", Long.MAX_VALUE);
  }
}
