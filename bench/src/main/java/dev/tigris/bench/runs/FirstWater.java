package dev.tigris.bench.runs;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A program each of whose receivers writes down when its first water came: `folder [endless]`. The
/// file `PROCESS.REPLICA` in the folder has the time, by the clock that all processes of a host
/// share.
///
/// An endless one puts waters until the file `end` is in the folder.
public final class FirstWater implements FlowProgram {
  private static final String END = "end";
  private static final int WATERS = 200;
  private static final int WATER_BYTES = 1024;
  private static final long PACE_NANOS = 1_000_000;

  /// Makes the program, as each process does.
  public FirstWater() {}

  @Override
  public Flow describe(Arguments arguments) {
    Path folder = Path.of(arguments.word(0));
    Path end = arguments.words().size() > 1 ? folder.resolve(END) : null;
    int replicas = Math.max(2, arguments.processes());
    return Flow.named("first-water")
        .source("make", () -> new Maker(end), replicas)
        .reservoir(Reservoir.lottery())
        .stage("note", () -> new Notes(folder), replicas)
        .build();
  }

  /// Lets endless ones end.
  static void end(Path folder) throws IOException {
    Path _ = Files.createFile(folder.resolve(END));
  }

  private static final class Maker implements Source {
    private final @Nullable Path end;
    private int made;

    Maker(@Nullable Path end) {
      this.end = end;
    }

    @Override
    public boolean produce(Stream out) {
      out.put(out.spring().createWater(WATER_BYTES));
      if (end == null) {
        return ++made < WATERS;
      }
      LockSupport.parkNanos(this, PACE_NANOS);
      return !Files.exists(end);
    }
  }

  private static final class Notes implements Module {
    private final Path folder;
    private @Nullable ModuleContext context;
    private boolean isNoted;

    Notes(Path folder) {
      this.folder = folder;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) throws IOException {
      if (!isNoted) {
        isNoted = true;
        String now = Long.toString(System.nanoTime());
        int replica = Objects.requireNonNull(context).replica();
        Path own = folder.resolve(ProcessHandle.current().pid() + "." + replica);
        Files.writeString(own, now);
      }
    }
  }
}
