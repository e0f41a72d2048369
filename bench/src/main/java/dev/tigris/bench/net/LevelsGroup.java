package dev.tigris.bench.net;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The papers' tables of Javia: round trips, what each further byte costs, and messages one way, at
/// level I and level II, beside the same interface from C, and beside what the papers measured
/// ([Level.Then]). And the question of Welsh, *Jaguar*, figure 4, measured where the paper
/// estimates: what if the interface were called and not written in Java?
///
/// A byte's cost is the slope of a round trip between 4 bytes and 8 KiB.
final class LevelsGroup implements Group {
  private static final String PREFIX = "net.levels.";
  private static final String ROUND_TRIP = ".roundtrip.";
  private static final String BYTE = ".byte";
  private static final String ONE_WAY = ".oneway.";
  private static final int SHORT_BYTES = 4;
  private static final int LONG_BYTES = 8 << 10;
  private static final List<Integer> ROUND_TRIP_BYTES =
      List.of(SHORT_BYTES, 1 << 10, LONG_BYTES, 32 << 10);
  private static final List<Integer> ONE_WAY_BYTES = List.of(1 << 10, 8 << 10, 32 << 10, 1 << 20);

  /// Where the papers' curves are flat.
  private static final int PAPERS_BYTES = 32 << 10;

  private final Wire wire;

  /// What was measured.
  private static final class Measured {
    final Map<Integer, List<Session.Samples>> roundTrips = new LinkedHashMap<>();
    final Map<Integer, List<Session.Samples>> oneWay = new LinkedHashMap<>();

    List<Session.Samples> of(int roundTripBytes) {
      return roundTrips.getOrDefault(roundTripBytes, List.of());
    }
  }

  /// The levels of one provider.
  LevelsGroup(Wire wire) {
    this.wire = wire;
  }

  @Override
  public String name() {
    return PREFIX + wire.name();
  }

  private Optional<String> obstacle() {
    return wire.obstacle().or(() -> wire.twin().missing());
  }

  private List<Level> levels() {
    return Arrays.stream(Level.values())
        .filter(level -> level != Level.PIN || wire.takesArrays())
        .toList();
  }

  @Override
  public List<String> missing() {
    if (obstacle().isPresent()) {
      return List.of(name() + " is left out: " + obstacle().get());
    }
    return wire.takesArrays()
        ? List.of()
        : List.of(
            "%s is left out: %s does not register arrays"
                .formatted(Level.PIN.figure(name()), wire.name()));
  }

  @Override
  public List<String> figures() {
    return obstacle().isPresent() ? List.of() : levels().stream().flatMap(this::figures).toList();
  }

  private Stream<String> figures(Level level) {
    String figure = level.figure(name());
    if (level == Level.RAW) {
      return Stream.of(figure + ROUND_TRIP + InterfaceGroup.size(SHORT_BYTES), figure + BYTE);
    }
    return Stream.of(
            ROUND_TRIP_BYTES.stream()
                .map(bytes -> figure + ROUND_TRIP + InterfaceGroup.size(bytes)),
            Stream.of(figure + BYTE),
            ONE_WAY_BYTES.stream().map(bytes -> figure + ONE_WAY + InterfaceGroup.size(bytes)))
        .flatMap(names -> names);
  }

