package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.sort.CheckJob;
import dev.tigris.sort.CheckSummary;
import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.UInt128;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The time of TigrisSort against the number of nodes: half of them partition 5 MB each, and half
/// sort as much, from disk to disk. Each node is a process in a network namespace, whose link has
/// one rate. As in the papers, processes have started before, and have sorted once.
///
/// The ideal is that of the links: 5 MB at their rate, less the headers of TCP, IP and Ethernet.
///
/// Source: *Tigris* (Welsh and Culler, 2000, section 5.2, figure 7) and the thesis (Welsh, 1999,
/// section 7.2, figure 16), which have the same measurement: 738 ms on average, by 2 to 8 nodes.
final class TigrisSortGroup implements Group {
  private static final String NAME = "paper.tigris.fig7";
  private static final List<Integer> NODES = List.of(2, 4, 6, 8);
  private static final int MOST = 8;
  private static final int RECORDS = 50_000;
  private static final double PAPERS_SECONDS = 0.738;
  private static final int MEGABITS = 60;

  /// As the command has it for short sorts: the optimizing compiler would take the processors.
  private static final String C1_ALONE = "-XX:TieredStopAtLevel=1";

  @Override
  public String name() {
    return NAME;
  }

  private static String figure(int nodes) {
    return "%s.%d".formatted(NAME, nodes);
  }

  @Override
  public List<String> missing() {
    return Nodes.missing(NAME);
  }

  @Override
  public List<String> figures() {
    return Nodes.figures(NODES.stream().map(TigrisSortGroup::figure).toList());
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "nodes-");
    try {
      new Sorts(run, folder).measure();
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  /// The sorts of one run of the group.
  private static final class Sorts {
    private final Run run;
    private final Path folder;
    private final int records;
    private long number = 1;

    Sorts(Run run, Path folder) {
      this.run = run;
      this.folder = folder;
      this.records = run.scale().pick(2_000, RECORDS, RECORDS);
    }

    void measure() throws Exception {
      for (int node = 0; node < MOST / 2; node++) {
        GenerateJob.to(input(node), records).from(UInt128.of((long) node * records)).run();
      }
      Map<Integer, List<Double>> seconds = new LinkedHashMap<>();
      int rounds = run.scale().pick(1, 3, 9);
      try (Nodes nodes = new Nodes(MOST, MEGABITS, SortMain.class, C1_ALONE)) {
        if (run.scale() != Scale.TINY) {
          double _ = sort(nodes, MOST);
        }
        for (int round = 1; round <= rounds; round++) {
          run.say("%s, round %d of %d".formatted(NAME, round, rounds));
          for (int count : NODES) {
            if (run.wants(figure(count))) {
              seconds.computeIfAbsent(count, key -> new ArrayList<>()).add(sort(nodes, count));
            }
          }
        }
      }
      seconds.forEach(this::emit);
    }

    private Path input(int node) {
      return folder.resolve("input" + node);
    }

    /// Returns how long a sort takes, from the first look at the inputs until all is on the disk.
    private double sort(Nodes nodes, int count) throws Exception {
      int half = count / 2;
      List<Path> outputs = new ArrayList<>();
      List<String> addresses = new ArrayList<>();
      for (int sorter = 0; sorter < half; sorter++) {
        outputs.add(folder.resolve("output" + sorter));
        addresses.add(
            nodes
                .get(MOST / 2 + sorter)
                .ask("sort %d %d %d %s".formatted(number, sorter, half, outputs.get(sorter))));
      }
      long started = System.nanoTime();
      for (int each = 0; each < half; each++) {
        String _ =
            nodes
                .get(each)
                .ask(
                    "partition %d %d %s %s"
                        .formatted(number, each, input(each), String.join(" ", addresses)));
      }
      for (int each = 0; each < half; each++) {
        String _ = nodes.get(each).ask("end");
      }
      for (int sorter = 0; sorter < half; sorter++) {
        String _ = nodes.get(MOST / 2 + sorter).ask("end");
      }
      double seconds = (System.nanoTime() - started) / 1e9;
      number++;
      check(outputs, half);
      return seconds;
    }

    private void check(List<Path> outputs, int half) throws Exception {
      List<Path> inputs = new ArrayList<>();
      for (int node = 0; node < half; node++) {
        inputs.add(input(node));
      }
      CheckSummary before = CheckJob.of(inputs).run().summary();
      CheckSummary after = CheckJob.of(outputs).run().summary();
      if (!after.isOrdered() || !after.checksum().equals(before.checksum())) {
        throw new WrongResultException(
            "%d nodes sorted %s to %s".formatted(2 * half, before.verdict(), after.verdict()));
      }
      for (Path output : outputs) {
        Files.delete(output);
      }
    }

    private void emit(int count, List<Double> seconds) {
      double[] ours = seconds.stream().mapToDouble(Double::doubleValue).toArray();
      double ideal =
          (double) records * SortMain.RECORD_BYTES * 8 / (MEGABITS * 1e6 * Switch.PAYLOAD);
      String note = "links of %d Mbit/s".formatted(MEGABITS);
      emit(count, ours, Bar.IDEAL, ideal, note);
      emit(count, ours, Bar.PAPER, PAPERS_SECONDS, note);
    }

    private void emit(int count, double[] ours, String peer, double value, String note) {
      double[] theirs = new double[ours.length];
      Arrays.fill(theirs, value);
      run.emit(
          Figure.of(figure(count), "s", Better.LOWER, peer, List.of(new Pairs(ours, theirs)))
              .withNote(note));
    }
  }
}
