package dev.tigris.cli.demo;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.mirror.FairShares;
import dev.tigris.flow.mirror.Mirror;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Measures what the readers of mirrored disks get when some disks are slow (Arpaci-Dusseau et al.,
/// 1999, figure 4). As many readers as disks read a segment each. Each disk is a folder that is
/// read at a rate, by tokens.
///
/// Only the time after the first tenth of a run is measured.
///
/// @param disks how many disks and readers there are
/// @param slow the numbers of the slow disks
/// @param share the part of its rate that a slow disk keeps; 0 for disks that never answer
/// @param bytesPerSecond the rate of a healthy disk
/// @param duration how long one run takes
public record SlowDisks(
    int disks, List<Integer> slow, double share, long bytesPerSecond, Duration duration) {
  /// The bytes of a block: small, so that a slow disk reads some in a short run.
  private static final int BLOCK_BYTES = 32 << 10;

  private static final double EDGE = 0.1;
  private static final int COPIES = 2;
  private static final String NAME = "data";

  /// The outcome of one run.
  ///
  /// @param bytesPerSecond what each reader got
  /// @param ideal what each could have at best
  public record Outcome(List<Double> bytesPerSecond, List<Double> ideal) {
    /// An outcome with its own lists.
    public Outcome {
      bytesPerSecond = List.copyOf(bytesPerSecond);
      ideal = List.copyOf(ideal);
    }

    /// Returns what the slowest reader got.
    public double slowest() {
      return bytesPerSecond.stream().mapToDouble(rate -> rate).min().orElse(0);
    }

    /// Returns what the slowest reader could have at best.
    public double idealSlowest() {
      return ideal.stream().mapToDouble(rate -> rate).min().orElse(0);
    }

    /// Returns what all readers together got.
    public double all() {
      return bytesPerSecond.stream().mapToDouble(rate -> rate).sum();
    }
  }

  /// An experiment with its own list.
  public SlowDisks {
    slow = List.copyOf(slow);
  }

  /// Writes the data set, in folders below this one; returns its manifest.
  public Path prepare(Path folder) throws IOException, FlowException, InterruptedException {
    List<Path> places = new ArrayList<>();
    for (int disk = 0; disk < disks; disk++) {
      places.add(Files.createDirectories(folder.resolve("disk" + disk)));
    }
    // A reader may have both of its disks for itself.
    long bytes = (long) (COPIES * bytesPerSecond * duration.toNanos() / 1e9);
    long blocks = bytes / BLOCK_BYTES + 1;
    Flow.named("prepare")
        .source("make", () -> new Maker(blocks), disks)
        .drain("make", Mirror.writing(NAME, places, false, BLOCK_BYTES, COPIES, warning -> {}))
        .build()
        .start()
        .await();
    return places.getFirst().resolve(NAME + ".mirror");
  }

  /// Runs once.
  public Outcome run(Path manifest, Mirror.Choice choice)
      throws IOException, FlowException, InterruptedException {
    Mirror mirror = Mirror.open(manifest).choosing(choice);
    for (int disk = 0; disk < disks; disk++) {
      boolean isSlow = slow.contains(disk);
      mirror = mirror.slowed(disk, isSlow ? (long) (share * bytesPerSecond) : bytesPerSecond);
    }
    var trial = new Trial();
    Flow.named("slow-disks")
        .stage("read", trial::reader, disks)
        .feed("read", mirror.feed())
        .build()
        .start()
        .await();
    double seconds = (1 - EDGE) * duration.toNanos() / 1e9;
    List<Double> rates =
        IntStream.range(0, disks).mapToObj(reader -> trial.bytes.get(reader) / seconds).toList();
    return new Outcome(rates, ideal());
  }

  /// Returns what each reader could have at best.
  public List<Double> ideal() {
    double[] rates = new double[disks];
    Arrays.setAll(rates, disk -> (slow.contains(disk) ? share : 1) * bytesPerSecond);
    List<int[]> copies =
        IntStream.range(0, disks)
            .mapToObj(segment -> new int[] {segment, (segment + 1) % disks})
            .toList();
    return Arrays.stream(FairShares.of(rates, copies)).boxed().toList();
  }

  /// Makes bytes that no disk compresses.
  private static final class Maker implements Source {
    private final byte[] block = new byte[BLOCK_BYTES];
    private long left;

    Maker(long blocks) {
      this.left = blocks;
      new SplittableRandom(1).nextBytes(block);
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(BLOCK_BYTES);
      water.bytes().copyFrom(0, block, 0, BLOCK_BYTES);
      out.put(water);
      left--;
      return left > 0;
    }
  }

  /// One run, and what was counted.
  private final class Trial {
    final AtomicLongArray bytes = new AtomicLongArray(disks);
    private long start;

    private synchronized long start() {
      if (start == 0) {
        start = System.nanoTime();
      }
      return start;
    }

    Module reader() {
      return new Module() {
        private @Nullable ModuleContext context;

        @Override
        public void init(ModuleContext given) {
          context = given;
        }

        @Override
        public void process(Water in, Stream out) {
          long since = System.nanoTime() - start();
          if (since >= duration.toNanos()) {
            throw new EndOfStreamException();
          }
          if (since >= EDGE * duration.toNanos() && context != null) {
            bytes.addAndGet(context.replica(), in.size());
          }
        }
      };
    }
  }
}
