package dev.tigris.cli.demo;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.ModuleResults;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program each replica of whose stage `work` passes a water every millisecond, so that its rate
/// is that of its replicas. It goes on until it is drained. Each water has a number. The sum and
/// the count of those that were made and of those that came are among the results, and so are the
/// moments at which they came.
public final class GrowingFlow implements FlowProgram {
  /// The stage to resize.
  public static final String WORK = "work";

  /// The last stage, which counts what comes, and the reservoir before it.
  public static final String COUNT = "count";

  /// The results of the sources.
  public static final String MADE = "made";

  /// The results of the last stage.
  public static final String CAME = "came";

  /// The end of the name of a sum of numbers.
  public static final String SUM = ", sum of numbers";

  /// The results that have the count of those that came in each slot of [#SLOT_NANOS]: the slot's
  /// number follows, by the clock that all processes of a host share.
  public static final String CAME_IN = "came in slot ";

  /// The length of a slot.
  public static final long SLOT_NANOS = 50_000_000;

  /// The waters that a replica passes in a second.
  public static final double RATE = 1000;

  /// How many replicas the stage has at first.
  public static final int REPLICAS = 2;

  private static final int WINDOW = 8;

  /// Makes the program, as each process does.
  public GrowingFlow() {}

  @Override
  public Flow describe(Arguments arguments) {
    return Flow.named("growing")
        .source("make", Maker::new, arguments.processes())
        .reservoir(Reservoir.leastOutstanding().withWindow(WINDOW))
        .stage(WORK, Worker::new, REPLICAS)
        .reservoir(Reservoir.leastOutstanding().withWindow(WINDOW))
        .stage(COUNT, Counter::new)
        .build();
  }

  /// Keeps its pace: a stand-in for a busy disk or network.
  private static final class Worker implements Module {
    private final Pace pace = new Pace(RATE, System.nanoTime());

    @Override
    public void process(Water in, Stream out) throws InterruptedException {
      long _ = pace.awaitNext();
      out.put(in);
    }
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
    private final Map<Long, Long> slots = new HashMap<>();
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
      long _ = slots.merge(System.nanoTime() / SLOT_NANOS, 1L, Long::sum);
    }

    @Override
    public void finish(Stream out) {
      ModuleResults results = Objects.requireNonNull(context).results();
      slots.forEach((slot, came) -> results.add(CAME_IN + slot, came));
      Objects.requireNonNull(context).results().add(CAME, count);
      Objects.requireNonNull(context).results().add(CAME + SUM, sum);
    }
  }
}
