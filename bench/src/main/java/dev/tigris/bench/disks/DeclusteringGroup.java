package dev.tigris.bench.disks;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.cli.demo.SlowDisks;
import dev.tigris.flow.mirror.Mirror;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The slowest of the readers of eight mirrored disks, some of which are slow, beside the most even
/// rates that the disks allow, and beside plainer ways to choose a copy. The disks are folders that
/// are read at a rate, by tokens.
final class DeclusteringGroup implements Group {
  private static final String NAME = "disks.declustering";
  private static final int DISKS = 8;
  private static final long BYTES_PER_SECOND = 4_000_000;
  private static final double MEGA = 1e6;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return Slowness.all().stream().map(slowness -> NAME + "." + slowness.label()).toList();
  }

  @Override
  public void measure(Run run) throws Exception {
    Duration duration = Duration.ofMillis(run.scale().pick(60, 800, 3000));
    Path folder = Files.createTempDirectory(run.workFolder(), "mirrors-");
    try {
      Path manifest = disks(new Slowness(0, "none", 1, true), duration).prepare(folder);
      for (Slowness slowness : Slowness.all()) {
        String figure = NAME + "." + slowness.label();
        if (run.wants(figure)) {
          measure(run, figure, disks(slowness, duration), manifest);
        }
      }
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private static SlowDisks disks(Slowness slowness, Duration duration) {
    return new SlowDisks(DISKS, slowness.disks(), slowness.share(), BYTES_PER_SECOND, duration);
  }

  private static void measure(Run run, String figure, SlowDisks disks, Path manifest)
      throws Exception {
    int rounds = run.scale().pick(1, 1, 3);
    Map<Mirror.Choice, double[]> slowest = new EnumMap<>(Mirror.Choice.class);
    double[] ideal = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      run.say("%s: round %d of %d".formatted(figure, round + 1, rounds));
      for (Mirror.Choice choice : Mirror.Choice.values()) {
        // A reader whose one disk never answers would wait for ever.
        if (choice == Mirror.Choice.GRADUATED || disks.share() > 0) {
          SlowDisks.Outcome outcome = disks.run(manifest, choice);
          slowest.computeIfAbsent(choice, key -> new double[rounds])[round] =
              outcome.slowest() / MEGA;
          ideal[round] = outcome.idealSlowest() / MEGA;
        }
      }
    }
    double[] ours = slowest.getOrDefault(Mirror.Choice.GRADUATED, new double[rounds]);
    emit(run, figure, "ideal", ours, ideal);
    slowest.forEach(
        (choice, theirs) -> {
          if (choice != Mirror.Choice.GRADUATED && Arrays.stream(theirs).allMatch(r -> r > 0)) {
            emit(
                run,
                figure,
                choice == Mirror.Choice.BY_HASH ? Bar.BY_HASH : Bar.IN_TURN,
                ours,
                theirs);
          }
        });
  }

  private static void emit(Run run, String figure, String peer, double[] ours, double[] theirs) {
    run.emit(
        Figure.of(figure, "MB/s", Better.HIGHER, peer, List.of(new Pairs(ours, theirs)))
            .withNote("the slowest of eight readers"));
  }
}
