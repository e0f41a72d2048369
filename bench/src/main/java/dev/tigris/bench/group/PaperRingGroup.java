package dev.tigris.bench.group;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/// The papers' figures of pMM ([Ring]) with matrices of 64 rows and of 256: the time of
/// communication alone and its share of the whole (3.8, 3.9), and the whole speed (3.10, 3.11),
/// then and now. On a machine with fewer processors than nodes, the scheduler is measured as well.
///
/// @param number of the figure
/// @param size rows of the square matrices
/// @param isSpeed whether it is about the whole speed
record PaperRingGroup(int number, int size, boolean isSpeed) implements Group {
  private static final String PREFIX = "paper.jbufs.fig3.";
  private static final List<Integer> NODES = List.of(2, 4, 8);
  private static final String SHARE = ".share";
  private static final String SOURCE = "450 MHz Pentium II, Giganet, 1999";

  /// The numbers of the paper: shares in percent on eight nodes, and speeds in Mflop/s.
  private static final Map<String, Double> THEN =
      Map.of(
          "8.jbufs.8.share", 56.0,
          "8.copy-async.8.share", 73.0,
          "9.jbufs.8.share", 13.0,
          "10.copy-async.4", 175.0,
          "11.jbufs.8", 320.0,
          "11.copy-alloc.8", 275.0);

  private static final int SMALL = 64;
  private static final int LARGE = 256;

  static List<Group> all() {
    return List.of(
        new PaperRingGroup(8, SMALL, false),
        new PaperRingGroup(9, LARGE, false),
        new PaperRingGroup(10, SMALL, true),
        new PaperRingGroup(11, LARGE, true));
  }

  @Override
  public String name() {
    return PREFIX + number;
  }

  private String figure(Ring.Way way, int nodes) {
    return "%s.%s.%d".formatted(name(), way.title(), nodes);
  }

  @Override
  public List<String> missing() {
    return MemberGroups.obstacle("shm").stream()
        .map(why -> name() + " is left out: " + why)
        .toList();
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (MemberGroups.obstacle("shm").isEmpty()) {
      for (int nodes : NODES) {
        for (Ring.Way way : Ring.Way.values()) {
          String figure = figure(way, nodes);
          figures.add(figure);
          if (!isSpeed && then(figure + SHARE).isPresent()) {
            figures.add(figure + SHARE);
          }
        }
      }
    }
    return figures;
  }

  private static Optional<Double> then(String figure) {
    return Optional.ofNullable(THEN.get(figure.substring(PREFIX.length())));
  }

  @Override
  public void measure(Run run) throws Exception {
    run.say(name());
    int count = run.scale().pick(2, 1000, 2000);
    if (size == LARGE) {
      count = run.scale().pick(1, 15, 60); // each takes 64 times as long
    }
    int rounds = run.scale().pick(1, 3, 7);
    for (int nodes : NODES) {
      if (isSpeed) {
        measureSpeed(run, nodes, count, rounds);
      } else {
        measureCommunication(run, nodes, count, rounds);
      }
    }
  }

  private double micros(Ring.Way way, int nodes, int count, boolean computes)
      throws ExecutionException, InterruptedException {
    return new Ring(way, nodes, size).nanos(count, computes) / 1e3 / count;
  }

  /// Level II beside the copying of level I, and that and the allocating beside level II.
  private void measureCommunication(Run run, int nodes, int count, int rounds)
      throws ExecutionException, InterruptedException {
    List<Ring.Way> ways = List.of(Ring.Way.values());
    Map<Ring.Way, double[]> moving = new EnumMap<>(Ring.Way.class);
    Map<Ring.Way, double[]> shares = new EnumMap<>(Ring.Way.class);
    for (Ring.Way way : ways) {
      moving.put(way, new double[rounds]);
      shares.put(way, new double[rounds]);
    }
    for (int round = -1; round < rounds; round++) { // the first one compiles
      for (int i = 0; i < ways.size(); i++) {
        Ring.Way way = ways.get((i + Math.max(0, round)) % ways.size());
        double alone = micros(way, nodes, count, false);
        double whole = micros(way, nodes, count, true);
        if (round >= 0) {
          of(moving, way)[round] = alone;
          of(shares, way)[round] = Math.min(100, 100 * alone / whole);
        }
      }
    }
    for (Ring.Way way : ways) {
      Ring.Way peer = way == Ring.Way.JBUFS ? Ring.Way.COPY_ASYNC : Ring.Way.JBUFS;
      Pairs pairs = new Pairs(of(moving, way), of(moving, peer));
      String figure = figure(way, nodes);
      run.emit(Figure.of(figure, "us", Better.LOWER, peer.title(), List.of(pairs)));
      emitThen(run, figure + SHARE, "%", Better.LOWER, of(shares, way));
    }
  }

  private static double[] of(Map<Ring.Way, double[]> all, Ring.Way way) {
    return Objects.requireNonNull(all.get(way));
  }

  private void measureSpeed(Run run, int nodes, int count, int rounds)
      throws ExecutionException, InterruptedException {
    double operations = 2.0 * size * size * size;
    for (Ring.Way way : Ring.Way.values()) {
      double[] speeds = new double[rounds];
      double[] singles = new double[rounds];
      for (int round = -1; round < rounds; round++) {
        double single = operations / micros(way, 1, count, true);
        double speed = operations / micros(way, nodes, count, true);
        if (round >= 0) {
          singles[round] = single;
          speeds[round] = speed;
        }
      }
      String figure = figure(way, nodes);
      Pairs pairs = new Pairs(speeds, singles);
      run.emit(Figure.of(figure, "Mflop/s", Better.HIGHER, "one node", List.of(pairs)));
      emitThen(run, figure, "Mflop/s", Better.HIGHER, speeds);
    }
  }

  /// Reports a figure beside the paper's, if the paper has a number.
  private static void emitThen(
      Run run, String figure, String unit, Better better, double[] values) {
    then(figure)
        .ifPresent(
            then -> {
              double[] thens = new double[values.length];
              Arrays.fill(thens, then);
              run.emit(
                  Figure.of(figure, unit, better, Bar.PAPER, List.of(new Pairs(values, thens)))
                      .withNote(SOURCE));
            });
  }
}
