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
import java.util.concurrent.TimeUnit;

/// The running processes of all contestants, which take turns.
final class Session implements AutoCloseable {
  private static final int MOST_ROUND_TRIPS = 50_000;
  private static final int MOST_MESSAGES = 400_000;
  private static final long MEGA = 1_000_000;

  private final Scale scale;
  private final Contestant subject;
  private final Map<Contestant, Exchange> exchanges;

  /// What was measured of one size in a session: for each round, what each contestant did.
  ///
  /// @param subject whom the others are compared with
  /// @param values a round trip's median in nanoseconds, or megabytes a second
  /// @param tails what one round trip in a thousand exceeds
  /// @param allocated bytes a message, of the subject, in the median round
  record Samples(
      Contestant subject,
      Map<Contestant, double[]> values,
      Map<Contestant, double[]> tails,
      double allocated) {

    Pairs value(Contestant rival) {
      return pairs(values, rival);
    }

    /// Empty if the rival does not say.
    Optional<Pairs> tail(Contestant rival) {
      return tails.getOrDefault(rival, new double[1])[0] > 0
          ? Optional.of(pairs(tails, rival))
          : Optional.empty();
    }

    private Pairs pairs(Map<Contestant, double[]> of, Contestant rival) {
      return new Pairs(of(of, subject), of(of, rival));
    }

    private static double[] of(Map<Contestant, double[]> of, Contestant contestant) {
      return of.getOrDefault(contestant, new double[0]);
    }
  }

  private Session(Scale scale, Contestant subject, Map<Contestant, Exchange> exchanges) {
    this.scale = scale;
    this.subject = subject;
    this.exchanges = exchanges;
  }

  /// Starts all processes.
  static Session start(Contestant subject, List<Contestant> rivals, Place place, Scale scale)
      throws IOException, InterruptedException {
    Map<Contestant, Exchange> exchanges = new LinkedHashMap<>();
    Session session = new Session(scale, subject, exchanges);
    boolean started = false;
    try {
      exchanges.put(subject, subject.starter().start(place));
      for (Contestant rival : rivals) {
        exchanges.put(rival, rival.starter().start(place));
      }
      started = true;
      return session;
    } finally {
      if (!started) {
        session.close();
      }
    }
  }

  /// Gives everybody's compiler time.
  void warmUp() throws IOException, InterruptedException {
    long nanos = TimeUnit.MILLISECONDS.toNanos(scale.pick(0, 800, 1_500));
    for (Exchange exchange : exchanges.values()) {
      long start = System.nanoTime();
      while (System.nanoTime() - start < nanos) {
        exchange.pingPong(64, 1_000);
        exchange.bandwidth(8 << 10, 2_000);
        exchange.pingPong(32 << 10, 500);
        exchange.bandwidth(1 << 20, 50);
      }
    }
  }

  /// Lets all contestants take turns with messages of this size.
  Samples measure(boolean pingPong, int bytes) throws IOException, InterruptedException {
    int rounds = scale.pick(2, 5, 8);
    List<Contestant> order = List.copyOf(exchanges.keySet());
    Map<Contestant, double[]> values = new HashMap<>();
    Map<Contestant, double[]> tails = new HashMap<>();
    Map<Contestant, Integer> counts = new HashMap<>();
    for (Contestant contestant : order) {
      values.put(contestant, new double[rounds]);
      tails.put(contestant, new double[rounds]);
      counts.put(contestant, count(exchange(contestant), pingPong, bytes));
    }
    double[] allocated = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      for (Contestant contestant : round % 2 == 0 ? order : order.reversed()) {
        Exchange exchange = exchange(contestant);
        int count = counts.getOrDefault(contestant, 1);
        double value;
        long bytesAllocated;
        if (pingPong) {
          Exchange.RoundTrips trips = exchange.pingPong(bytes, count);
          value = trips.medianNanos();
          put(tails, contestant, round, trips.p999Nanos());
          bytesAllocated = trips.allocatedBytes();
        } else {
          Exchange.OneWay way = exchange.bandwidth(bytes, count);
          value = bytes * 1e9 / way.nanosPerMessage() / MEGA;
          bytesAllocated = way.allocatedBytes();
        }
        put(values, contestant, round, value);
        if (contestant.equals(subject)) {
          allocated[round] = (double) bytesAllocated / count;
        }
      }
    }
    return new Samples(subject, values, tails, Estimate.median(allocated));
  }

  private static void put(
      Map<Contestant, double[]> all, Contestant contestant, int round, double value) {
    double[] values = all.get(contestant);
    if (values != null) {
      values[round] = value;
    }
  }

  private Exchange exchange(Contestant contestant) {
    Exchange exchange = exchanges.get(contestant);
    if (exchange == null) {
      throw new IllegalStateException(contestant.name() + " was not started");
    }
    return exchange;
  }

  /// How many messages fill a turn.
  private int count(Exchange exchange, boolean pingPong, int bytes)
      throws IOException, InterruptedException {
    int few = scale.pick(10, 200, 200);
    double nanos =
        pingPong
            ? exchange.pingPong(bytes, few).medianNanos()
            : exchange.bandwidth(bytes, few).nanosPerMessage();
    long turn = TimeUnit.MICROSECONDS.toNanos(scale.pick(500, 20_000, 40_000));
    return (int) Math.clamp(turn / nanos, few, pingPong ? MOST_ROUND_TRIPS : MOST_MESSAGES);
  }

  @Override
  public void close() throws IOException {
    for (Exchange exchange : exchanges.values()) {
      exchange.close();
    }
  }
}
