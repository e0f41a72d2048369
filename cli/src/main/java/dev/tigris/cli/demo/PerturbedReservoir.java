package dev.tigris.cli.demo;

import dev.tigris.flow.EndOfStreamException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Measures what a reservoir still carries when some of its consumers get slow (Welsh and Culler,
/// 2000, section 4.2 and figure 5). Producers put waters into it, and consumers take a fixed time
/// for each. The first few consumers, which stand side by side, take longer.
///
/// ```java
/// var outcome = PerturbedReservoir.ofEight(3).run(Balancing.LOTTERY);
/// outcome.share();  // of what any policy could reach: 0.99, say
/// ```
///
/// Only the middle 80 % of a run is measured, without the time in which the modules start and the
/// last waters arrive.
///
/// @param producers how many sources there are
/// @param consumers how many modules take from them
/// @param slow how many of the consumers are slow
/// @param waterBytes the size of a water
/// @param window how many waters may be on their way from one producer to one consumer
/// @param producerRate how many waters a second each producer can make; infinity for as many as are
///     taken
/// @param consumerRate how many waters a second a consumer can take
/// @param slowRate how many a slow one can
/// @param duration how long one run takes
public record PerturbedReservoir(
    int producers,
    int consumers,
    int slow,
    int waterBytes,
    int window,
    double producerRate,
    double consumerRate,
    double slowRate,
    Duration duration) {

  /// The share of its own rate that a slow consumer keeps: 34.27 of 295.39 Mbit/s in the papers.
  public static final double SLOW_SHARE = 0.116;

  /// The part of a run at each end that is not measured.
  private static final double EDGE = 0.1;

  /// The outcome of one run.
  ///
  /// @param watersPerSecond how many waters all consumers finished in a second
  /// @param idealWatersPerSecond how many no policy could exceed
  /// @param finished how many waters each consumer finished in the time measured, slow ones first
  public record Outcome(
      double watersPerSecond, double idealWatersPerSecond, List<Integer> finished) {
    /// Copies the list.
    public Outcome {
      finished = List.copyOf(finished);
    }

    /// Returns the share of the ideal that was reached.
    public double share() {
      return watersPerSecond / idealWatersPerSecond;
    }
  }

  public PerturbedReservoir {
    if (producers < 1 || consumers < 1 || slow < 0 || slow > consumers) {
      throw new IllegalArgumentException(
          "%d producers, %d consumers, %d of them slow".formatted(producers, consumers, slow));
    }
  }

  /// Returns a set-up of eight consumers of 1500 waters a second each and four producers without a
  /// limit. The first `slow` consumers keep 11.6 % of their rate.
  public static PerturbedReservoir ofEight(int slow) {
    double rate = 1500;
    return new PerturbedReservoir(
        4,
        8,
        slow,
        8 * 1024,
        16,
        Double.POSITIVE_INFINITY,
        rate,
        rate * SLOW_SHARE,
        Duration.ofMillis(600));
  }

  /// Returns the papers' own set-up: four producers at their limit, four consumers that could take
  /// 1.9 times their share of it, 8 KiB waters; slow ones take 11.6 % of their share.
  public static PerturbedReservoir ofThePaper(int slow) {
    double share = 1500;
    return new PerturbedReservoir(
        4, 4, slow, 8 * 1024, 16, share, 1.9 * share, SLOW_SHARE * share, Duration.ofSeconds(1));
  }

  /// Returns a copy with runs of another length.
  public PerturbedReservoir lasting(Duration time) {
    return new PerturbedReservoir(
        producers, consumers, slow, waterBytes, window, producerRate, consumerRate, slowRate, time);
  }

  /// Returns the sum of the consumers' rates, but not more than the producers make.
  public double idealWatersPerSecond() {
    double taken = (consumers - slow) * consumerRate + slow * slowRate;
    return Math.min(taken, producers * producerRate);
  }

  /// Runs the experiment once, in real time.
  ///
  /// @throws FlowException if the flow fails
  /// @throws InterruptedException if the calling thread is interrupted
  public Outcome run(Balancing balancing) throws FlowException, InterruptedException {
    Trial trial = new Trial(balancing.reservoir(), balancing == Balancing.ROUTED);
    trial.flow().start().await();
    return trial.outcome();
  }

  /// Returns one run that the caller starts, with a reservoir of the caller's. Parts of its flow
  /// may run in processes of their own, each of which has a trial.
  public Trial trial(Reservoir reservoir) {
    return new Trial(reservoir, false);
  }

  /// When a run begins and ends, and what of it is measured, by [System#nanoTime].
  private record Times(long startNanos, long endNanos, long fromNanos, long untilNanos) {
    static Times from(long start, Duration duration) {
      long end = start + duration.toNanos();
      long edge = (long) (EDGE * duration.toNanos());
      return new Times(start, end, start + edge, end - edge);
    }
  }

  /// One run, and what was counted in this process.
  public final class Trial {
    private final Reservoir reservoir;
    private final boolean isRouted;
    private @Nullable Times times;
    private final AtomicIntegerArray finished = new AtomicIntegerArray(consumers);

    private Trial(Reservoir reservoir, boolean isRouted) {
      this.reservoir = reservoir;
      this.isRouted = isRouted;
    }

    /// Returns the flow, of producers and consumers.
    public Flow flow() {
      return Flow.named("perturbed")
          .source("producers", Producer::new, producers)
          .reservoir(reservoir.withWindow(window))
          .stage("consumers", Consumer::new, consumers)
          .build();
    }

    /// Returns what the consumers of this process have finished, when the flow is over.
    public Outcome outcome() {
      Times its = times();
      double seconds = (its.untilNanos - its.fromNanos) / 1e9;
      List<Integer> all = IntStream.range(0, consumers).map(finished::get).boxed().toList();
      int sum = all.stream().mapToInt(Integer::intValue).sum();
      return new Outcome(sum / seconds, idealWatersPerSecond(), all);
    }

    /// Returns the times of the run, which begins with the first call. A producer makes it as soon
    /// as all replicas have started, which takes long on a busy machine.
    private synchronized Times times() {
      if (times == null) {
        times = Times.from(System.nanoTime(), duration);
      }
      return times;
    }

    /// Makes waters until the run is over. When all consumers have stopped it is stopped too.
    private final class Producer implements Source {
      private @Nullable Pace pace;
      private ModuleContext context;
      private int next;

      @Override
      public void init(ModuleContext given) {
        context = given;
        next = given.replica();
      }

      @Override
      public boolean produce(Stream out) throws InterruptedException {
        Times times = times();
        if (pace == null) {
          pace = new Pace(producerRate, times.startNanos);
        }
        if (pace.awaitNext() >= times.endNanos) {
          return false;
        }
        Stream to = isRouted ? context.route(next++ % context.routes()) : out;
        to.put(to.spring().createWater(waterBytes));
        return System.nanoTime() < times.endNanos;
      }
    }

    /// Takes a fixed time for each water. The first `slow` replicas take longer.
    private final class Consumer implements Module {
      private @Nullable Pace pace;
      private int replica;

      @Override
      public void init(ModuleContext context) {
        replica = context.replica();
      }

      @Override
      public void process(Water in, Stream out) throws InterruptedException {
        Times times = times();
        if (pace == null) {
          pace = new Pace(replica < slow ? slowRate : consumerRate, times.startNanos);
        }
        long done = pace.awaitNext();
        if (done >= times.fromNanos && done < times.untilNanos) {
          finished.incrementAndGet(replica);
        } else if (done >= times.endNanos) {
          throw new EndOfStreamException();
        }
      }
    }
  }
}
