package dev.tigris.bench.shuffle;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.Command;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/// Records by key through two and four processes, in Tigris, Flink and Spark, in turns: makers give
/// each record to the taker of its key, which adds up what it gets. All have as many processors, a
/// GB a process, and a process for each maker and taker.
///
/// Tigris is measured from the first record to the last, in processes that have just started, and
/// so with code that is not compiled yet. Flink is measured likewise, and Spark by the job, which
/// has no such times. Both have done the job before, in the same processes.
final class ShuffleGroup implements Group {
  private static final String NAME = "cluster.shuffle";
  private static final List<Integer> SIZES = List.of(100, 16);
  private static final List<Integer> PROCESSES = List.of(2, 4);

  /// A rival does the job so many times, and its last one counts.
  static final int TIMES = 3;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return SIZES.stream()
        .flatMap(size -> PROCESSES.stream().map(processes -> figure(size, processes)))
        .toList();
  }

  private static String figure(int size, int processes) {
    return "%s.%dB.%d".formatted(NAME, size, processes);
  }

  private static int records(Run run, int size) {
    return size == 16
        ? run.scale().pick(20_000, 4_000_000, 60_000_000)
        : run.scale().pick(10_000, 2_000_000, 20_000_000);
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "shuffle-");
    try {
      List<Rival> rivals = new ArrayList<>();
      if (run.scale() != Scale.TINY) { // which tests run, without a network
        Rival.spark(run, folder).ifPresent(rivals::add);
        Rival.flink(run, folder).ifPresent(rivals::add);
      }
      for (int size : SIZES) {
        for (int processes : PROCESSES) {
          if (run.wants(figure(size, processes))) {
            measure(run, folder, rivals, size, processes);
          }
        }
      }
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private static void measure(Run run, Path folder, List<Rival> rivals, int size, int processes)
      throws Exception {
    int records = records(run, size);
    int cores = Math.max(1, Runtime.getRuntime().availableProcessors() / processes);
    Cluster cluster = cluster(processes, folder);
    Map<String, Callable<Double>> contenders = new LinkedHashMap<>();
    contenders.put(Bar.TIGRIS, () -> seconds(cluster, size, records));
    contenders.put(Bar.ONE_JVM, () -> seconds(Cluster.threads(), size, records));
    for (Rival rival : rivals) {
      Command command = command(rival, folder, processes, cores, "shuffle", size, records, TIMES);
      contenders.put(rival.name(), () -> seconds(rival, command, records));
    }
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    List<String> names = List.copyOf(contenders.keySet());
    int rounds = run.scale().pick(1, 1, 5);
    for (int round = 0; round < rounds; round++) {
      run.say("%s: round %d of %d".formatted(figure(size, processes), round + 1, rounds));
      for (int i = 0; i < names.size(); i++) {
        String name = names.get((i + round) % names.size());
        double seconds = contenders.getOrDefault(name, () -> Double.NaN).call();
        rates.computeIfAbsent(name, _ -> new ArrayList<>()).add(records / seconds);
      }
    }
    emit(run, figure(size, processes), rates, "record/s", "%d records".formatted(records));
  }

  /// Returns processes that a busy machine may keep waiting.
  static Cluster cluster(int processes, Path folder) {
    return Cluster.processes(processes)
        .withRuns(folder.resolve("runs"))
        .withHangLimit(Duration.ofMinutes(1));
  }

  /// Reports what Tigris has reached, beside each of the others.
  static void emit(
      Run run, String figure, Map<String, List<Double>> rates, String unit, String note) {
    double[] ours = array(rates, Bar.TIGRIS);
    for (String peer : rates.keySet()) {
      if (!peer.equals(Bar.TIGRIS)) {
        Pairs pairs = new Pairs(ours, array(rates, peer));
        run.emit(Figure.of(figure, unit, Better.HIGHER, peer, List.of(pairs)).withNote(note));
      }
    }
  }

  private static double[] array(Map<String, List<Double>> rates, String name) {
    return rates.getOrDefault(name, List.of()).stream().mapToDouble(Double::doubleValue).toArray();
  }

  /// Returns the command of a rival; Flink is told a folder for what its processes print.
  static Command command(Rival rival, Path folder, int processes, int cores, Object... arguments) {
    List<Object> all = new ArrayList<>();
    if (rival.name().equals(Bar.FLINK_ENGINE)) {
      all.add(folder);
    }
    all.addAll(List.of(arguments));
    return rival.command(processes, cores, all.toArray());
  }

  private static double seconds(Rival rival, Command command, long records)
      throws IOException, InterruptedException {
    Rival.Outcome outcome = rival.last(command);
    WrongResultException.check("records of " + rival.name(), records, outcome.count());
    WrongResultException.check("keys of " + rival.name(), keys(records), outcome.keys());
    return outcome.seconds();
  }

  private static double seconds(Cluster cluster, int size, long records) throws Exception {
    Results told =
        cluster
            .start(ShuffleProgram.class, String.valueOf(size), String.valueOf(records), "0")
            .await();
    return checked(told, records);
  }

  /// Returns the sum of the keys of so many records.
  static long keys(long records) {
    long keys = 0;
    for (long number = 0; number < records; number++) {
      keys += ShuffleProgram.key(number);
    }
    return keys;
  }

  /// Returns the seconds from the first record to the last, if all have arrived.
  static double checked(Results told, long records) {
    WrongResultException.check("records taken", records, told.number(ShuffleProgram.COUNT));
    WrongResultException.check("sum of the keys", keys(records), told.number(ShuffleProgram.KEYS));
    WrongResultException.check(
        "sum of the records", records * (records - 1) / 2, told.number(ShuffleProgram.NUMBERS));
    return (told.number(ShuffleProgram.END) - told.number(ShuffleProgram.BEGIN)) / 1e6;
  }
}
