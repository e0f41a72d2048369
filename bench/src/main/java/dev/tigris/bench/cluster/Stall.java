package dev.tigris.bench.cluster;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.util.List;

/// A module puts bursts of waters to another process, and computes for long after each burst, in
/// one call: so its thread moves no messages meanwhile. The other module computes, too, if it is
/// busy, for as long for a burst. A water has the times at which the flow has begun and at which it
/// was put.
///
/// @param computeNanos how long the modules compute
/// @param waterBytes how large a water is
/// @param bursts how many bursts there are
/// @param isBusy whether the receiver computes
record Stall(long computeNanos, int waterBytes, int bursts, boolean isBusy) {
  static final String NAME = "stall";
  static final int WATERS = 4;
  private static final int WINDOW = 2 * WATERS;

  /// Returns an experiment whose receiver finds how long all took, in nanoseconds, and how late the
  /// last water of a burst was, in the worst of them.
  static Experiment of(List<String> setUp) {
    Stall stall =
        new Stall(
            Long.parseLong(setUp.get(0)),
            Integer.parseInt(setUp.get(1)),
            Integer.parseInt(setUp.get(2)),
            Boolean.parseBoolean(setUp.get(3)));
    return stall.new Run();
  }

  /// Returns the command for it.
  String command() {
    return "%s %d %d %d %s".formatted(NAME, computeNanos, waterBytes, bursts, isBusy);
  }

  /// Returns how long all takes at the best, if the receiver is busy: it computes for a burst while
  /// the sender computes before the next one.
  double idealNanos() {
    return (double) bursts * computeNanos;
  }

  private static void compute(long nanos) {
    for (long start = System.nanoTime(); System.nanoTime() - start < nanos; ) {
      Thread.onSpinWait();
    }
  }

  private final class Run implements Experiment {
    private final Take take = new Take();

    @Override
    public Flow flow() {
      return Flow.named("stall")
          .source("make", Make::new)
          .reservoir(Reservoir.roundRobin().withWindow(WINDOW))
          .stage("take", () -> take)
          .build();
    }

    @Override
    public List<Double> numbers() {
      return take.taken == 0 ? List.of() : List.of((double) take.allNanos, (double) take.mostLate);
    }
  }

  private final class Make implements Source {
    private long begun;
    private int made;

    @Override
    public boolean produce(Stream out) {
      long now = System.nanoTime();
      begun = begun == 0 ? now : begun;
      for (int i = 0; i < WATERS; i++) {
        Water water = out.spring().createWater(waterBytes);
        water.bytes().setLong(0, begun);
        water.bytes().setLong(8, System.nanoTime());
        water.bytes().setLong(waterBytes - 8, made);
        out.put(water);
      }
      compute(computeNanos - (System.nanoTime() - now));
      return ++made < bursts;
    }
  }

  private final class Take implements Module {
    private int taken;
    private long allNanos;
    private long mostLate;

    @Override
    public void process(Water in, Stream out) {
      long now = System.nanoTime();
      if (in.bytes().getLong(waterBytes - 8) != taken / WATERS) {
        throw new IllegalStateException("a water of another burst came as number " + taken);
      }
      taken++;
      if (taken % WATERS == 0) {
        mostLate = Math.max(mostLate, now - in.bytes().getLong(8));
      }
      if (isBusy) {
        compute(computeNanos / WATERS);
      }
      allNanos = System.nanoTime() - in.bytes().getLong(0);
    }
  }
}
