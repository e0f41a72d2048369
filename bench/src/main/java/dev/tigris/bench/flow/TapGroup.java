package dev.tigris.bench.flow;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.WrongResultException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Tap;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Measures what a tap costs its flow: a look, to which ten copies a second are granted,
/// and a tap of all waters, which blocks. The peer of the look is the flow without it, and that of
/// the other the flow that spends the time of the copies, and nothing else, besides.
///
/// ```
///   produce [1] ==> take [1]      waters of 8 KiB in memory
///            :
///           tap
/// ```
final class TapGroup implements Group {
  private static final String NAME = "flow.tap";
  private static final String LOOK = NAME + ".look";
  private static final String ALL = NAME + ".all";
  private static final String UNTAPPED = "no tap";
  private static final String RESERVOIR = "take";
  private static final int BYTES = 8192;
  private static final int WINDOW = 64;
  private static final int GRANT_MILLIS = 100;
  private static final int COPIES_A_SECOND = 10;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return List.of(LOOK, ALL);
  }

  private enum Kind {
    NONE,
    LOOK,
    ALL
  }

  /// Puts so many waters of one number.
  private static final class Numbers implements Source {
    private long left;

    Numbers(long count) {
      left = count;
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(BYTES);
      water.bytes().setLong(0, left);
      out.put(water);
      return --left > 0;
    }
  }

  @Override
  public void measure(Run run) throws Exception {
    int rounds = run.scale().pick(1, 8, 20);
    long waters = run.scale().pick(2_000, 400_000, 1_000_000);
    List<double[]> nanos = new ArrayList<>();
    for (int round = run.scale().pick(0, -1, -1); round < rounds; round++) { // one to warm up
      run.say("%s, round %d of %d".formatted(NAME, round + 1, rounds));
      double none = nanosOfAWater(Kind.NONE, waters);
      double look = nanosOfAWater(Kind.LOOK, waters);
      double all = nanosOfAWater(Kind.ALL, waters);
      double copy = nanosOfACopy(waters);
      if (round >= 0) {
        nanos.add(new double[] {none, look, all, none + copy});
      }
    }
    run.emit(
        Figure.of(LOOK, "water/s", Better.HIGHER, UNTAPPED, pairs(nanos, 1, 0))
            .withNote("%d KiB, %d copies a second".formatted(BYTES >> 10, COPIES_A_SECOND)));
    run.emit(
        Figure.of(ALL, "water/s", Better.HIGHER, Bar.IDEAL, pairs(nanos, 2, 3))
            .withNote(
                "%d KiB, each copied; ideal: the flow without a tap, and the copies"
                    .formatted(BYTES >> 10)));
  }

  private static List<Pairs> pairs(List<double[]> nanos, int subject, int peer) {
    return List.of(
        new Pairs(
            nanos.stream().mapToDouble(each -> 1e9 / each[subject]).toArray(),
            nanos.stream().mapToDouble(each -> 1e9 / each[peer]).toArray()));
  }

  private static double nanosOfAWater(Kind kind, long waters)
      throws FlowException, InterruptedException, IOException {
    long[] sum = new long[1];
    Flow flow =
        Flow.named("tapped")
            .source("produce", () -> new Numbers(waters), 1)
            .reservoir(Reservoir.roundRobin())
            .stage(RESERVOIR, () -> (in, out) -> sum[0] += in.bytes().getLong(0), 1)
            .build();
    long start = System.nanoTime();
    FlowRun run = flow.start();
    if (kind != Kind.NONE) {
      read(run, kind == Kind.ALL, waters);
    }
    run.await();
    double each = (double) (System.nanoTime() - start) / waters;
    WrongResultException.check("the sum of what came", waters * (waters + 1) / 2, sum[0]);
    return each;
  }

  /// Taps a flow, and takes its copies until it is over.
  private static void read(FlowRun run, boolean all, long waters)
      throws IOException, InterruptedException {
    try (Tap tap = new Tap(RESERVOIR, new Tap.Terms(BYTES, WINDOW, all, !all))) {
      if (run.tap(tap).isCompletedExceptionally()) {
        return; // such a small flow is over
      }
      long granted = System.nanoTime();
      long[] seen = new long[2]; // how many came, and the number of the last
      while (!tap.isOver()) {
        long now = System.nanoTime();
        if (!all && now - granted >= GRANT_MILLIS * 1_000_000L) {
          tap.grant(COPIES_A_SECOND * GRANT_MILLIS / 1000);
          granted = now;
        }
        int count =
            tap.read(
                (from, number, size, bytes, length) -> {
                  seen[0]++;
                  seen[1] = number;
                });
        if (count == 0) {
          tap.await(Duration.ofMillis(GRANT_MILLIS));
        }
      }
      if (all && seen[0] > 0) {
        WrongResultException.check("copies", seen[1] + 1, seen[0]);
        WrongResultException.check("waters left out", 0, tap.leftOut());
      }
      WrongResultException.check("copies of too many", 0, tap.copied() <= waters ? 0 : 1);
    }
  }

  /// Returns how long it takes to copy as many bytes from waters outside the heap into a ring.
  private static double nanosOfACopy(long waters) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate((long) BYTES * WINDOW);
      byte[][] ring = new byte[WINDOW][BYTES];
      long start = System.nanoTime();
      for (long i = 0; i < waters; i++) {
        int slot = (int) (i % WINDOW);
        MemorySegment.copy(
            source, ValueLayout.JAVA_BYTE, (long) slot * BYTES, ring[slot], 0, BYTES);
      }
      return (double) (System.nanoTime() - start) / waters;
    }
  }
}
