package dev.tigris.bench.net;

import dev.tigris.bench.Estimate;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Scale;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// The running processes of all contestants, which take turns.
final class Session implements AutoCloseable {
  private static final int MOST_ROUND_TRIPS = 50_000;
  private static final int MOST_MESSAGES = 400_000;
  private static final long MEGA = 1_000_000;

  /// A contestant whose processes start anew for each turn has one turn in so many.
  private static final int SELDOM = 6;

  private final Scale scale;
  private final Map<Contestant, Exchange> exchanges;

  /// The measurements of all contestants in the rounds of one size.
  static final class Samples {
    private final Map<Contestant, Turns> turns = new HashMap<>();
    private final int rounds;

    /// What one did, round by round; 0 where it had no turn, or does not say.
    private static final class Turns {
      /// Medians of round trips in nanoseconds, or megabytes a second.
      final double[] values;

      /// What one round trip in a thousand exceeds.
      final double[] tails;

      /// Bytes a message.
      final double[] allocated;

      Turns(int rounds) {
        values = new double[rounds];
        tails = new double[rounds];
        allocated = new double[rounds];
      }
    }

    private Samples(int rounds) {
      this.rounds = rounds;
    }

    private Turns of(Contestant contestant) {
      return turns.computeIfAbsent(contestant, key -> new Turns(rounds));
    }

    /// Empty if the rival does not measure this.
    Optional<Pairs> values(Contestant subject, Contestant rival) {
      return pairs(of(subject).values, of(rival).values);
    }

    /// Empty if the rival does not say.
    Optional<Pairs> tails(Contestant subject, Contestant rival) {
      return pairs(of(subject).tails, of(rival).tails);
    }

    /// Bytes a message, in the median round.
    double allocated(Contestant contestant) {
      return Estimate.median(of(contestant).allocated);
    }

    private Optional<Pairs> pairs(double[] subject, double[] rival) {
      int[] both = IntStream.range(0, rounds).filter(round -> rival[round] > 0).toArray();
      return both.length == 0
          ? Optional.empty()
          : Optional.of(
              new Pairs(
                  IntStream.of(both).mapToDouble(round -> subject[round]).toArray(),
                  IntStream.of(both).mapToDouble(round -> rival[round]).toArray()));
    }
  }

  private Session(Scale scale, Map<Contestant, Exchange> exchanges) {
    this.scale = scale;
    this.exchanges = exchanges;
  }

  /// Starts all processes, at the same time.
  static Session start(List<Contestant> contestants, Place place, Scale scale)
      throws IOException, InterruptedException {
    Map<Contestant, FutureTask<Exchange>> starting = new LinkedHashMap<>();
    for (Contestant contestant : contestants) {
      FutureTask<Exchange> start = new FutureTask<>(() -> contestant.starter().start(place));
      Thread.ofPlatform().daemon().start(start);
      starting.put(contestant, start);
    }
    Session session = new Session(scale, new LinkedHashMap<>());
    ExecutionException failure = null;
    boolean started = false;
    try {
      for (Map.Entry<Contestant, FutureTask<Exchange>> entry : starting.entrySet()) {
        try {
          session.exchanges.put(entry.getKey(), entry.getValue().get());
        } catch (ExecutionException e) {
          failure = failure == null ? e : failure;
        }
      }
      if (failure != null) {
        throw new IOException("not all could be started: " + failure.getMessage(), failure);
      }
      started = true;
      return session;
    } finally {
      if (!started) {
        session.close();
      }
    }
  }

  /// Something to do again and again before anything is measured.
  interface WarmUp {
    void round(Exchange exchange) throws IOException, InterruptedException;

    /// Short and long messages, both ways.
    static void everything(Exchange exchange) throws IOException, InterruptedException {
      exchange.pingPong(64, 1_000);
      exchange.bandwidth(8 << 10, 2_000);
      exchange.pingPong(32 << 10, 500);
      exchange.bandwidth(1 << 20, 50);
    }
  }

  /// Gives the compilers of all contestants time.
  void warmUp(WarmUp warmUp) throws IOException, InterruptedException {
    warmUp(warmUp, scale.pick(0, 300, 1_200));
  }

