package dev.tigris.cluster.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.testing.Slow;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests of programs, as users write them.
@Slow("starts many JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClusterTestTest {
  private static final AtomicLong SHARED = new AtomicLong();

  /// Counts to a number in each of six sources: in a static field, if its second word says so.
  public static final class Counting implements FlowProgram {
    /// Makes the program.
    public Counting() {}

    @Override
    public Flow describe(Arguments arguments) {
      long count = Long.parseLong(arguments.word(0));
      boolean isStatic = arguments.word(1, "").equals("static");
      return Flow.named("counting").source("count", () -> new Counter(count, isStatic), 6).build();
    }
  }

  private static final class Counter implements Source {
    private final long count;
    private final boolean isStatic;
    private long next;
    private @Nullable ModuleContext context;

    Counter(long count, boolean isStatic) {
      this.count = count;
      this.isStatic = isStatic;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) {
      LockSupport.parkNanos(100_000); // so that a process is lost before the end
      next++;
      return next < count && !Objects.requireNonNull(context).isStopping();
    }

    @Override
    public void finish(Stream out) {
      long total = SHARED.addAndGet(next);
      Objects.requireNonNull(context).results().max("count", isStatic ? total : next);
    }
  }

  @Test
  void aProgramThatTellsResultsPasses() throws Exception {
    try (ClusterTest cluster = ClusterTest.open()) {
      assertEquals(50, cluster.equalResults(Counting.class, "50").number("count"));
      assertEquals(20_000, cluster.survivesLoss(Counting.class, "20000").number("count"));
    }
  }

  @Test
  void aProgramWithAStaticTotalIsFound() throws Exception {
    try (ClusterTest cluster = ClusterTest.open()) {
      AssertionError found =
          assertThrows(
              AssertionError.class, () -> cluster.equalResults(Counting.class, "50", "static"));
      assertTrue(found.getMessage().contains("static field"), found::getMessage);
    }
  }
}
