package dev.tigris.bench.disks;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.Scale;
import dev.tigris.verify.simulator.DeclusteringSimulation;
import dev.tigris.verify.simulator.DeclusteringSimulation.Setup;
import dev.tigris.verify.simulator.DeclusteringSimulation.Way;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// Declustering in the simulator, with more disks than a machine has, a quarter of which is
/// slow: the slowest reader beside the most even rates that the disks allow. A sample is a seed.
final class DeclusteringSimulationGroup implements Group {
  private static final String NAME = "disks.declustering.sim";
  private static final int[] DISKS = {64, 512};
  private static final int PART = 4;

  /// @param slowness how many times slower a slow disk is; 0 for disks that never answer
  private record Kind(String label, int slowness, boolean isScattered) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("half.scattered", 2, true),
          new Kind("half.adjacent", 2, false),
          new Kind("tenth.scattered", 10, true),
          new Kind("tenth.adjacent", 10, false),
          new Kind("silent.scattered", 0, true));

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (int disks : DISKS) {
      for (Kind kind : KINDS) {
        figures.add(figure(disks, kind));
      }
    }
    return figures;
  }

  private static String figure(int disks, Kind kind) {
    return NAME + "." + disks + "." + kind.label;
  }

  @Override
  public void measure(Run run) {
    for (int disks : DISKS) {
      for (Kind kind : KINDS) {
        String figure = figure(disks, kind);
        if (run.wants(figure)) {
          run.say(figure);
          run.emit(simulate(run, figure, disks, kind));
        }
      }
    }
  }

  private static Figure simulate(Run run, String figure, int disks, Kind kind) {
    int seeds = run.scale().pick(1, 1, 3);
    double[] reached = new double[seeds];
    double[] ideal = new double[seeds];
    List<Integer> slow =
        IntStream.range(0, disks / PART).mapToObj(i -> kind.isScattered ? 2 * i : i).toList();
    for (int seed = 0; seed < seeds; seed++) {
      Setup setup = Setup.perturbed(Way.GRADUATED, disks, slow, kind.slowness, seed);
      reached[seed] =
          DeclusteringSimulation.run(run.scale() == Scale.TINY ? shortened(setup) : setup)
              .slowest();
      ideal[seed] = Arrays.stream(setup.ideal()).min().orElse(0);
    }
    return Figure.of(figure, "block/s", Better.HIGHER, "ideal", List.of(new Pairs(reached, ideal)));
  }

  private static Setup shortened(Setup setup) {
    return new Setup(
        setup.way(),
        setup.disks(),
        setup.consumers(),
        setup.processes(),
        setup.shares(),
        setup.copies(),
        setup.depth(),
        setup.window(),
        setup.jitter(),
        setup.damage(),
        setup.durationNanos() / 20,
        setup.seed());
  }
}
