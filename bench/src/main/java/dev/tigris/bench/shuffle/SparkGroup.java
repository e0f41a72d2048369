package dev.tigris.bench.shuffle;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Home;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.Command;
import dev.tigris.bench.sort.Tigris;
import dev.tigris.bench.sort.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Flows in two executors of a Spark application, beside what Spark does in the same executors, in
/// turns. All of them are warm. A time is that of the whole call in the driver, or until the first
/// record has come to a task. Spark works with data frames, and both sorts write a file for each
/// partition that nobody forces to the disk.
final class SparkGroup implements Group {
  private static final String NAME = "spark";
  private static final String START = NAME + ".start";
  private static final String REPARTITION = NAME + ".repartition";
  private static final String SORT = NAME + ".sort";
  private static final int EXECUTORS = 2;
  private static final double LIMIT_MILLIS = 500;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return module().isPresent() ? List.of(START, REPARTITION, SORT) : List.of();
  }

  @Override
  public List<String> missing() {
    return module().isPresent()
        ? List.of()
        : List.of(
            NAME
                + ".* is left out: it needs a class path of jars, and the jar of module spark: ./tigris mvn -pl spark -am package -DskipTests");
  }

  /// Returns the jar of module spark, which this module does without: that needs the jars of Spark.
  private static Optional<Path> module() {
    Path target = Home.find().resolve("spark/target");
    if (!Home.hasJarsOnly() || !Files.isDirectory(target)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).matches("tigris-spark-.*[^s]\\.jar"))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "spark-");
    try {
      List<Path> own = new ArrayList<>(Home.classPath());
      own.add(module().orElseThrow());
      Optional<Rival> found = Rival.inSpark(run, folder, own);
      if (found.isEmpty()) {
        return;
      }
      Rival inside = found.get();
      int rounds = run.scale().pick(1, 2, 7);
      if (run.wants(START)) {
        Path notes = Files.createDirectory(folder.resolve("notes"));
        start(run, measured(inside, folder, "start", notes, 5 * rounds));
      }
      if (run.wants(REPARTITION)) {
        repartition(run, inside, folder, rounds);
      }
      if (run.wants(SORT)) {
        sort(run, inside, folder, rounds);
      }
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private static List<String> measured(Rival inside, Path folder, Object... words)
      throws IOException, InterruptedException {
    int cores = Math.max(1, Runtime.getRuntime().availableProcessors() / EXECUTORS);
    Command command = inside.command(EXECUTORS, cores, words);
    return command.run(folder).orThrow(command).output().lines().toList();
  }

  private static void start(Run run, List<String> lines) {
    double[] limits = new double[numbers(lines, "ours").length];
    Arrays.fill(limits, LIMIT_MILLIS);
    Pairs pairs = new Pairs(numbers(lines, "ours"), limits);
    run.emit(Figure.of(START, "ms", Better.LOWER, Bar.LIMIT, List.of(pairs)));
    emit(run, START, "ms", lines, "a job of Spark's without a flow");
  }

  private static void repartition(Run run, Rival inside, Path folder, int rounds)
      throws IOException, InterruptedException {
    int records = run.scale().pick(10_000, 10_000_000, 10_000_000);
    List<String> lines = measured(inside, folder, "repartition", records, rounds);
    for (double count : numbers(lines, "count")) {
      WrongResultException.check("records", records, (long) count);
    }
    long keys = ShuffleGroup.keys(records);
    for (double its : numbers(lines, "keys")) {
      WrongResultException.check("keys", keys, (long) its);
    }
    emit(run, REPARTITION, "s", lines, "%d records of 100 bytes".formatted(records));
  }

  private static void sort(Run run, Rival inside, Path folder, int rounds)
      throws IOException, InterruptedException {
    int records = run.scale().pick(10_000, 10_000_000, 10_000_000);
    Tigris tigris = Tigris.of(run.scale());
    Path input = folder.resolve("input");
    Command gen = tigris.command("gen", records, input);
    gen.run(folder).orThrow(gen);
    Verdict expected = Verdict.of(tigris.command("check", input).run(folder)).whenSorted();
    List<String> lines = measured(inside, folder, "sort", input, folder, rounds);
    for (String name : List.of("ours", "theirs")) {
      Verdict sorted = Verdict.of(tigris.command(check(folder.resolve(name))).run(folder));
      if (!sorted.equals(expected)) {
        throw new WrongResultException("%s: %s of %s".formatted(name, sorted, expected));
      }
    }
    emit(run, SORT, "s", lines, "%d records of 100 bytes".formatted(records));
  }

  private static Object[] check(Path output) throws IOException {
    List<Object> words = new ArrayList<>(List.of("check"));
    try (Stream<Path> parts = Files.list(output)) {
      words.addAll(parts.sorted().toList());
    }
    return words.toArray();
  }

  private static void emit(Run run, String figure, String unit, List<String> lines, String note) {
    Pairs pairs = new Pairs(numbers(lines, "ours"), numbers(lines, "theirs"));
    run.emit(Figure.of(figure, unit, Better.LOWER, Bar.SPARK, List.of(pairs)).withNote(note));
  }

  private static double[] numbers(List<String> lines, String word) {
    return lines.stream()
        .filter(line -> line.startsWith(word + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(word.length() + 1)))
        .toArray();
  }
}
