package dev.tigris.bench.flow;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.Command;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A join and group by over files of CSV, against plain Java streams and, where Python has them,
/// DuckDB and Spark, in turns. *Cold* is a whole process, from its start to its end. *Warm* is the
/// median of the later ones of several joins in one process. All results are compared.
///
/// Python is `python3`, or what `TIGRIS_BENCH_PYTHON` names.
final class CsvGroup implements Group {
  private static final int CUSTOMERS = 200_000;
  private static final int COUNTRIES = 60;

  private final String name;
  private final Sizes sizes;

  /// The values of a scale: tiny, quick and full.
  ///
  /// @param megabytes of orders
  /// @param rounds how often each takes its turn
  /// @param times how many joins a warm process does
  record Sizes(List<Integer> megabytes, List<Integer> rounds, List<Integer> times) {}

  /// Takes part in it.
  ///
  /// @param name as a peer
  /// @param lines how many lines of code it takes, without imports and the name of the method
  private record Contender(String name, int lines, List<String> command) {}

  CsvGroup(String name, Sizes sizes) {
    this.name = name;
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<String> figures() {
    return List.of(name + ".cold", name + ".warm");
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "csv-");
    try {
      new Match(run, folder).play();
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private static int at(Run run, List<Integer> values) {
    return run.scale().pick(values.get(0), values.get(1), values.get(2));
  }

  /// One run of the group in its folder.
  private final class Match {
    private final Run run;
    private final Path folder;
    private final Path orders;
    private final Path customers;
    private final Path result;
    private final Map<String, List<Double>> cold = new TreeMap<>();
    private final Map<String, List<Double>> warm = new TreeMap<>();
    private List<String> expected = List.of();

    Match(Run run, Path folder) {
      this.run = run;
      this.folder = folder;
      this.orders = folder.resolve("orders.csv");
      this.customers = folder.resolve("customers.csv");
      this.result = folder.resolve("spent.csv");
    }

    void play() throws IOException, InterruptedException {
      write();
      List<Contender> contenders = contenders();
      int rounds = at(run, sizes.rounds());
      for (int round = 0; round < rounds; round++) {
        run.say("%s: round %d of %d".formatted(name, round + 1, rounds));
        for (int i = 0; i < contenders.size(); i++) {
          race(contenders.get((i + round) % contenders.size()));
        }
      }
      Contender ours = contenders.getFirst();
      for (Contender peer : contenders.subList(1, contenders.size())) {
        emit(".cold", cold, ours, peer);
        emit(".warm", warm, ours, peer);
      }
    }

    private void emit(
        String figure, Map<String, List<Double>> seconds, Contender ours, Contender peer) {
      Pairs pairs = new Pairs(array(seconds, ours), array(seconds, peer));
      run.emit(
          Figure.of(name + figure, "s", Better.LOWER, peer.name(), List.of(pairs))
              .withNote(
                  "%d MB; %d lines of code, the peer %d"
                      .formatted(at(run, sizes.megabytes()), ours.lines(), peer.lines())));
    }

    private static double[] array(Map<String, List<Double>> seconds, Contender of) {
      return seconds.getOrDefault(of.name(), List.of()).stream()
          .mapToDouble(Double::doubleValue)
          .toArray();
    }

    // -- Those who take part.

    private List<Contender> contenders() throws IOException, InterruptedException {
      List<Contender> contenders = new ArrayList<>();
      contenders.add(new Contender("Tigris", 16, java("tigris")));
      contenders.add(new Contender(Bar.JAVA_STREAMS, 26, java("streams")));
      String python = System.getenv().getOrDefault("TIGRIS_BENCH_PYTHON", "python3");
      addPython(contenders, python, "duckdb", new Contender(Bar.DUCKDB, 8, List.of()));
      addPython(contenders, python, "spark", new Contender(Bar.SPARK, 17, List.of()));
      return contenders;
    }

    private static List<String> java(String who) {
      List<String> words = new ArrayList<>();
      words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      words.add("--enable-native-access=ALL-UNNAMED");
      words.addAll(List.of("-cp", System.getProperty("java.class.path")));
      words.addAll(List.of(CsvJoins.class.getName(), who));
      return words;
    }

    private void addPython(
        List<Contender> contenders, String python, String library, Contender contender)
        throws IOException, InterruptedException {
      String module = library.equals("spark") ? "pyspark" : library;
      if (Command.of(python, "-c", "import " + module).run(folder).exit() != 0) {
        run.say("%s: %s has no %s, which is left out".formatted(name, python, module));
        return;
      }
      String file = "join_" + library + ".py";
      Path program = folder.resolve(file);
      try (InputStream in = CsvGroup.class.getResourceAsStream(file)) {
        Files.copy(Objects.requireNonNull(in, file), program);
      }
      List<String> command = List.of(python, program.toString());
      contenders.add(new Contender(contender.name(), contender.lines(), command));
    }

    // -- Turns.

    private void race(Contender contender) throws IOException, InterruptedException {
      Command warmUp = Command.shell("cat '%s' > /dev/null".formatted(orders));
      warmUp.run(folder).orThrow(warmUp);
      double seconds = join(contender, 1).seconds();
      cold.computeIfAbsent(contender.name(), _ -> new ArrayList<>()).add(seconds);
      int times = at(run, sizes.times());
      double[] each =
          join(contender, times)
              .output()
              .lines()
              .filter(line -> line.startsWith("seconds "))
              .mapToDouble(line -> Double.parseDouble(line.substring("seconds ".length())))
              .toArray();
      double[] late = Arrays.copyOfRange(each, Math.min(times - 1, (times + 1) / 2), times);
      Arrays.sort(late);
      warm.computeIfAbsent(contender.name(), _ -> new ArrayList<>()).add(late[late.length / 2]);
    }

    private Command.Outcome join(Contender contender, int times)
        throws IOException, InterruptedException {
      Files.deleteIfExists(result);
      List<String> words = new ArrayList<>(contender.command());
      words.addAll(List.of(orders.toString(), customers.toString(), result.toString()));
      words.add(Integer.toString(times));
      if (words.getFirst().contains("python")) {
        words.add(Integer.toString(Runtime.getRuntime().availableProcessors()));
      }
      Command command = new Command(words);
      Command.Outcome outcome = command.run(folder).orThrow(command);
      List<String> rows = Files.readAllLines(result).stream().skip(1).sorted().toList();
      if (expected.isEmpty()) {
        expected = rows;
      } else if (!expected.equals(rows)) {
        throw new WrongResultException(
            "%s: %s has other groups than those before".formatted(name, contender.name()));
      }
      return outcome;
    }

    // -- The files.

    private void write() throws IOException {
      var random = new SplittableRandom(11);
      try (BufferedWriter out = writer(customers)) {
        out.write("id,name,country\n");
        for (int i = 0; i < CUSTOMERS; i++) {
          out.write("c%07d,Customer %d,country %d\n".formatted(i, i, random.nextInt(COUNTRIES)));
        }
      }
      long bytes = 1_000_000L * at(run, sizes.megabytes());
      try (BufferedWriter out = writer(orders)) {
        out.write("id,customer,amount,day,note\n");
        long written = 0;
        for (int id = 0; written < bytes; id++) {
          String customer = Integer.toString(10_000_000 + random.nextInt(CUSTOMERS)).substring(1);
          int cents = 1_000_000 + random.nextInt(100_000);
          String amount = Integer.toString(cents);
          String row =
              id
                  + ",c"
                  + customer
                  + ","
                  + Integer.toString(random.nextInt(1, 1000))
                  + "."
                  + amount.substring(5)
                  + ",2026-11-"
                  + (10 + id % 20)
                  + ",note "
                  + amount
                  + "\n";
          out.write(row);
          written += row.length();
        }
      }
    }

    private static BufferedWriter writer(Path file) throws IOException {
      return Files.newBufferedWriter(file, StandardCharsets.US_ASCII);
    }
  }
}
