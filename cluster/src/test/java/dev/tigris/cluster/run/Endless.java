package dev.tigris.cluster.run;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program that counts until it is drained: `make` puts numbers, `work` passes them, `add` adds
/// them up. What was made and what came are its results. With the argument `checksums`, waters have
/// such.
public final class Endless implements FlowProgram {
  /// Makes the program.
  public Endless() {}

  @Override
  public Flow describe(Arguments arguments) {
    Flow.Builder flow = Flow.named("endless");
    if (arguments.word(0, "").equals("checksums")) {
      flow = flow.checksums();
    }
    return flow.source("make", Maker::new, 2)
        .reservoir(Reservoir.leastOutstanding().withWindow(4))
        .stage("work", () -> (in, out) -> out.put(in), 2)
        .reservoir(Reservoir.lottery().withWindow(4))
        .stage("add", Adder::new, 2)
        .build();
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
      sum += count++;
      out.put(water);
      return true;
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add("made", count);
      Objects.requireNonNull(context).results().add("made sum", sum);
    }
  }

  private static final class Adder implements Module {
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
      Objects.requireNonNull(context).results().add("came", count);
      Objects.requireNonNull(context).results().add("came sum", sum);
    }
  }
}
