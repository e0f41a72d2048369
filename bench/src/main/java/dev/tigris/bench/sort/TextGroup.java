package dev.tigris.bench.sort;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.SortGroup.Scaled;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// `tigris sort --lines` and `--csv` against GNU sort and, where Python has it, DuckDB: the same
/// text, threads and memory, whole processes, in turns. Outputs are not forced to the disk. What
/// GNU sort and Tigris write is compared byte by byte. In the full form the text is twice as large
/// as the memory, and temporary files lie beside it. It has one round, which takes minutes.
///
/// Python is `python3`, or what `TIGRIS_BENCH_PYTHON` names.
final class TextGroup implements Group {
  private static final String GNU_SORT = "GNU sort";
  private static final String DUCKDB = "DuckDB";
  private static final int WORDS = 200_000;

  private final Kind kind;
  private final Scaled megabytes;
  private final Scaled memory;
  private final Scaled rounds;

  /// A kind of text, and the keys to sort it by.
  enum Kind {
    WORDS(
        "words",
        "--lines",
        "",
        "SELECT * FROM read_csv('%s', columns={'w': 'VARCHAR'}, delim='\\t', quote='', escape='',"
            + " header=false) ORDER BY w"),
    LOG(
        "log",
        "--lines -k 3,3n -k 2,2",
        "-k 3,3n -k 2,2",
        "SELECT * FROM read_csv('%s', columns={'a': 'VARCHAR', 'b': 'VARCHAR', 'c': 'BIGINT',"
            + " 'd': 'VARCHAR'}, delim=' ', quote='', escape='', header=false) ORDER BY c, b"),
    CSV(
        "csv",
        "--csv -k amount:n",
        "-t , -k 3,3n",
        "SELECT * FROM read_csv('%s', header=true) ORDER BY amount");

    private final String name;
    private final String ours;
    private final String gnus;
    private final String query;

    Kind(String name, String ours, String gnus, String query) {
      this.name = name;
      this.ours = ours;
      this.gnus = gnus;
      this.query = query;
    }
  }

  /// A group.
  ///
  /// @param megabytes how much text
  /// @param memory for the sort, in MiB
  /// @param rounds how often
  TextGroup(Kind kind, Scaled megabytes, Scaled memory, Scaled rounds) {
    this.kind = kind;
    this.megabytes = megabytes;
    this.memory = memory;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "sort.lines." + kind.name;
  }

