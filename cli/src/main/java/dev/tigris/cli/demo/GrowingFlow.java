package dev.tigris.cli.demo;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A program whose stage `work` takes a millisecond for each water, so that its rate is that of its
/// replicas. It goes on until it is drained. Each water has a number, and the sum and the count of
/// those that were made and of those that came are among the results.
public final class GrowingFlow implements FlowProgram {
  /// The stage to resize.
  public static final String WORK = "work";

  /// The results of the sources.
  public static final String MADE = "made";

  /// The results of the last stage.
  public static final String CAME = "came";

  /// The end of the name of a sum of numbers.
  public static final String SUM = ", sum of numbers";

  /// How many replicas the stage has at first.
  public static final int REPLICAS = 2;

  private static final int WINDOW = 8;
  private static final long WORK_NANOS = 1_000_000;

  /// Makes the program, as each process does.
  public GrowingFlow() {}

  @Override
  public Flow describe(Arguments arguments) {
    return Flow.named("growing")
        .source("make", Maker::new, arguments.processes())
        .reservoir(Reservoir.leastOutstanding().withWindow(WINDOW))
        .stage(WORK, () -> GrowingFlow::work, REPLICAS)
        .reservoir(Reservoir.leastOutstanding().withWindow(WINDOW))
        .stage("count", Counter::new)
        .build();
  }

  private static void work(Water in, Stream out) {
    long end = System.nanoTime() + WORK_NANOS;
    for (long left = WORK_NANOS; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(GrowingFlow.class, left); // a stand-in for a busy disk or network
    }
    out.put(in);
  }

  private static final class Maker implements Source {
    private @Nullable ModuleContext context;
    private long count;
    private long sum;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(Long.BYTES);
      water.bytes().setLong(0, count);
      sum += count;
      count++;
      out.put(water);
      return true;
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add(MADE, count);
      Objects.requireNonNull(context).results().add(MADE + SUM, sum);
    }
  }

  private static final class Counter implements Module {
    private @Nullable ModuleContext context;
    private long count;
    private long sum;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      count++;
      sum += in.bytes().getLong(0);
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add(CAME, count);
      Objects.requireNonNull(context).results().add(CAME + SUM, sum);
    }
  }
}
