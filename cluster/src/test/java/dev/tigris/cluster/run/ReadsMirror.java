package dev.tigris.cluster.run;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.mirror.Mirror;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program that reads a mirrored data set by all processes: `manifest replicas`. Its results are
/// the sum of all bytes, and for each process how many blocks it has read.
public final class ReadsMirror implements FlowProgram {
  /// Makes the program.
  public ReadsMirror() {}

  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Mirror mirror = Mirror.open(Path.of(arguments.word(0)));
    return Flow.named("scan")
        .stage("add", Adder::new, Integer.parseInt(arguments.word(1)))
        .feed("add", mirror.feed())
        .build();
  }

  private static final class Adder implements Module {
    private long sum;
    private long blocks;
    private @Nullable ModuleContext context;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      for (int at = 0; at < in.size(); at++) {
        sum += in.bytes().get(at);
      }
      blocks++;
    }

    @Override
    public void finish(Stream out) {
      var results = Objects.requireNonNull(context).results();
      results.add("sum", sum);
      results.add("blocks-" + ProcessHandle.current().pid(), blocks);
    }
  }
}