  @Override
  public List<String> figures() {
    return List.of(name());
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "text-");
    try {
      new Match(run, folder).play();
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  /// One run of the group in its folder.
  private final class Match {
    private final Run run;
    private final Path folder;
    private final Path input;
    private final Path ours;
    private final Path gnus;
    private final Map<String, Command> contenders = new TreeMap<>();
    private final Map<String, List<Double>> seconds = new TreeMap<>();

    Match(Run run, Path folder) {
      this.run = run;
      this.folder = folder;
      this.input = folder.resolve("input");
      this.ours = folder.resolve("tigris.out");
      this.gnus = folder.resolve("gnu.out");
    }

    void play() throws IOException, InterruptedException {
      write(1_000_000L * megabytes.in(run));
      int mebibytes = memory.in(run);
      int threads = Runtime.getRuntime().availableProcessors();
      var arguments = new ArrayList<Object>(List.of("sort", "--no-fsync", "--quiet"));
      arguments.addAll(List.of("--memory", mebibytes + "m", "--parallel", threads));
      arguments.addAll(List.of(kind.ours.split(" ", -1)));
      arguments.addAll(List.of(input, ours));
      contenders.put("tigris", Tigris.of(run.scale()).command(arguments.toArray()));
      String gnuSort = "sort --parallel=%3$d -S %5$dm -T '%4$s' " + kind.gnus;
      String line =
          kind == Kind.CSV
              ? "head -n 1 '%1$s' > '%2$s' && tail -n +2 '%1$s' | " + gnuSort + " >> '%2$s'"
              : gnuSort + " '%1$s' > '%2$s'";
      contenders.put(
          GNU_SORT, Command.shell(line.formatted(input, gnus, threads, folder, mebibytes)));
      String python = System.getenv().getOrDefault("TIGRIS_BENCH_PYTHON", "python3");
      boolean hasDuckDb = Command.of(python, "-c", "import duckdb").run(folder).exit() == 0;
      if (hasDuckDb) {
        String program =
            ("import duckdb; duckdb.sql(\"SET threads=%d; SET memory_limit='%dMiB';"
                    + " SET temp_directory='%s'; COPY (%s) TO '%s'\")")
                .formatted(
                    threads,
                    mebibytes,
                    folder,
                    kind.query.formatted(input),
                    folder.resolve("duckdb.out"));
        contenders.put(DUCKDB, Command.of(python, "-c", program));
      } else {
        run.say(name() + ": " + python + " has no duckdb, which is left out");
      }
      List<String> names = List.copyOf(contenders.keySet());
      for (int round = 0; round < rounds.in(run); round++) {
        run.say("%s: round %d of %d".formatted(name(), round + 1, rounds.in(run)));
        for (int i = 0; i < names.size(); i++) {
          String name = names.get((i + round) % names.size());
          race(name, contenders.getOrDefault(name, Command.of("false")));
        }
        if (Files.mismatch(ours, gnus) >= 0) {
          throw new WrongResultException(name() + ": Tigris and GNU sort wrote other bytes");
        }
        Files.delete(ours);
        Files.delete(gnus);
      }
      for (String peer : names) {
        if (!peer.equals("tigris")) {
          Pairs pairs = new Pairs(array("tigris"), array(peer));
          run.emit(
              Figure.of(name(), "s", Better.LOWER, peer, List.of(pairs))
                  .withNote("%d MB, %d MiB of memory".formatted(megabytes.in(run), mebibytes)));
        }
      }
    }

    private void race(String name, Command command) throws IOException, InterruptedException {
      Command warm = Command.shell("cat '%s' > /dev/null && sync".formatted(input));
      warm.run(folder).orThrow(warm);
      seconds
          .computeIfAbsent(name, _ -> new ArrayList<>())
          .add(command.run(folder).orThrow(command).seconds());
    }

    private static void digits(StringBuilder to, int number, int count) {
      String digits = Integer.toString(number);
      to.repeat('0', count - digits.length()).append(digits);
    }

    private double[] array(String name) {
      return seconds.getOrDefault(name, List.of()).stream()
          .mapToDouble(Double::doubleValue)
          .toArray();
    }

    private void write(long bytes) throws IOException {
      var random = new SplittableRandom(7);
      List<String> words = new ArrayList<>();
      for (int i = 0; i < WORDS; i++) {
        var word = new StringBuilder();
        for (int length = random.nextInt(3, 15); length > 0; length--) {
          word.append((char) ('a' + random.nextInt(26)));
        }
        words.add(word.toString());
      }
      long written = 0;
      var row = new StringBuilder();
      try (BufferedWriter out = Files.newBufferedWriter(input, StandardCharsets.US_ASCII)) {
        if (kind == Kind.CSV) {
          out.write("id,country,amount,note\n");
        }
        for (int i = 0; written < bytes; i++) {
          String word = words.get((int) (WORDS * Math.pow(random.nextDouble(), 3)));
          int number = random.nextInt(1_000_000);
          row.setLength(0);
          switch (kind) {
            case WORDS -> row.append(word);
            case LOG -> {
              digits(row.append("2026-11-28T"), i % 1_000_000, 6);
              row.append(' ').append(word).append(' ').append(number).append(" ok");
            }
            case CSV -> {
              row.append(i).append(',').append(word, 0, 2).append(',').append(number);
              digits(row.append('.'), i % 100, 2);
              row.append(',').append(word);
            }
          }
          row.append('\n');
          out.append(row);
          written += row.length();
        }
      }
    }
  }
}
