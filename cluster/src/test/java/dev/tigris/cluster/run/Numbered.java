package dev.tigris.cluster.run;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A program whose sources number waters, and whose writers write them to files, one each: `folder
/// count [here go]`. So each number is in one of the files, whichever writer has got it. With the
/// two more, source 0 makes the file `here` when it has put half of its waters, and waits for the
/// file `go`.
public final class Numbered implements FlowProgram {
  static final int REPLICAS = 3;
  private static final int WATER_BYTES = 256;
  private static final int WINDOW = 8;

  /// Makes the run last, so that there is something to disturb.
  private static final long PACE_NANOS = 200_000;

  /// Makes the program.
  public Numbered() {}

  @Override
  public Flow describe(Arguments arguments) {
    Path folder = Path.of(arguments.word(0));
    int count = Integer.parseInt(arguments.word(1));
    boolean waits = arguments.words().size() > 2;
    Path here = waits ? Path.of(arguments.word(2)) : null;
    Path go = waits ? Path.of(arguments.word(3)) : null;
    StreamKind[] files = new StreamKind[REPLICAS];
    for (int i = 0; i < REPLICAS; i++) {
      files[i] = FileStream.writing(output(folder, i));
    }
    return Flow.named("numbered")
        .source("number", () -> new Numbers(count, here, go), REPLICAS)
        .reservoir(Reservoir.lottery().withWindow(WINDOW))
        .stage("write", () -> (in, out) -> out.put(in), REPLICAS)
        .drain("write", files)
        .build();
  }

  static Path output(Path folder, int replica) {
    return folder.resolve("out-" + replica);
  }

  /// Requires that the folder has all outputs of a run with such a count, and nothing else: each
  /// number once.
  static void requireAll(Path folder, int count) throws IOException {
    List<Path> files;
    try (var all = Files.list(folder)) {
      files = all.sorted(Comparator.comparing(Path::toString)).toList();
    }
    List<Path> expected = new ArrayList<>();
    boolean[] isThere = new boolean[REPLICAS * count];
    for (int i = 0; i < REPLICAS; i++) {
      expected.add(output(folder, i));
    }
    if (!files.equals(expected)) {
      throw new AssertionError("there are %s, and not %s".formatted(files, expected));
    }
    for (Path file : files) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
      for (int at = 0; at < bytes.limit(); at += WATER_BYTES) {
        int number = Math.toIntExact(bytes.getLong(at));
        if (isThere[number]) {
          throw new AssertionError("number %d is there twice".formatted(number));
        }
        isThere[number] = true;
      }
    }
    for (int number = 0; number < isThere.length; number++) {
      if (!isThere[number]) {
        throw new AssertionError("number %d is lost".formatted(number));
      }
    }
  }

  private static final class Numbers implements Source {
    private final int count;
    private final @Nullable Path here;
    private final @Nullable Path go;
    private int next;
    private @Nullable ModuleContext context;

    Numbers(int count, @Nullable Path here, @Nullable Path go) {
      this.count = count;
      this.here = here;
      this.go = go;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    private ModuleContext context() {
      return Objects.requireNonNull(context);
    }

    @Override
    public boolean produce(Stream out) throws IOException {
      Water water = out.spring().createWater(WATER_BYTES);
      long number = (long) context().replica() * count + next;
      water.bytes().setLong(0, Long.reverseBytes(number)); // as a ByteBuffer reads it
      out.put(water);
      next++;
      if (next == count / 2 && context().replica() == 0 && here != null && go != null) {
        await(here, go);
      }
      LockSupport.parkNanos(PACE_NANOS);
      return next < count;
    }

    private void await(Path reached, Path gate) throws IOException {
      try {
        Path _ = Files.createFile(reached);
      } catch (FileAlreadyExistsException e) {
        // an earlier attempt has made it
      }
      while (!Files.exists(gate) && !context().isStopping()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /// A process that runs it: the folder of the runs, how many attempts, the hang limit in
  /// milliseconds, and the arguments. It prints the folder of the run, and then `WELL`, or how it
  /// failed.
  static final class Runs {
    private Runs() {}

    public static void main(String[] arguments) throws Exception {
      ClusterRun run =
          Cluster.processes(REPLICAS)
              .withAttempts(Integer.parseInt(arguments[1]))
              .withHangLimit(Duration.ofMillis(Long.parseLong(arguments[2])))
              .withRuns(Path.of(arguments[0]))
              .start(Numbered.class, arguments[3], arguments[4]);
      System.out.println(run.folder().orElseThrow());
      try {
        var _ = run.await();
        System.out.println("WELL");
      } catch (RunException e) {
        System.out.println(e.kind() + " " + e.attempts() + " " + e.getMessage());
      }
    }
  }
}
