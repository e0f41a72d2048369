package dev.tigris.bench.fork;

import dev.tigris.bench.Scale;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// A measuring process. Arguments: the suite's class, the scale, the plan's three numbers, and the
/// figures.
///
/// It answers on its standard output, one line a pair, words separated by tabs: `pair`, figure,
/// peer, and the nanoseconds an operation took the subject and the peer.
public final class ForkMain {
  static final String PAIR = "pair\t";

  private static final long WARM_UP_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /// A compiler that is never quiet for long ends the warm-up after so many times the quiet asked
  /// for.
  private static final int WARM_UP_LIMIT = 60;

  private final List<Side> sides;
  private final long quietNanos;
  private final long sampleNanos;
  private final int pairs;

  private ForkMain(List<Contest> contests, int quietMillis, int sampleMillis, int pairs) {
    this.sides = new ArrayList<>();
    for (Contest contest : contests) {
      sides.add(new Side(contest, contest.subject()));
      sides.add(new Side(contest, contest.rival()));
    }
    this.quietNanos = TimeUnit.MILLISECONDS.toNanos(quietMillis);
    this.sampleNanos = TimeUnit.MILLISECONDS.toNanos(sampleMillis);
    this.pairs = pairs;
  }

  /// Measures and prints; any exception ends the process with an error.
  public static void main(String[] args) throws Exception {
    WhileInput.run("measure", () -> measure(args));
  }

  private static void measure(String[] args) throws Exception {
    Suite suite =
        Class.forName(args[0]).asSubclass(Suite.class).getDeclaredConstructor().newInstance();
    Scale scale = Scale.valueOf(args[1]);
    Set<String> wanted = new HashSet<>(List.of(args).subList(5, args.length));
    List<Contest> contests =
        suite.contests(scale).stream()
            .filter(contest -> wanted.contains(contest.figure()))
            .toList();
    ForkMain fork =
        new ForkMain(
            contests,
            Integer.parseInt(args[2]),
            Integer.parseInt(args[3]),
            Integer.parseInt(args[4]));
    fork.warmUp();
    fork.measure();
  }

  /// All contests in turns, so that what one compiles is compiled while the others run too.
  private void warmUp() throws Exception {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    long start = System.nanoTime();
    long quietSince = start;
    long compiled = -1;
    while (System.nanoTime() - quietSince < quietNanos
        && System.nanoTime() - start < WARM_UP_LIMIT * quietNanos) {
      for (Side side : sides) {
        side.run(WARM_UP_SLICE_NANOS);
      }
      long now = compiler.getTotalCompilationTime();
      if (now != compiled) {
        compiled = now;
        quietSince = System.nanoTime();
      }
    }
  }

  private void measure() throws Exception {
    for (int pair = 0; pair < pairs; pair++) {
      for (int i = 0; i < sides.size(); i += 2) {
        Side first = sides.get(i + pair % 2);
        Side second = sides.get(i + 1 - pair % 2);
        double a = first.run(sampleNanos);
        double b = second.run(sampleNanos);
        double subject = pair % 2 == 0 ? a : b;
        double rival = pair % 2 == 0 ? b : a;
        Contest contest = first.contest;
        System.out.println(
            PAIR + contest.figure() + "\t" + contest.peer() + "\t" + subject + "\t" + rival);
      }
    }
  }

  /// A trial and what is known of its speed.
  private static final class Side {
    private final Contest contest;
    private final Trial trial;
    private double nanosPerCount = Double.POSITIVE_INFINITY;

    Side(Contest contest, Trial trial) {
      this.contest = contest;
      this.trial = trial;
    }

    /// Runs for about `nanos`, and returns the nanoseconds an operation took.
    double run(long nanos) throws Exception {
      int count = contest.fixedCount();
      if (count == 0) {
        count = (int) Math.clamp(nanos / nanosPerCount, 1, 100_000_000);
      }
      nanosPerCount = Math.max(0.01, (double) trial.nanos(count) / count);
      return nanosPerCount / contest.operations();
    }
  }
}
