package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What happens when a flow is cancelled, or somebody interrupts its threads.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CancellationTest {
  /// Whether a class stands in the trace of something thrown.
  static boolean isOf(Class<?> caller, Throwable thrown) {
    return Arrays.stream(thrown.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(caller.getName()));
  }

  @Test
  void cancelStopsSendersThatWaitForCredit() throws Exception {
    long jbufs = Jbuf.use().count();
    CountDownLatch full = new CountDownLatch(1);
    FlowRun run =
        Flow.named("cancel-full")
            .source("forever", Numbers.counting(0, Long.MAX_VALUE), 2)
            .reservoir(Reservoir.lottery().withWindow(2))
            .stage(
                "stuck",
                () ->
                    (in, out) -> {
                      full.countDown();
                      new CountDownLatch(1).await();
                    })
            .build()
            .start();
    full.await();
    run.cancel();
    assertThrows(CancellationException.class, run::await);
    assertEquals(FlowSnapshot.State.CANCELLED, run.snapshot().state());
    assertEquals("FlowRun[cancel-full, CANCELLED]", run.toString());
    run.cancel();
    FailureTest.assertNothingIsLeft("cancel-full", jbufs);
  }

  @Test
  void cancelTellsWhatFailedAfterIt() throws Exception {
    CountDownLatch ready = new CountDownLatch(1);
    FlowRun run =
        Flow.named("cancel-fails")
            .source(
                "leaves",
                () ->
                    new Source() {
                      @Override
                      public boolean produce(Stream out) throws Exception {
                        ready.countDown();
                        new CountDownLatch(1).await();
                        return true;
                      }

                      @Override
                      public void destroy() throws IOException {
                        throw new IOException("something is left");
                      }
                    })
            .build()
            .start();
    ready.await();
    run.cancel();
    CancellationException cancelled = assertThrows(CancellationException.class, run::await);
    assertTrue(isOf(CancellationTest.class, cancelled), "who waits");
    assertTrue(isOf(CancellationTest.class, cancelled.getCause()), "who has cancelled");
    FlowException left = assertInstanceOf(FlowException.class, cancelled.getSuppressed()[0]);
    assertEquals("something is left", left.getCause().getMessage());
  }

  @Test
  void cancelStopsReceiversThatWaitForInput() throws Exception {
    CountDownLatch ready = new CountDownLatch(2);
    FlowRun run =
        Flow.named("cancel-empty")
            .source(
                "silent",
                () ->
                    out -> {
                      ready.countDown();
                      new CountDownLatch(1).await();
                      return true;
                    })
            .reservoir(Reservoir.lottery())
            .stage(
                "waiting",
                () ->
                    new Module() {
                      @Override
                      public void init(ModuleContext context) {
                        ready.countDown();
                      }

                      @Override
                      public void process(Water in, Stream out) {}
                    },
                3)
            .build()
            .start();
    ready.await();
    run.cancel();
    assertThrows(CancellationException.class, run::await);
    FailureTest.assertNothingIsLeft("cancel-empty", Long.MAX_VALUE);
  }

  @Test
  void cancelStopsAModuleThatAsksWhetherToStop() {
    FlowRun run =
        Flow.named("cancel-busy")
            .source(
                "busy",
                () ->
                    new Source() {
                      private ModuleContext context;

                      @Override
                      public void init(ModuleContext moduleContext) {
                        context = moduleContext;
                      }

                      @Override
                      public boolean produce(Stream out) {
                        while (!context.isStopping()) {
                          Thread.onSpinWait();
                        }
                        return true;
                      }
                    })
            .build()
            .start();
    run.cancel();
    assertThrows(CancellationException.class, run::await);
  }

  @Test
  void cancelAfterTheEndChangesNothing() throws Exception {
    FlowRun run = Flow.named("over").source("none", () -> out -> false).build().start();
    run.await();
    run.cancel();
    run.await();
    assertEquals(FlowSnapshot.State.DONE, run.snapshot().state());
  }

  @Test
  void anInterruptFromOutsideFailsTheFlowAndSaysSo() {
    FlowRun run =
        Flow.named("interrupted")
            .source(
                "source",
                () ->
                    new Source() {
                      @Override
                      public boolean produce(Stream out) {
                        Numbers.put(out, 1);
                        Thread.currentThread().interrupt();
                        return true;
                      }
                    })
            .reservoir(Reservoir.random().withWindow(1))
            .stage(
                "stuck",
                () ->
                    (in, out) -> {
                      new CountDownLatch(1).await();
                    })
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertEquals("source", failure.stage());
    assertInstanceOf(StreamException.class, failure.getCause());
    assertInstanceOf(InterruptedException.class, failure.getCause().getCause());
  }

  @Test
  void interruptingTheOneWhoAwaitsLeavesTheFlowRunning() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    FlowRun run =
        Flow.named("patient")
            .source(
                "source",
                () ->
                    out -> {
                      goOn.await();
                      return false;
                    })
            .build()
            .start();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, run::await);
    goOn.countDown();
    run.await();
  }
}
