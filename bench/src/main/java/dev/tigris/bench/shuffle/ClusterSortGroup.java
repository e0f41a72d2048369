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
import dev.tigris.bench.sort.Tigris;
import dev.tigris.bench.sort.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A sort on several processes against the sort in one JVM and Spark's, in turns. Times are those
/// of whole processes, start-up included, from an input in the page cache to an output on the disk.
/// All share the same processors and memory. Spark sorts a data frame, and writes a file for each
/// partition.
final class ClusterSortGroup implements Group {
  private static final String NAME = "cluster.sort";
  private static final List<Integer> PROCESSES = List.of(1, 2, 4);
  private static final int MEBIBYTES = 2048;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return PROCESSES.stream().map(ClusterSortGroup::figure).toList();
  }

  private static String figure(int processes) {
    return NAME + "." + processes;
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "cluster-sort-");
    try {
      new Match(run, folder).play();
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  /// One run of the group in its folder.
  private static final class Match {
    private final Run run;
    private final Path folder;
    private final Tigris tigris;
    private final Path input;
    private final Path output;
    private final Map<String, Command> contenders = new LinkedHashMap<>();
    private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

    Match(Run run, Path folder) {
      this.run = run;
      this.folder = folder;
      this.tigris = Tigris.of(run.scale());
      this.input = folder.resolve("input");
      this.output = folder.resolve("output");
    }

    void play() throws Exception {
      int records = run.scale().pick(20_000, 1_000_000, 10_000_000);
      Command gen = tigris.command("gen", records, input);
      gen.run(folder).orThrow(gen);
      Verdict expected = Verdict.of(tigris.command("check", input).run(folder)).whenSorted();
      contenders.put(Bar.ONE_JVM, sort(1));
      for (int processes : PROCESSES) {
        if (run.wants(figure(processes))) {
          contenders.put(
              figure(processes),
              sort(
                  processes,
                  "--on",
                  "processes:" + processes,
                  "--runs",
                  folder.resolve("runs"),
                  "--hang-limit",
                  60));
        }
      }
      if (run.scale() != Scale.TINY) {
        Optional<Rival> spark = Rival.spark(run, folder);
        int cores = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        spark.ifPresent(
            rival -> contenders.put(Bar.SPARK, rival.command(2, cores, "sort", input, output)));
      }
      List<String> names = List.copyOf(contenders.keySet());
      int rounds = run.scale().pick(1, 1, 7);
      for (int round = 0; round < rounds; round++) {
        run.say("%s: round %d of %d".formatted(NAME, round + 1, rounds));
        for (int i = 0; i < names.size(); i++) {
          race(names.get((i + round) % names.size()), expected);
        }
      }
      report(records);
    }

    private Command sort(int processes, Object... more) {
      int threads = Runtime.getRuntime().availableProcessors();
      List<Object> words = new ArrayList<>(List.of("sort", "--quiet", "--parallel", threads));
      words.addAll(List.of("--memory", MEBIBYTES / processes + "m"));
      words.addAll(List.of(more));
      words.addAll(List.of(input, output));
      return tigris.command(words.toArray());
    }

    private void race(String name, Verdict expected) throws IOException, InterruptedException {
      Command warm = Command.shell("cat '%s' > /dev/null && sync".formatted(input));
      warm.run(folder).orThrow(warm);
      Command command = contenders.getOrDefault(name, Command.of("false"));
      double taken = command.run(folder).orThrow(command).seconds();
      if (name.equals(Bar.SPARK)) { // which does not force its files to the disk
        Command sync = Command.shell("sync");
        taken += sync.run(folder).orThrow(sync).seconds();
      }
      seconds.computeIfAbsent(name, _ -> new ArrayList<>()).add(taken);
      Verdict sorted = Verdict.of(tigris.command(check().toArray()).run(folder));
      if (!sorted.equals(expected)) {
        throw new WrongResultException("%s made %s of %s".formatted(name, sorted, expected));
      }
      RunFolder.deleteAll(output);
    }

    private List<Object> check() throws IOException {
      List<Object> words = new ArrayList<>(List.of("check"));
      if (!Files.isDirectory(output)) {
        words.add(output);
        return words;
      }
      try (Stream<Path> parts = Files.list(output)) {
        words.addAll(parts.sorted().toList());
      }
      return words;
    }

    private void report(int records) {
      for (int processes : PROCESSES) {
        double[] ours = array(figure(processes));
        for (String peer : List.of(Bar.ONE_JVM, Bar.SPARK)) {
          double[] theirs = array(peer);
          if (ours.length > 0 && theirs.length > 0) {
            List<Pairs> pairs = List.of(new Pairs(ours, theirs));
            run.emit(
                Figure.of(figure(processes), "s", Better.LOWER, peer, pairs)
                    .withNote("%d records of 100 bytes".formatted(records)));
          }
        }
      }
    }

    private double[] array(String name) {
      return seconds.getOrDefault(name, List.of()).stream()
          .mapToDouble(Double::doubleValue)
          .toArray();
    }
  }
}
