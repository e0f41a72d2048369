package dev.tigris.bench.shuffle;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Group;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.Command;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/// Records from four processes to four, of which one takes 11.6 % of what the others take in a
/// second (Welsh and Culler, 2000, figure 5). Any taker may get any record. The ideal is the sum of
/// the takers' rates. Flink takes part twice: as it is, and with its adaptive partitioner.
final class SlowTakerGroup implements Group {
  private static final String NAME = "cluster.shuffle.slow";
  private static final int PROCESSES = 4;
  private static final int SIZE = 100;

  /// So little that two processors are not busy with it.
  private static final int RATE = 100_000;

  private static final double IDEAL_RATE = RATE * (PROCESSES - 1 + ShuffleProgram.SLOW_SHARE);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return List.of(NAME);
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "slow-");
    try {
      measure(run, folder);
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private static void measure(Run run, Path folder) throws Exception {
    long records = (long) (run.scale().pick(100, 5_000, 20_000) * IDEAL_RATE / 1_000);
    Map<String, Callable<Double>> contenders = new LinkedHashMap<>();
    Cluster cluster = ShuffleGroup.cluster(PROCESSES, folder);
    contenders.put(Bar.TIGRIS, () -> seconds(cluster, records));
    if (run.scale() != Scale.TINY) {
      Rival.spark(run, folder).ifPresent(spark -> add(contenders, spark, folder, "slow", records));
      Rival.flink(run, folder)
          .ifPresent(
              flink -> {
                add(contenders, flink, folder, "slow", records);
                add(contenders, flink, folder, "adaptive", records);
              });
    }
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    int rounds = run.scale().pick(1, 1, 3);
    for (int round = 0; round < rounds; round++) {
      run.say("%s: round %d of %d".formatted(NAME, round + 1, rounds));
      for (var contender : contenders.entrySet()) {
        double taken = records / contender.getValue().call();
        rates.computeIfAbsent(contender.getKey(), _ -> new ArrayList<>()).add(taken);
      }
      rates.computeIfAbsent(Bar.IDEAL, _ -> new ArrayList<>()).add(IDEAL_RATE);
    }
    ShuffleGroup.emit(run, NAME, rates, "record/s", "%d takers".formatted(PROCESSES));
  }

  private static void add(
      Map<String, Callable<Double>> to, Rival rival, Path folder, String mode, long records) {
    Command command =
        ShuffleGroup.command(rival, folder, PROCESSES, 1, mode, SIZE, records, 2, RATE);
    to.put(
        mode.equals("adaptive") ? rival.name() + ", adaptive" : rival.name(),
        () -> {
          Rival.Outcome outcome = rival.last(command);
          WrongResultException.check("records of " + rival.name(), records, outcome.count());
          return outcome.seconds();
        });
  }

  private static double seconds(Cluster cluster, long records) throws Exception {
    Results told =
        cluster
            .start(
                ShuffleProgram.class,
                String.valueOf(SIZE),
                String.valueOf(records),
                String.valueOf(RATE))
            .await();
    return ShuffleGroup.checked(told, records);
  }
}