  @Override
  public void measure(Run run) throws Exception {
    Map<Level, Contestant> contestants = new EnumMap<>(Level.class);
    levels().forEach(level -> contestants.put(level, level.on(wire)));
    Measured measured = new Measured();
    int forks = run.scale().pick(1, 1, 2);
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name(), fork, forks));
      try (Place place = wire.place(run.workFolder());
          Session session = Session.start(List.copyOf(contestants.values()), place, run.scale())) {
        session.warmUp(LevelsGroup::warmUp);
        for (int bytes : ROUND_TRIP_BYTES) {
          measured
              .roundTrips
              .computeIfAbsent(bytes, key -> new ArrayList<>())
              .add(session.measure(true, bytes));
        }
        for (int bytes : ONE_WAY_BYTES) {
          measured
              .oneWay
              .computeIfAbsent(bytes, key -> new ArrayList<>())
              .add(session.measure(false, bytes));
        }
      }
    }
    Contestant raw = Objects.requireNonNull(contestants.get(Level.RAW));
    contestants.forEach((level, contestant) -> report(run, measured, level, contestant, raw));
  }

  private static void warmUp(Exchange exchange) throws IOException, InterruptedException {
    exchange.pingPong(SHORT_BYTES, 1_000);
    exchange.pingPong(LONG_BYTES, 1_000);
    exchange.bandwidth(LONG_BYTES, 1_000);
    exchange.bandwidth(1 << 20, 50);
  }

  private void report(
      Run run, Measured measured, Level level, Contestant contestant, Contestant raw) {
    Row row = new Row(run, level, raw.name());
    String figure = level.figure(name());
    measured.roundTrips.forEach(
        (bytes, forks) -> {
          String name = figure + ROUND_TRIP + InterfaceGroup.size(bytes);
          List<Pairs> trips = pairs(forks, contestant, raw);
          row.besideC(name, "ns", Better.LOWER, trips);
          if (bytes == SHORT_BYTES) {
            row.besidePapers(Level.Then.What.ROUND_TRIP, name, "ns", Better.LOWER, trips);
          }
        });
    List<Pairs> slopes =
        slopes(
            pairs(measured.of(SHORT_BYTES), contestant, raw),
            pairs(measured.of(LONG_BYTES), contestant, raw));
    row.besideC(figure + BYTE, "ns", Better.LOWER, slopes);
    row.besidePapers(Level.Then.What.BYTE, figure + BYTE, "ns", Better.LOWER, slopes);
    measured.oneWay.forEach(
        (bytes, forks) -> {
          String name = figure + ONE_WAY + InterfaceGroup.size(bytes);
          List<Pairs> rates = pairs(forks, contestant, raw);
          row.besideC(name, "MB/s", Better.HIGHER, rates);
          if (bytes == PAPERS_BYTES) {
            row.besidePapers(Level.Then.What.ONE_WAY, name, "of C", Better.HIGHER, rates);
          }
        });
  }

  /// Where the figures of a level go.
  ///
  /// @param raw what C is called
  private record Row(Run run, Level level, String raw) {
    /// Reports what both did in the same rounds.
    void besideC(String figure, String unit, Better better, List<Pairs> forks) {
      if (level != Level.RAW) {
        run.emit(Figure.of(figure, unit, better, raw, forks).withNote(level.words()));
      }
    }

    /// Reports what the level did, or its share of what C did, beside what the papers have.
    void besidePapers(
        Level.Then.What what, String figure, String unit, Better better, List<Pairs> forks) {
      boolean share = what == Level.Then.What.ONE_WAY;
      for (Level.Then then : level.thens()) {
        if (then.what() == what) {
          List<Pairs> now = beside(forks, (ours, c) -> share ? ours / c : ours, then.value());
          String note = then.note().isEmpty() ? "" : "; then " + then.note();
          run.emit(
              Figure.of(figure, unit, better, then.source(), now).withNote(level.words() + note));
        }
      }
    }
  }

  private static List<Pairs> pairs(List<Session.Samples> forks, Contestant level, Contestant raw) {
    return forks.stream().map(fork -> fork.values(level, raw).orElseThrow()).toList();
  }

  /// The values of one contestant, as a function of both, beside a constant.
  private static List<Pairs> beside(
      List<Pairs> forks, DoubleBinaryOperator subject, double constant) {
    return forks.stream()
        .map(
            pairs -> {
              IntStream rounds = IntStream.range(0, pairs.count());
              double[] constants = new double[pairs.count()];
              Arrays.fill(constants, constant);
              return new Pairs(
                  rounds
                      .mapToDouble(i -> subject.applyAsDouble(pairs.subject(i), pairs.peer(i)))
                      .toArray(),
                  constants);
            })
        .toList();
  }

  /// What one byte costs, round by round.
  private static List<Pairs> slopes(List<Pairs> shorts, List<Pairs> longs) {
    List<Pairs> slopes = new ArrayList<>();
    for (int fork = 0; fork < shorts.size(); fork++) {
      Pairs from = shorts.get(fork);
      Pairs to = longs.get(fork);
      slopes.add(
          new Pairs(
              slopes(from.count(), from::subject, to::subject),
              slopes(from.count(), from::peer, to::peer)));
    }
    return slopes;
  }

  /// At least a picosecond: where next to nothing is measured, long messages may seem faster.
  private static double[] slopes(
      int rounds, IntToDoubleFunction atShort, IntToDoubleFunction atLong) {
    double bytes = LONG_BYTES - SHORT_BYTES;
    return IntStream.range(0, rounds)
        .mapToDouble(
            i -> Math.max(0.001, (atLong.applyAsDouble(i) - atShort.applyAsDouble(i)) / bytes))
        .toArray();
  }
}
