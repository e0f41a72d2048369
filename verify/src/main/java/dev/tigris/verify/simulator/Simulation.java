package dev.tigris.verify.simulator;

import dev.tigris.flow.policy.Policy;
import dev.tigris.flow.policy.SenderState;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// A simulation of one reservoir: senders that run a shipped [Policy] on a shipped [SenderState],
/// receivers that each take some time for a water, and a window of credits on every stream between
/// them.
///
/// ```
///   sender:    choose -> (produce for a while) -> send -> choose ...      waits while WAIT
///   stream:    latency there; the receiver's queue; latency back for the credit
///   receiver:  next stream in turn that has something -> work for a while -> return the credit
/// ```
///
/// Sender and receiver do what the engine's threads do, at no cost of their own. Everything follows
/// from the [Setup], its seed included.
public final class Simulation {
  /// In the papers' perturbation a slow node has this part of a healthy node's rate (34.27 of
  /// 295.39 Mbit/s).
  public static final double SLOW_SHARE = 0.116;

  private static final long SECOND_NANOS = 1_000_000_000L;

  /// The set-up of a simulation. Times are in nanoseconds.
  ///
  /// @param policy chooses for every sender
  /// @param senders how many senders there are
  /// @param sendNanos how long a sender takes to make a water
  /// @param receiveNanos how long each receiver takes for a water
  /// @param window how many waters may be outstanding on each stream
  /// @param latencyNanos how long a water takes to a receiver, and a credit back
  /// @param jitter the part, from 0 to 1, by which each time for making or taking a water may be
  ///     longer or shorter
  /// @param durationNanos how long it lasts; the middle four fifths are measured
  /// @param seed the seed of all random numbers
  public record Setup(
      Policy policy,
      int senders,
      long sendNanos,
      List<Long> receiveNanos,
      int window,
      long latencyNanos,
      double jitter,
      long durationNanos,
      long seed) {
    /// A setup with its own list.
    public Setup {
      if (senders < 1 || receiveNanos.isEmpty() || sendNanos < 1 || durationNanos < 10) {
        throw new IllegalArgumentException(
            "%d senders, %d receivers, %d ns a water, for %d ns"
                .formatted(senders, receiveNanos.size(), sendNanos, durationNanos));
      }
      receiveNanos = List.copyOf(receiveNanos);
    }

    /// The perturbation of the figures: each of `slow` adjacent receivers has [#SLOW_SHARE] of its
    /// own rate of a thousand waters a second.
    ///
    /// There are 8 senders, or as many as receivers if these are fewer. Together they could send a
    /// quarter more than all receivers take when none is slow. Windows are 4 waters, and waking a
    /// thread takes 10 microseconds. The simulation lasts 2 seconds, or half a second with more
    /// than 64 receivers.
    public static Setup perturbed(Policy policy, int receivers, int slow, long seed) {
      long nanos = 1_000_000;
      List<Long> receiveNanos =
          IntStream.range(0, receivers)
              .mapToObj(i -> i < slow ? Math.round(nanos / SLOW_SHARE) : nanos)
              .toList();
      int senders = Math.min(8, receivers);
      long sendNanos = Math.round(nanos * senders / (1.25 * receivers));
      long durationNanos = receivers <= 64 ? 2 * SECOND_NANOS : SECOND_NANOS / 2;
      return new Setup(
          policy, senders, sendNanos, receiveNanos, 4, 10_000, 0.1, durationNanos, seed);
    }

    /// The sum of the receivers' rates, at most that of the senders', in waters a second.
    public double idealPerSecond() {
      double receivers = 0;
      for (long nanos : receiveNanos) {
        receivers += (double) SECOND_NANOS / nanos;
      }
      return Math.min(receivers, senders * ((double) SECOND_NANOS / sendNanos));
    }
  }

  /// The outcome of a simulation.
  ///
  /// @param perSecond waters finished a second, in the middle four fifths
  /// @param idealPerSecond the rate that the best policy could reach: [Setup#idealPerSecond]
  /// @param finished how many waters each receiver has finished, all in all
  public record Result(double perSecond, double idealPerSecond, List<Long> finished) {
    /// A result with its own list.
    public Result {
      finished = List.copyOf(finished);
    }

    /// The part of the ideal that was reached.
    public double share() {
      return perSecond / idealPerSecond;
    }
  }

  // The kinds of events, in bits 0 to 7. Bits 8 to 35 hold the sender, those above the receiver.

  /// A sender has made its water: sends it where it chose to, and chooses again.
  private static final int MADE = 0;

  /// A water reaches a receiver.
  private static final int ARRIVED = 1;

  /// A receiver has finished a water.
  private static final int FINISHED = 2;

  /// A credit reaches a sender.
  private static final int CREDITED = 3;

  private final Setup setup;
  private final long[] receiveNanos;
  private final int receivers;
  private final SplittableRandom policyRandom;
  private final SplittableRandom jitterRandom;
  private final EventQueue events = new EventQueue();
  private long nowNanos;

