package dev.tigris.cluster.run;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program each of whose replicas copies a file that lies beside it to `NAME.copy`: the names.
public final class Copies implements FlowProgram {
  private static final int WATER_BYTES = 1024;

  /// Makes the program.
  public Copies() {}

  @Override
  public Flow describe(Arguments arguments) {
    List<String> names = arguments.words();
    StreamKind[] from = new StreamKind[names.size()];
    StreamKind[] to = new StreamKind[names.size()];
    for (int i = 0; i < names.size(); i++) {
      from[i] = FileStream.reading(Path.of(names.get(i)), WATER_BYTES);
      to[i] = FileStream.writing(Path.of(names.get(i) + ".copy"));
    }
    return Flow.named("copies")
        .stage("copy", Copier::new, names.size())
        .feed("copy", from)
        .drain("copy", to)
        .build();
  }

  private static final class Copier implements Module {
    private @Nullable ModuleContext context;
    private long bytes;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      bytes += in.size();
      out.put(in);
    }

    @Override
    public void finish(Stream out) {
      Objects.requireNonNull(context).results().add("bytes", bytes);
    }
  }
}
