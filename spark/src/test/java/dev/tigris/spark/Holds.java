package dev.tigris.spark;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.ends.DrainStream;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A program each of whose workers writes a file: `folder when file`. The last worker waits before
/// one step: `make` the second half, `prepare` its outputs, or `publish` them. It makes the file
/// then, with the number of its process. It goes on when the file is gone, or its modules are to
/// stop. Where `when` is another word, or the file was there, it does not wait.
public final class Holds implements FlowProgram {
  static final int WATERS = 100;
  static final int WATER_BYTES = 1000;

  /// Makes the program.
  public Holds() {}

  @Override
  public Flow describe(Arguments arguments) {
    Path folder = Path.of(arguments.word(0));
    String when = arguments.word(1);
    Path file = Path.of(arguments.word(2));
    int workers = arguments.processes();
    StreamKind[] files = new StreamKind[workers];
    StreamKind[] waits = new StreamKind[workers];
    for (int i = 0; i < workers; i++) {
      files[i] = FileStream.writing(output(folder, i));
      String its = i == workers - 1 ? when : "";
      waits[i] = place -> new DrainStream(place, new Waits(its, file));
    }
    return Flow.named("holds") // streams are prepared and published in this order
        .source("end", () -> out -> false, workers)
        .drain("end", waits)
        .source("make", () -> new Makes(when, file), workers)
        .drain("make", files)
        .build();
  }

  static Path output(Path folder, int worker) {
    return folder.resolve("out-" + worker);
  }

  private static void hold(Path file, BooleanSupplier isStopping) throws IOException {
    Path once = file.resolveSibling(file.getFileName() + ".once");
    try {
      Path _ = Files.createFile(once);
    } catch (FileAlreadyExistsException e) {
      return; // so it did in an earlier attempt
    }
    Path written = Files.writeString(once, String.valueOf(ProcessHandle.current().pid()));
    Path _ = Files.createLink(file, written);
    while (Files.exists(file) && !isStopping.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static final class Makes implements Source {
    private final String when;
    private final Path file;
    private @Nullable ModuleContext context;
    private int made;

    Makes(String when, Path file) {
      this.when = when;
      this.file = file;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) throws IOException {
      out.put(out.spring().createWater(WATER_BYTES));
      made++;
      ModuleContext its = Objects.requireNonNull(context);
      if (made == WATERS / 2 && when.equals("make") && its.replica() == its.replicas() - 1) {
        hold(file, its::isStopping);
      }
      return made < WATERS;
    }
  }

  /// Swallows what is put.
  private record Waits(String when, Path file) implements DrainStream.Sink {
    @Override
    public @Nullable String output() {
      return null;
    }

    @Override
    public void write(Bytes bytes, int size) {}

    @Override
    public void prepare() throws IOException {
      if (when.equals("prepare")) {
        hold(file, () -> false);
      }
    }

    @Override
    public void close(boolean complete) throws IOException {
      if (complete && when.equals("publish")) {
        hold(file, () -> false);
      }
    }
  }
}