  /// Gives the compilers of each contestant so many milliseconds.
  void warmUp(WarmUp warmUp, int millis) throws IOException, InterruptedException {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    for (Map.Entry<Contestant, Exchange> entry : exchanges.entrySet()) {
      long start = System.nanoTime();
      while (!entry.getKey().isSeldom() && System.nanoTime() - start < nanos) {
        warmUp.round(entry.getValue());
      }
    }
  }

  /// All contestants pause: so the compilers, which share a processor with a thread that polls,
  /// and get little of it while that does, come to the end of what they have to compile.
  private void pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(scale.pick(0, 200, 1_000));
  }

  /// Lets all contestants take turns with messages of this size.
  Samples measure(boolean pingPong, int bytes) throws IOException, InterruptedException {
    return measure(pingPong, bytes, true);
  }

  /// The same.
  ///
  /// @param seldom whether those take part that start anew for each turn
  Samples measure(boolean pingPong, int bytes, boolean seldom)
      throws IOException, InterruptedException {
    Samples samples = new Samples(scale.pick(2, 5, 10));
    Map<Contestant, Integer> counts = new HashMap<>();
    List<Contestant> order = List.copyOf(exchanges.keySet());
    for (Contestant contestant : order) {
      counts.put(contestant, count(contestant, pingPong, bytes));
    }
    pause();
    for (int round = 0; round < samples.rounds; round++) {
      for (Contestant contestant : round % 2 == 0 ? order : order.reversed()) {
        if ((seldom || !contestant.isSeldom()) && hasTurn(contestant, pingPong, round)) {
          int count = counts.getOrDefault(contestant, 1);
          Samples.Turns turns = samples.of(contestant);
          if (pingPong) {
            Exchange.RoundTrips trips = exchange(contestant).pingPong(bytes, count);
            turns.values[round] = trips.medianNanos();
            turns.tails[round] = trips.p999Nanos();
            turns.allocated[round] = (double) trips.allocatedBytes() / count;
          } else {
            Exchange.OneWay way = exchange(contestant).bandwidth(bytes, count);
            turns.values[round] = bytes * 1e9 / way.nanosPerMessage() / MEGA;
            turns.allocated[round] = (double) way.allocatedBytes() / count;
          }
        }
      }
    }
    return samples;
  }

  private static boolean hasTurn(Contestant contestant, boolean pingPong, int round) {
    return (pingPong || contestant.hasBandwidth())
        && (!contestant.isSeldom() || round % SELDOM == 1);
  }

  private Exchange exchange(Contestant contestant) {
    Exchange exchange = exchanges.get(contestant);
    if (exchange == null) {
      throw new IllegalStateException(contestant.name() + " was not started");
    }
    return exchange;
  }

  /// How many messages fill a turn. This takes turns itself, so that no contestant is measured
  /// while its compiler is at work on what this size needs, or while the connection's buffers still
  /// grow.
  private int count(Contestant contestant, boolean pingPong, int bytes)
      throws IOException, InterruptedException {
    int few = scale.pick(10, 50, 200);
    if (contestant.isSeldom()) {
      return Math.clamp((32L << 20) / bytes, few, scale.pick(100, 3_000, 20_000));
    }
    Exchange exchange = exchange(contestant);
    long turn = TimeUnit.MICROSECONDS.toNanos(scale.pick(500, 10_000, 40_000));
    long settling = TimeUnit.MILLISECONDS.toNanos(scale.pick(0, 100, 600));
    long start = System.nanoTime();
    int count = few;
    do {
      double nanos =
          pingPong
              ? exchange.pingPong(bytes, count).medianNanos()
              : exchange.bandwidth(bytes, count).nanosPerMessage();
      count = (int) Math.clamp(turn / nanos, few, pingPong ? MOST_ROUND_TRIPS : MOST_MESSAGES);
    } while (System.nanoTime() - start < settling);
    return count;
  }

  @Override
  public void close() throws IOException {
    for (Exchange exchange : exchanges.values()) {
      exchange.close();
    }
  }
}
