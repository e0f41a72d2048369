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
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// The papers' tables of Javia: round trips of 4 bytes, what each further byte costs, and messages
/// one way, at level I and level II, beside the same interface from C (Chang and von Eicken,
/// *Interfacing Java with the Virtual Interface Architecture*, tables 1 and 2, figures 3 and 6;
/// Chang, *Safe and Explicit Memory Management*, table 3.2). And the question of Welsh, *Jaguar*,
/// figure 4, measured where the paper estimates: what if the interface were called and not written
/// in Java?
///
/// A byte's cost is the slope of a round trip between 4 bytes and 8 KiB.
final class LevelsGroup implements Group {
  private static final String PREFIX = "net.levels.";
  private static final String SHORT = ".4B";
  private static final String BYTE = ".byte";
  private static final String ONE_WAY = ".oneway.";
  private static final int SHORT_BYTES = 4;
  private static final int LONG_BYTES = 8 << 10;
  private static final List<Integer> ONE_WAY_BYTES = List.of(1 << 10, 8 << 10, 1 << 20);

  private final Wire wire;

  /// The rows of the tables. Then: on two Pentium II of 450 MHz with a network of 1.25 Gbit/s.
  private enum Level {
    BUFFER(
        "level II, registered buffers",
        "then 20.5 us, raw 16.5",
        "then 25 ns, raw 25",
        "then 97 to 99 % of raw"),
    PIN(
        "level I, arrays registered",
        "then 38 us, raw 16.5",
        "then 38 ns, raw 25",
        "then 85 % of raw from 6 KB on"),
    COPY(
        "level I, asynchronous",
        "then 21.5 us, raw 16.5",
        "then 42 ns, raw 25",
        "then 70 to 75 % of raw"),
    ALLOC(
        "level I, blocking receives",
        "then 18 us, raw 16.5",
        "then more than 42 ns, raw 25",
        "then less than 70 % of raw"),
    CALLS(
        "the twin in C, 4 foreign calls a round trip and one for each poll in vain",
        "then not said",
        "then not said",
        "then estimated for JNI, with its copy: 28.6 of 480 Mbit/s; ten times as fast: 187"),
    ACCESSES(
        "the twin in C, 13 foreign calls a round trip and one for each poll in vain",
        "then not said",
        "then not said",
        "then not said");

    private final String what;
    private final String thenShort;
    private final String thenByte;
    private final String thenOneWay;

    Level(String what, String thenShort, String thenByte, String thenOneWay) {
      this.what = what;
      this.thenShort = thenShort;
      this.thenByte = thenByte;
      this.thenOneWay = thenOneWay;
    }

    String figure(String group) {
      return group + "." + name().toLowerCase(Locale.ROOT);
    }

    Stream<String> figures(String group) {
      String figure = figure(group);
      return Stream.concat(
          Stream.of(figure + SHORT, figure + BYTE),
          ONE_WAY_BYTES.stream().map(bytes -> figure + ONE_WAY + InterfaceGroup.size(bytes)));
    }

    Contestant on(Wire wire) {
      return switch (this) {
        case BUFFER -> wire.subject();
        case PIN -> wire.pinned();
        case COPY -> wire.arrays(ArrayTransport.Kind.POSTED);
        case ALLOC -> wire.arrays(ArrayTransport.Kind.BLOCKING);
        case CALLS -> wire.called(CalledTransport.Kind.FUNCTIONS);
        case ACCESSES -> wire.called(CalledTransport.Kind.ACCESSES);
      };
    }
  }

  /// The levels of one provider, which takes arrays.
  LevelsGroup(Wire wire) {
    this.wire = wire;
  }

  @Override
  public String name() {
    return PREFIX + wire.name();
  }

  @Override
  public List<String> missing() {
    return wire.obstacle().or(() -> wire.twin().missing()).stream()
        .map(why -> name() + " is left out: " + why)
        .toList();
  }

  @Override
  public List<String> figures() {
    return missing().isEmpty()
        ? Arrays.stream(Level.values()).flatMap(level -> level.figures(name())).toList()
        : List.of();
  }

  @Override
  public void measure(Run run) throws Exception {
    Contestant raw = wire.twin();
    Map<Level, Contestant> levels = new EnumMap<>(Level.class);
    for (Level level : Level.values()) {
      levels.put(level, level.on(wire));
    }
    List<Contestant> all = new ArrayList<>(List.of(raw));
    all.addAll(levels.values());
    List<Session.Samples> shorts = new ArrayList<>();
    List<Session.Samples> longs = new ArrayList<>();
    Map<Integer, List<Session.Samples>> oneWay = new LinkedHashMap<>();
    int forks = run.scale().pick(1, 1, 4);
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name(), fork, forks));
      try (Place place = wire.place();
          Session session = Session.start(all, place, run.scale())) {
        session.warmUp(LevelsGroup::warmUp);
        shorts.add(session.measure(true, SHORT_BYTES));
        longs.add(session.measure(true, LONG_BYTES));
        for (int bytes : ONE_WAY_BYTES) {
          oneWay
              .computeIfAbsent(bytes, key -> new ArrayList<>())
              .add(session.measure(false, bytes));
        }
      }
    }
    for (Map.Entry<Level, Contestant> entry : levels.entrySet()) {
      Level level = entry.getKey();
      String figure = level.figure(name());
      String over = level.what + " over " + wire.name() + "; ";
      List<Pairs> atShort = pairs(shorts, entry.getValue(), raw);
      List<Pairs> atLong = pairs(longs, entry.getValue(), raw);
      List<Pairs> slopes = new ArrayList<>();
      for (int fork = 0; fork < forks; fork++) {
        slopes.add(slope(atShort.get(fork), atLong.get(fork)));
      }
      run.emit(
          Figure.of(figure + SHORT, "ns", Better.LOWER, raw.name(), atShort)
              .withNote(over + level.thenShort));
      run.emit(
          Figure.of(figure + BYTE, "ns", Better.LOWER, raw.name(), slopes)
              .withNote(over + level.thenByte));
      for (Map.Entry<Integer, List<Session.Samples>> size : oneWay.entrySet()) {
        String name = figure + ONE_WAY + InterfaceGroup.size(size.getKey());
        List<Pairs> rates = pairs(size.getValue(), entry.getValue(), raw);
        run.emit(
            Figure.of(name, "MB/s", Better.HIGHER, raw.name(), rates)
                .withNote(over + level.thenOneWay));
      }
    }
  }

  private static void warmUp(Exchange exchange) throws IOException, InterruptedException {
    exchange.pingPong(SHORT_BYTES, 1_000);
    exchange.pingPong(LONG_BYTES, 1_000);
    exchange.bandwidth(LONG_BYTES, 1_000);
    exchange.bandwidth(1 << 20, 50);
  }

  private static List<Pairs> pairs(List<Session.Samples> forks, Contestant level, Contestant raw) {
    return forks.stream().map(fork -> fork.values(level, raw).orElseThrow()).toList();
  }

  /// What one byte costs, in the median of the rounds: one pair for a session, since the two sizes
  /// were not measured in the same rounds.
  private static Pairs slope(Pairs atShort, Pairs atLong) {
    return new Pairs(
        new double[] {slope(atShort.medianSubject(), atLong.medianSubject())},
        new double[] {slope(atShort.medianPeer(), atLong.medianPeer())});
  }

  /// At least a picosecond: where next to nothing is measured, long messages may seem faster.
  private static double slope(double atShort, double atLong) {
    return Math.max(0.001, (atLong - atShort) / (LONG_BYTES - SHORT_BYTES));
  }
}
