package dev.tigris.bench.net;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Estimate;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.Scale;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Round trips and bandwidth of one provider, beside its twin in C and its rivals.
///
/// All contestants' processes live at the same time and take turns, in an order that is reversed
/// from round to round; a ratio is formed within a round. Then everything starts anew in new
/// processes.
final class InterfaceGroup implements Group {
  private static final String P999 = ".p999";
  private static final String ALLOCATION = ".allocation";

  private final String name;
  private final Optional<String> obstacle;
  private final Network network;
  private final Sizes sizes;
  private final Contestant subject;
  private final List<Contestant> invited;
  private final List<Contestant> rivals;

  /// Where a group's processes meet.
  @FunctionalInterface
  interface Network {
    Place open(Path folder) throws IOException, InterruptedException;
  }

  /// The sizes of messages.
  ///
  /// @param pingPong in bytes
  /// @param bandwidth in bytes
  /// @param forks how often everything starts anew in a full run
  record Sizes(List<Integer> pingPong, List<Integer> bandwidth, int forks) {
    /// All that a provider is measured with.
    static final Sizes ALL =
        new Sizes(
            List.of(4, 64, 1 << 10, 8 << 10, 32 << 10),
            List.of(1 << 10, 8 << 10, 32 << 10, 1 << 20),
            4);

    /// The same, in half of the time.
    static final Sizes ALL_BRIEFLY = new Sizes(ALL.pingPong, ALL.bandwidth, 2);

    /// A short one and a long one.
    static final Sizes FEW = new Sizes(List.of(64, 8 << 10), List.of(8 << 10, 1 << 20), 2);
  }

  /// What is measured of a size.
  private record Test(boolean pingPong, int bytes) {
    String figure(String group) {
      return "%s.%s.%s".formatted(group, pingPong ? "pingpong" : "bandwidth", size(bytes));
    }
  }

  /// @param obstacle why nothing of it can be measured here; empty if it can
  InterfaceGroup(
      String name,
      Optional<String> obstacle,
      Network network,
      Sizes sizes,
      Contestant subject,
      List<Contestant> rivals) {
    this.name = name;
    this.obstacle = obstacle;
    this.network = network;
    this.sizes = sizes;
    this.subject = subject;
    this.invited = rivals;
    this.rivals = rivals.stream().filter(rival -> rival.missing().isEmpty()).toList();
  }

  static String size(int bytes) {
    return bytes < 1 << 10
        ? bytes + "B"
        : bytes < 1 << 20 ? (bytes >> 10) + "KiB" : (bytes >> 20) + "MiB";
  }

  @Override
  public String name() {
    return name;
  }

  private List<Test> tests() {
    return Stream.concat(
            sizes.pingPong().stream().map(bytes -> new Test(true, bytes)),
            sizes.bandwidth().stream().map(bytes -> new Test(false, bytes)))
        .toList();
  }

  @Override
  public List<String> missing() {
    return obstacle.isPresent()
        ? List.of(name + " is left out: " + obstacle.get())
        : invited.stream()
            .flatMap(rival -> rival.missing().stream().map(why -> without(rival, why)))
            .toList();
  }

  private String without(Contestant rival, String why) {
    return "%s is measured without %s: %s".formatted(name, rival.name(), why);
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (obstacle.isPresent()) {
      return figures;
    }
    for (Test test : tests()) {
      if (rivals.stream().anyMatch(rival -> test.pingPong() || rival.hasBandwidth())) {
        figures.add(test.figure(name));
      }
      if (test.pingPong() && rivals.stream().anyMatch(Contestant::hasTails)) {
        figures.add(test.figure(name) + P999);
      }
    }
    figures.add(name + ALLOCATION);
    return figures;
  }

  private boolean isWanted(Run run, Test test) {
    return run.wants(test.figure(name))
        || run.wants(test.figure(name) + P999)
        || run.wants(name + ALLOCATION);
  }

  /// Whether rivals take part that start anew for each turn: where it is only tried whether
  /// everything works, with the shortest messages, unless there are no others.
  private boolean hasSeldom(Run run, Test test) {
    List<Integer> all = test.pingPong() ? sizes.pingPong() : sizes.bandwidth();
    return run.scale() != Scale.TINY
        || test.bytes() == all.getFirst()
        || rivals.stream().allMatch(Contestant::isSeldom);
  }

  @Override
  public void measure(Run run) throws Exception {
    List<Test> tests = tests().stream().filter(test -> isWanted(run, test)).toList();
    Map<Test, List<Session.Samples>> samples = new LinkedHashMap<>();
    String note = "";
    int forks = run.scale().pick(1, 1, sizes.forks());
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name, fork, forks));
      try (Place place = network.open(run.workFolder());
          Session session = Session.start(contestants(), place, run.scale())) {
        note = place.note();
        session.warmUp(Session.WarmUp::everything);
        for (Test test : tests) {
          samples
              .computeIfAbsent(test, key -> new ArrayList<>())
              .add(session.measure(test.pingPong(), test.bytes(), hasSeldom(run, test)));
        }
      }
    }
    report(run, samples, note);
  }

  private List<Contestant> contestants() {
    List<Contestant> all = new ArrayList<>(List.of(subject));
    all.addAll(rivals);
    return all;
  }

  private void report(Run run, Map<Test, List<Session.Samples>> samples, String note) {
    double allocated = 0;
    for (Map.Entry<Test, List<Session.Samples>> entry : samples.entrySet()) {
      Test test = entry.getKey();
      List<Session.Samples> forks = entry.getValue();
      for (Contestant rival : rivals) {
        emit(run, test, rival, forks, note);
      }
      allocated = Math.max(allocated, allocated(forks));
    }
    run.emit(
        Figure.once(name + ALLOCATION, allocated, "bytes", Better.LOWER, Bar.LIMIT, 0)
            .withNote("a message, the worst of all sizes"));
  }

  /// What is compared in every process, as far as the rival says it.
  private void emit(
      Run run, Test test, Contestant rival, List<Session.Samples> forks, String note) {
    List<Pairs> values =
        forks.stream().flatMap(fork -> fork.values(subject, rival).stream()).toList();
    List<Pairs> tails =
        forks.stream().flatMap(fork -> fork.tails(subject, rival).stream()).toList();
    if (!values.isEmpty()) {
      String unit = test.pingPong() ? "ns" : "MB/s";
      Better better = test.pingPong() ? Better.LOWER : Better.HIGHER;
      Figure figure = Figure.of(test.figure(name), unit, better, rival.name(), values);
      run.emit(note.isEmpty() ? figure : figure.withNote(note));
    }
    if (!tails.isEmpty()) {
      run.emit(Figure.of(test.figure(name) + P999, "ns", Better.LOWER, rival.name(), tails));
    }
  }

  private double allocated(List<Session.Samples> forks) {
    return Estimate.median(forks.stream().mapToDouble(fork -> fork.allocated(subject)).toArray());
  }
}
