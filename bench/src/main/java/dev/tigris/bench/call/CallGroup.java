package dev.tigris.bench.call;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.call.CallPair.Contestant;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Calls over one provider, beside gRPC, Aeron and the interface below:
///
/// - *latency* at a fixed rate, from the time at which a call was to begin;
/// - *throughput*: calls for a second of a processor, of both sides together, with many under way;
/// - *serial*: calls a second of one caller, one after the other;
/// - bytes allocated for a call.
final class CallGroup implements Group {
  private static final int[] SIZES = {32, 288, 1344};
  private static final int PER_SECOND = 2_000;

  private final String provider;
  private final Optional<String> obstacle;
  private final List<Contestant> contestants;

  /// @param rivals besides the interface below
  CallGroup(String provider, Contestant... rivals) {
    this.provider = provider;
    this.obstacle = obstacle(provider);
    List<Contestant> all = new ArrayList<>();
    all.add(new Contestant("calls", "calls:" + provider));
    all.addAll(List.of(rivals));
    all.add(new Contestant(Bar.TIGRIS, "net:" + provider));
    this.contestants = List.copyOf(all);
  }

  private static Optional<String> obstacle(String provider) {
    try {
      Fabric.open(provider).close();
      return Optional.empty();
    } catch (NetException | IllegalArgumentException e) { // it cannot be used, or is not there
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /// The kinds of figures that are compared.
  private enum Kind {
    LATENCY("latency", "ns", Better.LOWER, "median, at %d calls a second".formatted(PER_SECOND)),
    SLOWEST(
        "latency.p999",
        "ns",
        Better.LOWER,
        "one of a thousand is slower, at %d calls a second".formatted(PER_SECOND)),
    THROUGHPUT(
        "throughput",
        "1/s",
        Better.HIGHER,
        "per core: calls for a second of a processor, %d under way".formatted(Caller.OUTSTANDING)),
    SERIAL("serial", "1/s", Better.HIGHER, "one call after the other, by one thread");

    private final String title;
    private final String unit;
    private final Better better;
    private final String note;

    Kind(String title, String unit, Better better, String note) {
      this.title = title;
      this.unit = unit;
      this.better = better;
      this.note = note;
    }
  }

  @Override
  public String name() {
    return "call." + provider;
  }

  @Override
  public List<String> missing() {
    return obstacle.map(why -> List.of(name() + " is left out: " + why)).orElse(List.of());
  }

  private String figure(Kind kind, int bytes) {
    return "%s.%s.%dB".formatted(name(), kind.title, bytes);
  }

  private String allocation() {
    return name() + ".allocation";
  }

  private String blocking(int bytes) {
    return "%s.allocation.blocking.%dB".formatted(name(), bytes);
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (obstacle.isEmpty()) {
      for (int bytes : SIZES) {
        for (Kind kind : Kind.values()) {
          figures.add(figure(kind, bytes));
        }
      }
      for (int bytes : SIZES) {
        figures.add(blocking(bytes));
      }
      figures.add(allocation());
    }
    return figures;
  }

  /// A folder of shared memory, where there is one: Aeron has its there by itself.
  private static Path folder(Run run) throws IOException {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared)
        ? Files.createTempDirectory(shared, "tigris-bench-call-")
        : Files.createTempDirectory(run.workFolder(), "call-");
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = folder(run);
    List<CallPair> pairs = new ArrayList<>();
    try {
      for (Contestant contestant : contestants) {
        pairs.add(CallPair.start(contestant, folder));
      }
      double most = 0;
      for (int bytes : SIZES) {
        run.say("%s, %d bytes".formatted(name(), bytes));
        measure(run, bytes, pairs);
        most = Math.max(most, allocatedInHandler(run, bytes, pairs.getFirst()));
      }
      for (int bytes : SIZES) {
        reportBlocking(run, bytes, pairs, run.scale().pick(20, 1_000, 20_000));
      }
      run.emit(
          Figure.once(allocation(), most, "bytes", Better.LOWER, Bar.LIMIT, 0)
              .withNote("a call whose method runs in the handler, at the server"));
    } finally {
      for (CallPair pair : pairs) {
        pair.close();
      }
      RunFolder.deleteAll(folder);
    }
  }

  /// Takes turns: each contestant in each round.
  private void measure(Run run, int bytes, List<CallPair> pairs) throws IOException {
    int rounds = run.scale().pick(1, 3, 7);
    int calls = run.scale().pick(20, 400, 10_000);
    int millis = run.scale().pick(2, 80, 1_000);
    boolean isFirst = bytes == SIZES[0]; // of which the others are alike but for their bytes
    int warmUp = run.scale().pick(2, isFirst ? 2_000 : 300, 3_000);
    Map<Kind, double[][]> values = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      values.put(kind, new double[pairs.size()][rounds]);
    }
    for (CallPair pair : pairs) {
      double _ = pair.serial(bytes, warmUp);
      double _ = pair.perCore(bytes, warmUp);
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < pairs.size(); i++) {
        CallPair pair = pairs.get(i);
        double[] latency = pair.latency(bytes, PER_SECOND, calls);
        put(values, Kind.LATENCY, i, round, latency[0]);
        put(values, Kind.SLOWEST, i, round, latency[1]);
        put(values, Kind.SERIAL, i, round, pair.serial(bytes, millis));
        put(values, Kind.THROUGHPUT, i, round, pair.perCore(bytes, millis));
      }
    }
    values.forEach(
        (kind, all) -> {
          for (int i = 1; i < all.length; i++) {
            run.emit(
                Figure.of(
                        figure(kind, bytes),
                        kind.unit,
                        kind.better,
                        pairs.get(i).name(),
                        List.of(new Pairs(all[0], all[i])))
                    .withNote(kind.note));
          }
        });
  }

  private static void put(
      Map<Kind, double[][]> values, Kind kind, int contestant, int round, double value) {
    values.computeIfPresent(
        kind,
        (its, all) -> {
          all[contestant][round] = value;
          return all;
        });
  }

  /// The least of all rounds, until it is none or the time is over. The first calls load classes,
  /// and objects that the optimizing compiler leaves out are made until it has compiled the way.
  private static double allocatedInHandler(Run run, int bytes, CallPair pair) throws IOException {
    int calls = run.scale().pick(20, 500, 10_000);
    long limit = run.scale().pick(20, 3_000, 10_000) * 1_000_000L;
    long start = System.nanoTime();
    double least = Double.MAX_VALUE;
    while (least > 0 && (least == Double.MAX_VALUE || System.nanoTime() - start < limit)) {
      least = Math.min(least, pair.allocatedInHandler(bytes, calls));
    }
    return least;
  }

  /// Reports the allocation of a call with threads on both sides, beside gRPC's.
  private void reportBlocking(Run run, int bytes, List<CallPair> pairs, int calls)
      throws IOException {
    double[] values = new double[2];
    for (int i = 0; i < 2; i++) {
      double _ = pairs.get(i).allocatedBlocking(bytes, calls); // classes are loaded
      values[i] = pairs.get(i).allocatedBlocking(bytes, calls);
    }
    run.emit(
        Figure.once(blocking(bytes), values[0], "bytes", Better.LOWER, Bar.GRPC, values[1])
            .withNote("a blocking call, both processes together"));
  }

  @Override
  public String toString() {
    return "%s of %s".formatted(name(), Arrays.toString(contestants.toArray()));
  }
}
