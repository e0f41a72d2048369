package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A second flow takes what a run puts on a reservoir.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TapSourceTest {
  @TempDir private Path runs;

  /// Puts the numbers from 0 until it is drained.
  public static final class Numbers implements FlowProgram {
    @Override
    public Flow describe(Arguments arguments) {
      return Flow.named("numbers")
          .source("count", Counter::new, Integer.parseInt(arguments.word(0, "1")))
          .reservoir(Reservoir.lottery())
          .stage("take", () -> (in, out) -> {})
          .build();
    }
  }

  private static final class Counter implements Source {
    private long next;
    private int replica;

    @Override
    public void init(ModuleContext context) {
      replica = context.replica();
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(2 * Long.BYTES);
      water.bytes().setLong(0, next++);
      water.bytes().setLong(Long.BYTES, replica);
      out.put(water);
      return true;
    }
  }

  private Flow auditor(ClusterRun run, AtomicLong last, AtomicLong count) {
    Path folder = run.folder().orElseThrow();
    return Flow.named("audit")
        .source("tapped", () -> new TapSource(folder, "take", true))
        .reservoir(Reservoir.lottery())
        .stage(
            "check",
            () ->
                (in, out) -> {
                  long number = in.bytes().getLong(0);
                  long before = last.getAndSet(number);
                  if (before >= 0 && number != before + 1) {
                    throw new IllegalStateException(number + " follows " + before);
                  }
                  long _ = count.incrementAndGet();
                })
        .build();
  }

  /// Each of two replicas has what a part of the senders puts, and together they have all.
  @Test
  void replicasShareTheSenders() throws Exception {
    ClusterRun run = Cluster.threads().withRuns(runs).withFolder().start(Numbers.class, "3");
    Path folder = run.folder().orElseThrow();
    Map<Integer, Integer> tapOf = new ConcurrentHashMap<>();
    Map<Integer, Long> next = new ConcurrentHashMap<>();
    try (ControlServer _ = ControlServer.start(run)) {
      FlowRun second =
          Flow.named("shared")
              .source("tapped", () -> new TapSource(folder, "take", true), 2)
              .reservoir(Reservoir.lottery())
              .stage("check", () -> new Checks(tapOf, next))
              .build()
              .start();
      Wait.until(
          "all come", () -> next.size() == 3 && next.values().stream().allMatch(n -> n > 1000));
      second.drain();
      second.await();
      assertEquals(Map.of(0, 0, 1, 1, 2, 0), tapOf);
    } finally {
      run.cancelAndAwait();
    }
  }

  /// Checks that the waters of each sender come in order, by one tap.
  private static final class Checks implements Module {
    private final Map<Integer, Integer> tapOf;
    private final Map<Integer, Long> next;
    private @Nullable ModuleContext context;

    Checks(Map<Integer, Integer> tapOf, Map<Integer, Long> next) {
      this.tapOf = tapOf;
      this.next = next;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      ModuleContext its = Objects.requireNonNull(context);
      int tap = its.inputs().indexOf(its.input());
      int sender = (int) in.bytes().getLong(Long.BYTES);
      long number = in.bytes().getLong(0);
      Integer other = tapOf.putIfAbsent(sender, tap);
      Long expected = next.put(sender, number + 1);
      if ((other != null && other != tap) || (expected != null && expected != number)) {
        throw new IllegalStateException(
            "%d of sender %d by tap %d, after %s by %s"
                .formatted(number, sender, tap, expected, other));
      }
    }
  }

  @Test
  void aSecondFlowHasEachWaterInOrderAndEndsWithTheFirst() throws Exception {
    ClusterRun run = Cluster.threads().withRuns(runs).withFolder().start(Numbers.class);
    AtomicLong last = new AtomicLong(-1);
    AtomicLong count = new AtomicLong();
    try (ControlServer _ = ControlServer.start(run)) {
      FlowRun first = auditor(run, last, count).start();
      Wait.until("waters come", () -> count.get() > 1000);
      first.drain(); // it is removed again, and the run goes on
      first.await();
      long calls = run.progress().calls();
      Wait.until("the run goes on", () -> run.progress().calls() > calls + 1000);
      last.set(-1);
      count.set(0);
      FlowRun second = auditor(run, last, count).start();
      Wait.until("waters come again", () -> count.get() > 1000);
      run.drain();
      second.await();
      assertEquals(0, second.results().number(TapSource.LEFT_OUT));
      assertTrue(count.get() > 1000);
      var _ = run.await();
    }
  }
}
