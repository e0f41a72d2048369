package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A flow tells of its edges.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EdgeLooksTest {
  private static FlowLoad.Edge edge(FlowLoad load, String to) {
    return load.edges().stream().filter(each -> each.to().equals(to)).findFirst().orElseThrow();
  }

  @Test
  void hasOneEntryForEachReceiverWhateverTheNumberOfSenders() throws Exception {
    FlowRun run =
        Flow.named("many")
            .source("count", Numbers.counting(0, 1000), 5)
            .reservoir(Reservoir.lottery())
            .stage("work", () -> (in, out) -> {}, 3)
            .build()
            .start();
    run.await();
    FlowLoad load = run.load();
    assertEquals(1, load.edges().size());
    FlowLoad.Edge edge = load.edges().getFirst();
    assertEquals(List.of("count", "work"), List.of(edge.from(), edge.to()));
    assertEquals(
        List.of(0, 1, 2), edge.receivers().stream().map(FlowLoad.Receiver::replica).toList());
    assertEquals(1000, edge.receivers().stream().mapToLong(FlowLoad.Receiver::waters).sum());
    assertEquals(8000, edge.receivers().stream().mapToLong(FlowLoad.Receiver::bytes).sum());
    assertEquals(0, edge.senders(), "all have ended");
    assertEquals(8, load.replicas().size());
    assertEquals(1, load.looks());
    assertEquals(2, run.load().looks());
  }

  /// A sender with two reservoirs, one of which takes nothing, waits for that one.
  @Test
  void tellsForWhichReservoirASenderWaits() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    FlowRun run =
        Flow.named("fork")
            .source("count", () -> new Both())
            .stage("free", () -> (in, out) -> {})
            .stage("stuck", () -> (in, out) -> goOn.await())
            .connect("count", "free", Reservoir.lottery())
            .connect("count", "stuck", Reservoir.lottery().withWindow(2))
            .build()
            .start();
    long nanos = 50_000_000;
    FlowLoad before = run.load();
    while (edge(before, "stuck").creditWaitNanos() < nanos) {
      Thread.onSpinWait();
      before = run.load();
    }
    FlowLoad.Receiver was = edge(before, "stuck").receivers().getFirst();
    FlowLoad after = run.load();
    FlowLoad.Receiver now = edge(after, "stuck").receivers().getFirst();
    goOn.countDown();
    run.await();
    assertEquals(2, now.outstanding() - was.outstanding(), "its window is full");
    assertEquals(2, now.window() - was.window());
    assertEquals(1, edge(after, "stuck").senders());
    assertTrue(edge(after, "free").creditWaitNanos() < nanos / 2, after::toString);
    FlowLoad last = run.load();
    assertTrue(edge(last, "stuck").creditWaitNanos() >= nanos, last::toString);
    long waited = last.replicas().getFirst().creditWaitNanos();
    assertTrue(
        edge(last, "stuck").creditWaitNanos() + edge(last, "free").creditWaitNanos() <= waited,
        last::toString);
  }

  /// Puts on both of its reservoirs.
  private static final class Both implements Source {
    private ModuleContext context;
    private long next;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) {
      Numbers.put(context.output("free"), next);
      Numbers.put(context.output("stuck"), next);
      return ++next < 100;
    }
  }
}
