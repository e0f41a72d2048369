package dev.tigris.verify.endpoints;

import dev.tigris.message.Options;
import dev.tigris.message.channel.Environment;
import dev.tigris.verify.endpoints.SentRequest.Answer;
import dev.tigris.verify.endpoints.SentRequest.Kind;
import dev.tigris.verify.model.FaultSites;
import dev.tigris.verify.model.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Runs whole endpoints of active messages in virtual time: the shipped code from the handler down
/// to the virtual interface. The network of its hosts loses, repeats, reorders, delays, damages and
/// cuts. The hosts die, start again, and stop.
///
/// What it checks, beside the invariants of each session after each step of a program:
///
/// - a handler runs at most once for a request, with what was sent, and in order;
/// - a request comes back once, or its handler runs;
/// - the handler of one that came back as not delivered never runs;
/// - a reply comes once, unless its session has ended;
/// - the memory of each bulk transfer comes back once;
/// - a session ends only because a host has died, or was silent for too long;
/// - two hosts that flood each other do not block each other for ever;
/// - once faults have ended, all of that comes true in bounded time, and all credits are back.
///
/// Places of faults beside those of [SimulatedNetwork]: `host.restart` and `host.stop`.
public final class EndpointSimulation {
  /// The longest bulk transfer that goes in parts of a packet: of longer ones, pieces go over an
  /// interface of their own.
  private static final int MOST_IN_PARTS = 4096;

  /// The set-up of a run.
  ///
  /// @param seed of all that is random
  /// @param options of all bundles
  /// @param requests how many each host sends
  /// @param faults the probability of each place
  /// @param faultyNanos how long faults happen
  /// @param moves whether one endpoint moves between two bundles, and only answers
  public record Plan(
      long seed,
      Options options,
      int requests,
      Map<String, Double> faults,
      long faultyNanos,
      boolean moves) {
    /// A plan with its own map.
    public Plan {
      faults = Map.copyOf(faults);
    }
  }

  /// The events of a run, counted.
  ///
  /// @param ran how many handlers ran for requests
  /// @param replies how many replies came
  /// @param returned how many requests came back
  /// @param sessions how often a peer was mapped
  /// @param moves how often an endpoint moved
  /// @param packets how many messages went over the network
  /// @param nanos how long it took
  /// @param struck how often each place struck
  public record Report(
      long ran,
      long replies,
      long returned,
      int sessions,
      int moves,
      long packets,
      long nanos,
      Map<String, Long> struck) {
    /// A report with its own map.
    public Report {
      struck = Map.copyOf(struck);
    }
  }

  /// How long a run may take once faults have ended.
  private static final long MOST_NANOS = 60_000_000_000L;

  private static final long CHAOS_NANOS = 1_000_000;
  private static final long MOST_STOPPED_NANOS = 500_000_000;

  final Plan plan;
  final VirtualTime time = new VirtualTime();
  final FaultSites sites;
  final Turns turns;
  final SimulatedNetwork network;
  final SplittableRandom chance;
  long returned;
  private boolean isOver;
  private final List<SentRequest> requests = new ArrayList<>();
  private final List<SimulatedParty> parties;

  private EndpointSimulation(Plan plan) {
    this.plan = plan;
    this.sites = new FaultSites(plan.seed());
    plan.faults().forEach(sites::set);
    this.turns = new Turns(time, plan.seed() ^ 0x5deece66dL, plan.faultyNanos() + MOST_NANOS);
    this.network = new SimulatedNetwork(turns, time, sites);
    this.chance = new SplittableRandom(plan.seed() + 1);
    this.parties =
        List.of(
            new SimulatedParty(this, 0, "a", "b", plan.requests()),
            new SimulatedParty(this, 1, "b", "a", plan.moves() ? 0 : plan.requests()),
            new SimulatedParty(this, 2, "c", "b", plan.requests() / 2));
  }

  /// Runs one to its end.
  ///
  /// @throws AssertionError with the seed, if a promise is broken
  public static Report run(Plan plan) {
    EndpointSimulation simulation = new EndpointSimulation(plan);
    try {
      return simulation.run();
    } catch (Throwable e) {
      throw new AssertionError(
          "%s, at %,d ns: %s%n  %s"
              .formatted(plan, simulation.time.nowNanos(), e.getMessage(), simulation.parties),
          e);
    } finally {
      simulation.parties.forEach(SimulatedParty::free);
    }
  }

  private Report run() throws Throwable {
    for (SimulatedParty party : parties) {
      party.start();
    }
    time.after(plan.faultyNanos(), sites::calm);
    time.after(CHAOS_NANOS, this::disturb);
    turns.run();
    int sessions = 0;
    int moves = 0;
    for (SimulatedParty party : parties) {
      sessions += party.sessions();
      moves += party.moves();
    }
    long ran = 0;
    long replies = 0;
    for (SentRequest request : requests) {
      request.require(request.isSettled(), "nothing has become of it");
      ran += request.ran;
      replies += request.replies;
    }
    return new Report(
        ran,
        replies,
        returned,
        sessions,
        moves,
        network.network.sent(),
        time.nowNanos(),
        sites.struck());
  }

  /// Has hosts die, and stop.
  private void disturb() {
    if (sites.isCalm()) {
      return;
    }
    SimulatedParty victim = parties.get(sites.random().nextInt(parties.size()));
    if (sites.strikes("host.restart")) {
      victim.die();
      time.after(sites.random().nextLong(MOST_STOPPED_NANOS), victim::startAgain);
    } else if (sites.strikes("host.stop")) {
      victim.stop(sites.random().nextLong(MOST_STOPPED_NANOS));
    }
    time.after(CHAOS_NANOS, this::disturb);
  }

  /// Whether all hosts may end.
  boolean isOver() {
    isOver |= sites.isCalm() && parties.stream().allMatch(SimulatedParty::isSettled);
    return isOver;
  }

  SentRequest request(Kind kind, Answer answer, int offset, int length) {
    SentRequest made = new SentRequest(requests.size(), kind, answer, offset, length);
    requests.add(made);
    return made;
  }

  SentRequest find(long id) {
    return requests.get(Math.toIntExact(id));
  }

  /// The longest payload of a request.
  int mostBytes(Kind kind) {
    int packet = plan.options().payloadBytes() - 2 * Long.BYTES;
    if (kind == Kind.BULK || kind == Kind.BULK_INTO) {
      return plan.options().lossy() ? MOST_IN_PARTS : SimulatedParty.PATTERN_BYTES;
    }
    return Math.min(packet, MOST_IN_PARTS);
  }

  /// Returns what a bundle takes from outside.
  Environment environment() {
    return new SimulatedEnvironment(turns, time, chance.nextLong());
  }
}
