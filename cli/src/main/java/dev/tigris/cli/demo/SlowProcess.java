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

/// A program in whose last process the work takes eight times as long as in the others: the first
/// argument says how many waters there are to work on.
public final class SlowProcess implements FlowProgram {
  /// The number of waters over all processes, among the results.
  public static final String WATERS = "waters";

  /// The beginning of the name of the number of waters of one process.
  public static final String OF_PROCESS = "waters in process ";

  private static final int WATER_BYTES = 1024;
  private static final int WINDOW = 4;
  private static final long WORK_NANOS = 1_000_000;
  private static final int SLOW = 8;

  /// Makes the program, as each process does.
  public SlowProcess() {}

  @Override
  public Flow describe(Arguments arguments) {
    long waters = Long.parseLong(arguments.word(0));
    int processes = arguments.processes();
    return Flow.named("slow-process")
        .source("make", () -> new Maker(waters), processes)
        .reservoir(Reservoir.leastOutstanding().withWindow(WINDOW))
        .stage("work", Work::new, processes)
        .build();
  }

  private static final class Maker implements Source {
    private final long waters;
    private long left;

    Maker(long waters) {
      this.waters = waters;
    }

    @Override
    public void init(ModuleContext context) {
      left = waters / context.replicas();
    }

    @Override
    public boolean produce(Stream out) {
      if (left > 0) {
        out.put(out.spring().createWater(WATER_BYTES));
        left--;
      }
      return left > 0;
    }
  }

  private static final class Work implements Module {
    private @Nullable ModuleContext context;
    private long waters;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    private ModuleContext context() {
      return Objects.requireNonNull(context);
    }

    @Override
    public void process(Water in, Stream out) {
      boolean isSlow = context().replica() == context().replicas() - 1;
      long end = System.nanoTime() + (isSlow ? SLOW * WORK_NANOS : WORK_NANOS);
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(this, left); // a stand-in for a busy disk or network
      }
      waters++;
    }

    @Override
    public void finish(Stream out) {
      context().results().add(WATERS, waters);
      context().results().add(OF_PROCESS + context().replica(), waters);
    }
  }
}