  // By sender.
  private final SenderState[] states;
  private final long[][] sent;
  private final long[][] credited;
  private final boolean[] waiting;
  private final int[] choice;

  // By receiver.
  private final int[][] queued;
  private final int[] queuedInAll;
  private final int[] turn;
  private final int[] workingFor;
  private final long[] finished;
  private long measured;

  private Simulation(Setup setup) {
    this.setup = setup;
    receiveNanos = setup.receiveNanos().stream().mapToLong(Long::longValue).toArray();
    receivers = receiveNanos.length;
    SplittableRandom random = new SplittableRandom(setup.seed());
    policyRandom = random.split();
    jitterRandom = random.split();
    int senders = setup.senders();
    int[] windows = new int[receivers];
    Arrays.fill(windows, setup.window());
    states = new SenderState[senders];
    for (int i = 0; i < senders; i++) {
      states[i] = new SenderState(windows);
    }
    sent = new long[senders][receivers];
    credited = new long[senders][receivers];
    waiting = new boolean[senders];
    choice = new int[senders];
    queued = new int[receivers][senders];
    queuedInAll = new int[receivers];
    turn = new int[receivers];
    workingFor = new int[receivers];
    Arrays.fill(workingFor, -1);
    finished = new long[receivers];
  }

  /// Runs a simulation.
  public static Result run(Setup setup) {
    return new Simulation(setup).run();
  }

  private Result run() {
    for (int sender = 0; sender < states.length; sender++) {
      choose(sender);
    }
    long from = setup.durationNanos() / 10;
    long to = setup.durationNanos() - from;
    while (!events.isEmpty() && events.firstNanos() <= setup.durationNanos()) {
      nowNanos = events.firstNanos();
      long event = events.poll();
      int sender = (int) (event >>> 8) & 0xfff_ffff;
      int receiver = (int) (event >>> 36);
      switch ((int) event & 0xff) {
        case MADE -> send(sender);
        case ARRIVED -> arrive(sender, receiver);
        case FINISHED -> {
          finished[receiver]++;
          if (nowNanos >= from && nowNanos < to) {
            measured++;
          }
          finish(sender, receiver);
        }
        case CREDITED -> credit(sender, receiver);
        default -> throw new IllegalStateException("event " + event);
      }
    }
    double perSecond = measured * ((double) SECOND_NANOS / (to - from));
    return new Result(perSecond, setup.idealPerSecond(), Arrays.stream(finished).boxed().toList());
  }

  private void schedule(long inNanos, int kind, int sender, int receiver) {
    events.add(nowNanos + inNanos, kind | (long) sender << 8 | (long) receiver << 36);
  }

  private long jittered(long nanos) {
    if (setup.jitter() == 0.0) {
      return nanos;
    }
    double factor = 1.0 + setup.jitter() * (2.0 * jitterRandom.nextDouble() - 1.0);
    return Math.max(1, Math.round(nanos * factor));
  }

  private void choose(int sender) {
    SenderState state = states[sender];
    state.time(nowNanos);
    int stream = setup.policy().choose(state, policyRandom);
    waiting[sender] = stream < 0;
    if (stream >= 0) {
      if (state.credits(stream) <= 0) {
        throw new IllegalStateException(
            "%s chose stream %d, which has no credit".formatted(setup.policy(), stream));
      }
      choice[sender] = stream;
      schedule(jittered(setup.sendNanos()), MADE, sender, 0);
    }
  }

  private void send(int sender) {
    int receiver = choice[sender];
    SenderState state = states[sender];
    state.time(nowNanos);
    state.sent(receiver, ++sent[sender][receiver]);
    state.used(receiver);
    schedule(setup.latencyNanos(), ARRIVED, sender, receiver);
    choose(sender);
  }

  private void arrive(int sender, int receiver) {
    queued[receiver][sender]++;
    queuedInAll[receiver]++;
    if (workingFor[receiver] < 0) {
      take(receiver);
    }
  }

  private void take(int receiver) {
    if (queuedInAll[receiver] == 0) {
      workingFor[receiver] = -1;
      return;
    }
    int[] queues = queued[receiver];
    int sender = turn[receiver];
    while (queues[sender] == 0) {
      sender = sender + 1 < queues.length ? sender + 1 : 0;
    }
    queues[sender]--;
    queuedInAll[receiver]--;
    turn[receiver] = sender + 1 < queues.length ? sender + 1 : 0;
    workingFor[receiver] = sender;
    schedule(jittered(receiveNanos[receiver]), FINISHED, sender, receiver);
  }

  private void finish(int sender, int receiver) {
    schedule(setup.latencyNanos(), CREDITED, sender, receiver);
    take(receiver);
  }

  private void credit(int sender, int receiver) {
    SenderState state = states[sender];
    state.time(nowNanos);
    state.finished(receiver, ++credited[sender][receiver]);
    if (waiting[sender]) {
      choose(sender);
    }
  }
}
