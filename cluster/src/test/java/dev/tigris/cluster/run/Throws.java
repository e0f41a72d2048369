package dev.tigris.cluster.run;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A program that throws in a place: `place worked`, as [Place] has them. Each source that works
/// makes the file `worked`. For a
/// program that throws in `init`, each replica of the last stage that is initialized makes a file
/// beside that.
public final class Throws implements FlowProgram {
  private static final int WATERS = 200;
  private static final int SOON = 20;

  /// So many waters wait for each replica of `work`, however slow it is.
  private static final int WINDOW = 2;

  private static final long CHANCE_MILLIS = 500;

  /// Where a program may throw.
  enum Place {
    CONSTRUCTOR("work"),
    INIT("work"),
    WORK("work"),
    /// An error, and no exception.
    ERROR("work"),
    /// While the other replica waits for what never comes.
    STUCK("work"),
    FINISH("work"),
    DESTROY("work"),
    SOURCE("make"),
    SOURCE_FINISH("make"),
    /// As a stream is opened that leaves the flow.
    DRAIN("after"),
    /// As the end of such a stream is brought to the disk.
    PREPARE("after"),
    /// As such a stream is closed, when all outputs have been prepared.
    CLOSE("after");

    private final String stage;

    Place(String stage) {
      this.stage = stage;
    }

    /// The stage that fails.
    String stage() {
      return stage;
    }

    /// Whether it fails before any module may work.
    boolean isEarly() {
      return this == CONSTRUCTOR || this == INIT || this == DRAIN;
    }

    /// Whether it fails after all modules have ended.
    boolean isLate() {
      return this == PREPARE || this == CLOSE;
    }
  }

  /// Thrown in that place.
  static final class Boom extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Boom(Place place) {
      super("boom in " + place);
    }
  }

  /// Makes the program.
  public Throws() {}

  @Override
  public Flow describe(Arguments arguments) {
    Place bad = Place.valueOf(arguments.word(0));
    Path worked = Path.of(arguments.word(1));
    StreamKind drain =
        place -> {
          enter(Place.DRAIN, bad);
          String name = "output" + place.name().replaceAll("\\W", "-");
          return FileStream.writing(worked.resolveSibling(name)).open(place);
        };
    StreamKind wrong = place -> new WrongStream(place, bad == Place.PREPARE, "boom in " + bad);
    return Flow.named("throws")
        .source("make", () -> new Maker(bad, worked), 2)
        .reservoir(Reservoir.lottery().withWindow(WINDOW))
        .stage("work", () -> new Work(bad, worked), 2)
        .reservoir(Reservoir.random())
        .stage("after", () -> new After(bad, worked), 2)
        .drain("after", drain, bad.isLate() ? wrong : drain)
        .build();
  }

  private static void enter(Place place, Place bad) {
    if (place == bad) {
      throw new Boom(place);
    }
  }

  private static final class Maker implements Source {
    private final Place bad;
    private final Path worked;
    private int made;

    Maker(Place bad, Path worked) {
      this.bad = bad;
      this.worked = worked;
    }

    @Override
    public boolean produce(Stream out) throws IOException {
      if (made == 0) {
        Path _ = Files.write(worked, new byte[0]);
      }
      out.put(out.spring().createWater(8));
      if (++made == SOON) {
        enter(Place.SOURCE, bad);
      }
      return made < WATERS;
    }

    @Override
    public void finish(Stream out) {
      enter(Place.SOURCE_FINISH, bad);
    }
  }

  private static final class Work implements Module {
    private final Place bad;
    private final Path file;
    private @Nullable ModuleContext context;
    private int worked;

    Work(Place bad, Path file) {
      this.bad = bad;
      this.file = file;
      enter(Place.CONSTRUCTOR, bad);
    }

    /// One of the two replicas throws, so that the other process hears of it.
    private void enterFirst(Place place) {
      if (Objects.requireNonNull(context).replica() == 1) {
        enter(place, bad);
      }
    }

    @Override
    public void init(ModuleContext given) throws Exception {
      context = given;
      if (bad == Place.INIT && given.replica() == 1) {
        awaitOther();
      }
      enterFirst(Place.INIT);
    }

    /// Gives the other process, which is through its `init`s, every chance to let a source work.
    private void awaitOther() throws Exception {
      try (WatchService watch = file.getFileSystem().newWatchService()) {
        WatchKey _ = file.getParent().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
        while (Files.notExists(After.ready(file, 0))) {
          boolean _ = isReset(watch.take());
        }
        for (boolean isNew = true; isNew && Files.notExists(file); ) {
          WatchKey key = watch.poll(CHANCE_MILLIS, TimeUnit.MILLISECONDS);
          isNew = key != null && isReset(key);
        }
      }
    }

    /// A key with events that were not taken would come again at once, for ever.
    private static boolean isReset(WatchKey key) {
      var _ = key.pollEvents();
      return key.reset();
    }

    @Override
    public void process(Water in, Stream out) throws InterruptedException {
      if (bad == Place.STUCK && Objects.requireNonNull(context).replica() == 0) {
        new CountDownLatch(1).await();
      }
      if (++worked == WINDOW) {
        enterFirst(Place.WORK);
        enterFirst(Place.STUCK);
        if (bad == Place.ERROR) {
          throw new AssertionError("boom in ERROR");
        }
      }
      out.put(in);
    }

    @Override
    public void finish(Stream out) {
      enterFirst(Place.FINISH);
    }

    @Override
    public void destroy() {
      enterFirst(Place.DESTROY);
    }
  }

  /// Tells that it has been initialized.
  private static final class After implements Module {
    private final Place bad;
    private final Path worked;

    After(Place bad, Path worked) {
      this.bad = bad;
      this.worked = worked;
    }

    static Path ready(Path worked, int replica) {
      return worked.resolveSibling(worked.getFileName() + "-ready-" + replica);
    }

    @Override
    public void init(ModuleContext context) throws IOException {
      if (bad == Place.INIT) {
        Path _ = Files.write(ready(worked, context.replica()), new byte[0]);
      }
    }

    @Override
    public void process(Water in, Stream out) {}
  }
}
