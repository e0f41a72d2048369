package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
          .source("count", Counter::new)
          .reservoir(Reservoir.lottery())
          .stage("take", () -> (in, out) -> {})
          .build();
    }
  }

  private static final class Counter implements Source {
    private long next;

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(Long.BYTES);
      water.bytes().setLong(0, next++);
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
