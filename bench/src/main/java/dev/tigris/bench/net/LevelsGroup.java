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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// The papers' tables of Javia: round trips of 4 bytes, and what each further byte costs, at level
/// I and level II, beside the same interface from C (Chang and von Eicken, *Interfacing Java with
/// the Virtual Interface Architecture*, tables 1 and 2; Chang, *Safe and Explicit Memory
/// Management*, table 3.2).
///
/// A byte's cost is the slope of a round trip between 4 bytes and 8 KiB.
final class LevelsGroup implements Group {
  private static final String PREFIX = "net.levels.";
  private static final String SHORT = ".4B";
  private static final String BYTE = ".byte";
  private static final int SHORT_BYTES = 4;
  private static final int LONG_BYTES = 8 << 10;

  private final Wire wire;

  /// The rows of the tables.
  private enum Level {
    BUFFER("level II, registered buffers", "then 20.5 us, raw 16.5", "then 25 ns, raw 25"),
    COPY("level I, receives posted", "then 21.5 us, raw 16.5", "then 42 ns, raw 25"),
    ALLOC("level I, blocking receives", "then 18 us, raw 16.5", "then more than 42 ns, raw 25");

    private final String what;
    private final String thenShort;
    private final String thenByte;

    Level(String what, String thenShort, String thenByte) {
      this.what = what;
      this.thenShort = thenShort;
      this.thenByte = thenByte;
    }

    String figure(String group) {
      return group + "." + name().toLowerCase(Locale.ROOT);
    }

    Contestant on(Wire wire) {
      return switch (this) {
        case BUFFER -> wire.subject();
        case COPY -> wire.arrays(ArrayTransport.Kind.POSTED);
        case ALLOC -> wire.arrays(ArrayTransport.Kind.BLOCKING);
      };
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

  @Override
  public List<String> missing() {
    return wire.obstacle().or(() -> wire.twin().missing()).stream()
        .map(why -> name() + " is left out: " + why)
        .toList();
  }

  @Override
  public List<String> figures() {
    return missing().isEmpty()
        ? Arrays.stream(Level.values())
            .flatMap(level -> Stream.of(level.figure(name()) + SHORT, level.figure(name()) + BYTE))
            .toList()
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
    int forks = run.scale().pick(1, 1, 4);
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name(), fork, forks));
      try (Place place = wire.place();
          Session session = Session.start(all, place, run.scale())) {
        session.warmUp(LevelsGroup::warmUp);
        shorts.add(session.measure(true, SHORT_BYTES));
        longs.add(session.measure(true, LONG_BYTES));
      }
    }
    for (Map.Entry<Level, Contestant> entry : levels.entrySet()) {
      Level level = entry.getKey();
      List<Pairs> atShort = pairs(shorts, entry.getValue(), raw);
      List<Pairs> atLong = pairs(longs, entry.getValue(), raw);
      List<Pairs> slopes = new ArrayList<>();
      for (int fork = 0; fork < forks; fork++) {
        slopes.add(slope(atShort.get(fork), atLong.get(fork)));
      }
      String over = level.what + " over " + wire.name() + "; ";
      run.emit(
          Figure.of(level.figure(name()) + SHORT, "ns", Better.LOWER, raw.name(), atShort)
              .withNote(over + level.thenShort));
      run.emit(
          Figure.of(level.figure(name()) + BYTE, "ns", Better.LOWER, raw.name(), slopes)
              .withNote(over + level.thenByte));
    }
  }

  private static void warmUp(Exchange exchange) throws IOException, InterruptedException {
    exchange.pingPong(SHORT_BYTES, 1_000);
    exchange.pingPong(LONG_BYTES, 1_000);
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
