package dev.tigris.cluster.run;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A program each of whose replicas writes a file of its own: `folder [hangs file | blocks]`. With
/// `hangs`, one of them waits for its end after it has made the file, unless that was there. With
/// `blocks`, one of them puts a folder where its output belongs.
public final class Writes implements FlowProgram {
  static final int REPLICAS = 3;
  static final int WATERS = 100;
  static final int WATER_BYTES = 1000;

  /// Makes the program.
  public Writes() {}

  @Override
  public Flow describe(Arguments arguments) {
    Path folder = Path.of(arguments.word(0));
    String fault = arguments.word(1, "");
    Path hangs = fault.equals("hangs") ? Path.of(arguments.word(2)) : null;
    Path blocked = fault.equals("blocks") ? output(folder, 1) : null;
    StreamKind[] files = new StreamKind[REPLICAS];
    for (int i = 0; i < REPLICAS; i++) {
      files[i] = FileStream.writing(output(folder, i));
    }
    return Flow.named("writes")
        .source("make", () -> new Makes(hangs, blocked), REPLICAS)
        .drain("make", files)
        .build();
  }

  static Path output(Path folder, int replica) {
    return folder.resolve("out-" + replica);
  }

  private static final class Makes implements Source {
    private final @Nullable Path hangs;
    private final @Nullable Path blocked;
    private @Nullable ModuleContext context;
    private int made;

    Makes(@Nullable Path hangs, @Nullable Path blocked) {
      this.hangs = hangs;
      this.blocked = blocked;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) throws IOException {
      Water water = out.spring().createWater(WATER_BYTES);
      out.put(water);
      made++;
      boolean isOne = Objects.requireNonNull(context).replica() == 1;
      if (made == WATERS / 2 && isOne && hangs != null) {
        hang(hangs);
      }
      if (made == WATERS && isOne && blocked != null) {
        Path _ = Files.createDirectories(blocked.resolve("in the way"));
      }
      return made < WATERS;
    }

    private void hang(Path once) throws IOException {
      try {
        Path _ = Files.createFile(once);
      } catch (FileAlreadyExistsException e) {
        return; // so it did in an earlier attempt
      }
      while (!Objects.requireNonNull(context).isStopping()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
