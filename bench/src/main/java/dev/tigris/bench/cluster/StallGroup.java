package dev.tigris.bench.cluster;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Streams between modules that compute for long ([Stall]): the bursts a second beside what the
/// computing allows, and how late the last water of a burst comes to a module that waits for it.
final class StallGroup implements Group {
  private static final List<Integer> COMPUTE_MILLIS = List.of(20, 50, 200);
  private static final List<Integer> WATER_MIB = List.of(1, 4);
  private static final double MOST_LATE_MILLIS = 10;
  private static final String LATE = ".late";

  private final String provider;

  StallGroup(String provider) {
    this.provider = provider;
  }

  @Override
  public String name() {
    return "cluster.stall." + provider;
  }

  private String figure(int millis, int mebibytes) {
    return "%s.%dms.%dMiB".formatted(name(), millis, mebibytes);
  }

  private Optional<String> obstacle() {
    try {
      Fabric.open(provider).close();
      return Optional.empty();
    } catch (NetException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public List<String> missing() {
    return obstacle().stream().map(why -> name() + " is left out: " + why).toList();
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (obstacle().isEmpty()) {
      for (int millis : COMPUTE_MILLIS) {
        for (int mebibytes : WATER_MIB) {
          figures.add(figure(millis, mebibytes));
          figures.add(figure(millis, mebibytes) + LATE);
        }
      }
    }
    return figures;
  }

  @Override
  public void measure(Run run) throws Exception {
    try (PartPair pair = new PartPair(provider, run.workFolder())) {
      for (int millis : COMPUTE_MILLIS) {
        for (int mebibytes : WATER_MIB) {
          String figure = figure(millis, mebibytes);
          if (run.wants(figure) || run.wants(figure + LATE)) {
            run.say(figure);
            measure(run, pair, figure, millis, mebibytes);
          }
        }
      }
    }
  }

  private static void measure(Run run, PartPair pair, String figure, int millis, int mebibytes)
      throws Exception {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis) / run.scale().pick(10, 1, 1);
    int bursts = Math.max(3, run.scale().pick(1, 400, 2000) / millis);
    int rounds = run.scale().pick(1, 2, 5);
    int bytes = mebibytes << 20;
    Stall busy = new Stall(nanos, bytes, bursts, true);
    Stall idle = new Stall(nanos, bytes, bursts, false);
    double[] rates = new double[rounds];
    double[] ideals = new double[rounds];
    double[] late = new double[rounds];
    double[] limits = new double[rounds];
    if (rounds > 1) {
      double[] _ = pair.run(new Stall(nanos / 10, bytes, bursts, true).command()); // warms up
    }
    for (int round = 0; round < rounds; round++) {
      rates[round] = bursts * 1e9 / pair.run(busy.command())[0];
      ideals[round] = bursts * 1e9 / busy.idealNanos();
      late[round] = pair.run(idle.command())[1] / 1e6;
      limits[round] = MOST_LATE_MILLIS;
    }
    run.emit(
        Figure.of(figure, "bursts/s", Better.HIGHER, Bar.IDEAL, List.of(new Pairs(rates, ideals))));
    run.emit(
        Figure.of(figure + LATE, "ms", Better.LOWER, Bar.LIMIT, List.of(new Pairs(late, limits))));
  }
}
