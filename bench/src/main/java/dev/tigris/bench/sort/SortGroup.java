package dev.tigris.bench.sort;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// `tigris sort` against GNU sort, and where it says something, against copying the file.
///
/// Contenders take turns, and who begins changes from round to round. Every one starts with its
/// input in the page cache, no output of an earlier one left and nothing waiting to be written, and
/// ends when its output is on the disk. Times are those of whole processes, start-up included. GNU
/// sort gets the ASCII form of the same records, since lines are what it sorts, and the same memory
/// and threads. Every sorted file is checked for order, number and checksum of its records.
final class SortGroup implements Group {
  private static final int RECORD_BYTES = 100;
  private static final String GNU_SORT = "GNU sort";
  private static final String COPY = "cp + sync";

  private final Sizes sizes;

  /// What is sorted.
  ///
  /// @param name of the figure
  /// @param records how many
  /// @param memory for the sort, in MiB
  /// @param rounds how often
  /// @param copies whether copying is a contender
  record Sizes(String name, Scaled records, Scaled memory, Scaled rounds, boolean copies) {}

  /// A number by scale.
  record Scaled(int tiny, int quick, int full) {
    int in(Run run) {
      return run.scale().pick(tiny, quick, full);
    }
  }

  /// A program that makes `output` out of the input.
  private record Contender(String name, Command command, Path output, boolean sorts) {}

  SortGroup(Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return sizes.name();
  }

  @Override
  public List<String> figures() {
    return List.of(name(), name() + ".rate", name() + ".memory");
  }

  @Override
  public void measure(Run run) throws Exception {
    long bytes = (long) sizes.records().in(run) * RECORD_BYTES;
    long free = Files.getFileStore(run.workFolder()).getUsableSpace();
    if (free < 6 * bytes) {
      throw new IOException(
          "%s needs %d MB in %s, which has %d MB: name another folder with --dir"
              .formatted(name(), 6 * bytes / 1_000_000, run.workFolder(), free / 1_000_000));
    }
    Path folder = Files.createTempDirectory(run.workFolder(), "sort-");
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
    private final Tigris tigris;
    private final Path binary;
    private final Path ascii;
    private final List<Contender> contenders = new ArrayList<>();
    private final Map<String, List<Double>> seconds = new TreeMap<>();
    private long peakBytes;

    Match(Run run, Path folder) {
      this.run = run;
      this.folder = folder;
      this.tigris = Tigris.of(run.scale());
      this.binary = folder.resolve("input.bin");
      this.ascii = folder.resolve("input.txt");
      int threads = Runtime.getRuntime().availableProcessors();
      String memory = sizes.memory().in(run) + "m";
      Path ours = folder.resolve("tigris.out");
      contenders.add(
          new Contender(
              "tigris",
              tigris.command(
                  "sort", binary, ours, "--memory", memory, "--parallel", threads, "--quiet"),
              ours,
              true));
      Path gnus = folder.resolve("gnu.out");
      contenders.add(
          new Contender(
              GNU_SORT,
              Command.shell(
                  "sort --parallel=%d -S %s -T '%s' -o '%s' '%s' && sync '%s'"
                      .formatted(threads, memory, folder, gnus, ascii, gnus)),
              gnus,
              true));
      if (sizes.copies()) {
        Path copy = folder.resolve("copy.out");
        contenders.add(
            new Contender(
                COPY,
                Command.shell("cp '%s' '%s' && sync '%s'".formatted(binary, copy, copy)),
                copy,
                false));
      }
    }

    void play() throws IOException, InterruptedException {
      int records = sizes.records().in(run);
      run.say(name() + ": generating " + records + " records, twice");
      execute(tigris.command("gen", records, binary));
      execute(tigris.command("gen", "-a", records, ascii));
      Verdict binaryInput = verdict(binary);
      Verdict asciiInput = verdict(ascii);
      WrongResultException.check("records generated", records, binaryInput.records());

      int rounds = sizes.rounds().in(run);
      for (int round = 0; round < rounds; round++) {
        run.say(name() + ": round " + (round + 1) + " of " + rounds);
        for (int i = 0; i < contenders.size(); i++) {
          Contender contender = contenders.get((i + round) % contenders.size());
          boolean isAscii = contender.name().equals(GNU_SORT);
          race(contender, isAscii ? ascii : binary, isAscii ? asciiInput : binaryInput);
        }
      }
      report(records);
    }

    private void race(Contender contender, Path input, Verdict expected)
        throws IOException, InterruptedException {
      execute(Command.shell("cat '%s' > /dev/null && sync".formatted(input)));
      Command.Outcome outcome = execute(contender.command());
      seconds.computeIfAbsent(contender.name(), key -> new ArrayList<>()).add(outcome.seconds());
      if (contender.name().equals("tigris")) {
        peakBytes = Math.max(peakBytes, outcome.peakBytes());
      }
      WrongResultException.check(
          "bytes written by " + contender.name(),
          Files.size(input),
          Files.size(contender.output()));
      if (contender.sorts()) {
        Verdict sorted = verdict(contender.output());
        if (!sorted.equals(expected.whenSorted())) {
          throw new WrongResultException(
              contender.name() + " made " + sorted + " out of " + expected);
        }
      }
      Files.delete(contender.output());
    }

    private Command.Outcome execute(Command command) throws IOException, InterruptedException {
      return command.run(folder).orThrow(command);
    }

    private Verdict verdict(Path file) throws IOException, InterruptedException {
      return Verdict.of(tigris.command("check", file).run(folder));
    }

    private void report(int records) {
      double[] ours = array("tigris");
      String note = "%d records, %d MiB of memory".formatted(records, sizes.memory().in(run));
      for (Contender contender : contenders) {
        if (!contender.name().equals("tigris")) {
          double[] theirs = array(contender.name());
          report("", "s", Better.LOWER, contender, ours, theirs, note);
          double megabytes = (double) records * RECORD_BYTES / 1e6;
          report(
              ".rate",
              "MB/s",
              Better.HIGHER,
              contender,
              Arrays.stream(ours).map(seconds -> megabytes / seconds).toArray(),
              Arrays.stream(theirs).map(seconds -> megabytes / seconds).toArray(),
              note);
        }
      }
      double limit = sizes.memory().in(run) * 1.25 * 1024 * 1024 + 150e6;
      run.emit(
          Figure.once(name() + ".memory", peakBytes / 1e6, "MB", Better.LOWER, "limit", limit / 1e6)
              .withNote("RssAnon + RssShmem at its highest"));
    }

    private void report(
        String suffix,
        String unit,
        Better better,
        Contender contender,
        double[] ours,
        double[] theirs,
        String note) {
      List<Pairs> pairs = List.of(new Pairs(ours, theirs));
      run.emit(Figure.of(name() + suffix, unit, better, contender.name(), pairs).withNote(note));
    }

    private double[] array(String contender) {
      return seconds.getOrDefault(contender, List.of()).stream()
          .mapToDouble(Double::doubleValue)
          .toArray();
    }
  }
}
