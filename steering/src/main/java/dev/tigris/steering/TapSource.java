package dev.tigris.steering;

import dev.tigris.cluster.run.TapReader;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Tap;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A source of what another run puts on a reservoir: by it, a second program adds stages to a run
/// that goes on, in processes of its own. The waters are copies. Those of one sender come in their
/// order. The source ends when that run has come to a good end, and fails if it has not. If this
/// program fails or ends, that run goes on.
///
/// ```java
/// Flow.named("audit")
///     .source("tapped", () -> new TapSource(folder, "work", true))
///     .reservoir(Reservoir.lottery())
///     .stage("check", Check::new, 4)
/// ```
///
/// Each of several replicas has the waters of a part of the senders. They are on the host of that
/// run's coordinator.
public final class TapSource implements Source {
  /// The result with the number of waters that were left out.
  public static final String LEFT_OUT = "waters left out by the tap";

  private static final int MOST_BYTES = 64 << 20;
  private static final int WINDOW = 16;
  private static final Duration SLICE = Duration.ofMillis(20);

  private final Path folder;
  private final String reservoir;
  private final boolean blocks;
  private final String host;
  private @Nullable ModuleContext context;
  private @Nullable RunTap tap;

  /// @param folder of the run, as `tigris show` tells it
  /// @param reservoir the name of a reservoir or a drain
  /// @param blocks whether the run waits where this program is slower; else waters are left out
  public TapSource(Path folder, String reservoir, boolean blocks) {
    this(folder, reservoir, blocks, "");
  }

  /// Makes the source of copies of a run on several hosts, whose coordinator is on this one.
  ///
  /// @param host a name or address by which they reach this one
  public TapSource(Path folder, String reservoir, boolean blocks, String host) {
    this.host = host;
    this.folder = folder;
    this.reservoir = reservoir;
    this.blocks = blocks;
  }

  @Override
  public void init(ModuleContext given) throws IOException, InterruptedException {
    context = given;
    tap =
        RunTap.open(
            RunClient.of(folder),
            reservoir,
            new Tap.Terms(MOST_BYTES, WINDOW, blocks, false, given.replica(), given.replicas()),
            0,
            host);
  }

  @Override
  public boolean produce(Stream out) throws IOException, InterruptedException {
    RunTap its = Objects.requireNonNull(tap);
    TapReader.Copy copy = its.poll(SLICE); // between slices the engine may end this source
    if (copy == null) {
      return !its.isOver();
    }
    if (copy.size() > copy.bytes().length) {
      throw new IOException(
          "a water of %,d bytes: a tap copies %,d at most".formatted(copy.size(), MOST_BYTES));
    }
    Water water = out.spring().createWater(copy.size());
    water.bytes().copyFrom(0, copy.bytes(), 0, copy.size());
    water.setSize(copy.size());
    out.put(water);
    return true;
  }

  @Override
  public void finish(Stream out) {
    long leftOut = Objects.requireNonNull(tap).leftOut();
    Objects.requireNonNull(context).results().add(LEFT_OUT, leftOut);
  }

  @Override
  public void destroy() throws IOException {
    if (tap != null) {
      tap.close();
    }
  }
}
