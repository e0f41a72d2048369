package dev.tigris.spark;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program that turns texts into upper case. It may be told how many replicas read them.
public final class Upper implements FlowProgram {
  /// Makes the program.
  public Upper() {}

  @Override
  public Flow describe(Arguments arguments) {
    SparkPart part = SparkPart.here();
    int workers = arguments.processes();
    int readers = Integer.parseInt(arguments.word(0, String.valueOf(workers)));
    return Flow.named("upper")
        .source("read", part::source, readers)
        .reservoir(Reservoir.leastOutstanding())
        .stage("upper", Raises::new, workers)
        .reservoir(Reservoir.leastOutstanding())
        .stage("write", part::drain, workers)
        .build();
  }

  private static final class Raises implements Module {
    private final Records.Writer writer = new Records.Writer();
    private @Nullable ModuleContext context;
    private long count;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      Records.each(
          in,
          record -> {
            String text = new String(record, StandardCharsets.UTF_8).toUpperCase(Locale.ROOT);
            writer.put(out, text.getBytes(StandardCharsets.UTF_8));
            count++;
          });
      writer.flush(out);
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add("records", count);
    }
  }
}
