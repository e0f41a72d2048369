package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What can be seen of a flow from outside.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SnapshotTest {
  @Test
  void modulesRunOnNamedThreadsWithTheStartersClassLoader() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    AtomicReference<ClassLoader> loader = new AtomicReference<>();
    Numbers.run(
        Flow.named("threads")
            .source(
                "only",
                () ->
                    out -> {
                      thread.set(Thread.currentThread());
                      loader.set(Thread.currentThread().getContextClassLoader());
                      return false;
                    })
            .build());
    assertEquals("tigris-threads-only-0", thread.get().getName());
    assertFalse(thread.get().isDaemon());
    assertFalse(thread.get().isAlive(), "await returns after the threads have ended");
    assertSame(Thread.currentThread().getContextClassLoader(), loader.get());
  }

  @Test
  void saysWhatHasFailedBeforeTheFlowIsOver() throws Exception {
    CompletableFuture<Boolean> release = new CompletableFuture<>();
    FlowRun run =
        Flow.named("blocked")
            .source(
                "deaf",
                () ->
                    out -> {
                      out.put(out.spring().createWater(8));
                      return release.join(); // no interrupt ends that
                    })
            .reservoir(Reservoir.random())
            .stage(
                "failing",
                () ->
                    (_, _) -> {
                      throw new IllegalStateException("no luck");
                    })
            .build()
            .start();
    FlowException told = run.failure();
    for (; told == null; told = run.failure()) {
      Thread.onSpinWait();
    }
    assertEquals("no luck", told.getCause().getMessage());
    assertFalse(run.await(Duration.ZERO), "over, with a module at work");
    boolean _ = release.complete(false);
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertEquals(told.getMessage(), failure.getMessage());
  }

  @Test
  void saysHowFarItIs() throws Exception {
    CountDownLatch half = new CountDownLatch(500);
    CountDownLatch goOn = new CountDownLatch(1);
    FlowRun run =
        Flow.named("progress")
            .source("count", Numbers.counting(0, 1000))
            .reservoir(Reservoir.random())
            .stage(
                "work",
                () ->
                    (in, out) -> {
                      half.countDown();
                      if (half.getCount() == 0) {
                        goOn.await();
                      }
                    })
            .build()
            .start();
    half.await();
    FlowSnapshot snapshot = run.snapshot();
    assertEquals(FlowSnapshot.State.RUNNING, snapshot.state());
    assertFalse(run.isDone());
    assertFalse(run.await(Duration.ofNanos(1)));
    FlowSnapshot.Channel channel = snapshot.streams().getFirst();
    assertEquals("count[0]->work[0]", channel.name());
    assertTrue(channel.counters().taken() >= 500);
    goOn.countDown();
    run.await();
    FlowSnapshot last = run.snapshot();
    assertEquals(FlowSnapshot.State.DONE, last.state());
    assertEquals(1000, last.streams().getFirst().counters().waters());
    assertEquals(8000, last.streams().getFirst().counters().bytes());
    assertEquals(0, last.streams().getFirst().counters().outstanding());
    assertTrue(run.await(Duration.ofNanos(1)));
    assertTrue(run.await(ChronoUnit.FOREVER.getDuration()));
  }

  @Test
  void saysWhoIsSlow() throws Exception {
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("slow")
                .source("count", Numbers.counting(0, 3000))
                .reservoir(Reservoir.leastOutstanding())
                .stage("work", SlowIfLast::new, 4)
                .build());
    assertTrue(snapshot.slow().stream().anyMatch(one -> one.replica() == 3), snapshot::toString);
    long slow = snapshot.streams().get(3).counters().serviceNanos();
    long other = snapshot.streams().get(0).counters().serviceNanos();
    assertTrue(slow > 2 * other, "the sender knows too: " + slow + " and " + other);
  }

  @Test
  void slowIsTwiceTheMedianOfTheStage() {
    FlowSnapshot snapshot =
        new FlowSnapshot(
            "slow",
            FlowSnapshot.State.RUNNING,
            1,
            List.of(
                replica("read", 0, 5000),
                replica("work", 0, 100),
                replica("work", 1, 199),
                replica("work", 2, 100),
                replica("work", 3, 200),
                replica("new", 0, 0),
                replica("new", 1, 700),
                replica("pair", 0, 10),
                replica("pair", 1, 30)),
            List.of());
    assertEquals(
        List.of("work 3", "pair 1"),
        snapshot.slow().stream().map(one -> one.stage() + " " + one.replica()).toList());
  }

  private static FlowSnapshot.Replica replica(String stage, int index, long serviceNanos) {
    return new FlowSnapshot.Replica(stage, index, 1, serviceNanos, 0, 0, 0, false);
  }

  @Test
  void tellsWaitingForInputFromWaitingForCredit() throws Exception {
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("waits")
                .source("count", Numbers.counting(0, 50))
                .reservoir(Reservoir.random().withWindow(1))
                .stage("work", SlowIfLast::new, 1)
                .build());
    FlowSnapshot.Replica source = snapshot.replicas().get(0);
    FlowSnapshot.Replica work = snapshot.replicas().get(1);
    assertEquals(0, source.inputWaitNanos());
    assertTrue(source.creditWaitNanos() > 0, snapshot::toString);
    assertEquals(0, work.creditWaitNanos());
    assertEquals(50, work.calls());
  }

  private static FlowSnapshot.Replica awaitInputWait(FlowRun run, int replica) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    FlowSnapshot.Replica seen = run.snapshot().replicas().get(replica);
    while (seen.inputWaitNanos() < 100_000_000 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
      seen = run.snapshot().replicas().get(replica);
    }
    return seen;
  }

  /// Whoever asks why a flow stands asks while it does. What a module waits for itself is told from
  /// a wait for credit too.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void countsAWaitThatIsNotOver(boolean takesItself) throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    FlowRun run =
        Flow.named("stands")
            .source("count", Numbers.counting(0, takesItself ? 1 : 0))
            .source(
                "late",
                () ->
                    out -> {
                      goOn.await();
                      return false;
                    })
            .stage("join", TakesLate::new)
            .connect("count", "join", Reservoir.random())
            .connect("late", "join", Reservoir.random())
            .build()
            .start();
    FlowSnapshot.Replica standing = awaitInputWait(run, 2);
    goOn.countDown();
    run.await();
    FlowSnapshot.Replica last = run.snapshot().replicas().get(2);
    assertTrue(standing.inputWaitNanos() >= 100_000_000, standing::toString);
    assertTrue(last.inputWaitNanos() >= standing.inputWaitNanos(), last::toString);
    assertEquals(0, last.creditWaitNanos());
    assertEquals(takesItself ? 1 : 0, last.calls());
  }

  private static final class TakesLate implements Module {
    private ModuleContext context;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      assertNull(context.inputs("late").getFirst().get());
    }
  }

  /// Only one call in sixteen is timed; what it waits is counted in all of them.
  @Test
  void countsTheWaitsForCreditOfEveryCall() throws Exception {
    int waits = 30;
    long nanos = 3_000_000;
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("waits-between")
                .source("count", Numbers.counting(0, 1 + waits))
                .reservoir(Reservoir.random().withWindow(1))
                .stage(
                    "work",
                    () ->
                        (in, out) -> {
                          long end = System.nanoTime() + nanos;
                          while (System.nanoTime() < end) {
                            Thread.onSpinWait();
                          }
                        },
                    1)
                .build());
    long waited = snapshot.replicas().getFirst().creditWaitNanos();
    assertTrue(waited > nanos * waits * 3 / 4, snapshot::toString);
  }

  /// Waits for a while, the last replica for much longer.
  private static final class SlowIfLast implements Module {
    private long nanos;

    @Override
    public void init(ModuleContext context) {
      nanos = context.replica() == 3 ? 20_000_000 : 100_000;
    }

    @Override
    public void process(Water in, Stream out) {
      long end = System.nanoTime() + nanos;
      while (System.nanoTime() < end) {
        java.util.concurrent.locks.LockSupport.parkNanos(end - System.nanoTime());
      }
    }
  }
}
