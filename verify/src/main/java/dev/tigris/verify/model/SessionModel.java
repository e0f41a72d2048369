package dev.tigris.verify.model;

import dev.tigris.message.protocol.Settings;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The model of a session of active messages: two sides that run the shipped state machine, send
/// each other requests, fragments and replies, restart, stop and lose their connection.
///
/// What it checks, beside the invariants of [Session] after each event:
///
/// - a handler runs at most once for a request, and in the order of the requests;
/// - a request that was acknowledged has run, and a request that came back as not delivered has not
///   and never will;
/// - each request that its sender has lived to hear of is acknowledged or comes back, once;
/// - a reply comes once at most, and exactly once if the session has not ended;
/// - there is always room for a reply;
/// - once faults have ended, all of that comes true in bounded time.
///
/// Places of faults beside those of [VirtualNetwork]: `side.restart`, `side.stop`, and `side.full`
/// (the connection takes no packet for a while).
public final class SessionModel {
  /// The set-up of a run.
  ///
  /// @param seed of all that is random
  /// @param settings of the session
  /// @param requests how many each side sends
  /// @param faults the probability of each place
  /// @param faultyNanos how long faults happen
  public record Plan(
      long seed, Settings settings, int requests, Map<String, Double> faults, long faultyNanos) {
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
  /// @param packets how many packets were sent
  /// @param negatives how many negative acknowledgements were among them
  /// @param resent how many packets were sent again
  /// @param sessions how many sessions there were
  /// @param nanos how long it took
  /// @param struck how often each place struck
  public record Report(
      long ran,
      long replies,
      long returned,
      long packets,
      long negatives,
      long resent,
      int sessions,
      long nanos,
      Map<String, Long> struck) {
    /// A report with its own map.
    public Report {
      struck = Map.copyOf(struck);
    }
  }

  /// The fates of a request, as its sender knows them.
  enum Fate {
    UNKNOWN,
    ACKNOWLEDGED,
    NOT_DELIVERED,
    MAY_HAVE_RUN,
    SENDER_DIED
  }

  /// One request, as the model sees all of it.
  static final class Request {
    final int id;
    final boolean wantsReply;
    Fate fate = Fate.UNKNOWN;
    int ran;
    int replies;

    /// Whether its session has ended, so that a reply may have been lost.
    boolean isCutOff;

    Request(int id, boolean wantsReply) {
      this.id = id;
      this.wantsReply = wantsReply;
    }

    @Override
    public String toString() {
      return "request %d (%s, ran %d, %d replies)".formatted(id, fate, ran, replies);
    }
  }

  /// What one side has sent in all of its lives.
  static final class History {
    final String name;
    final TreeMap<Integer, Request> requests = new TreeMap<>();
    int lastRan = -1;

    History(String name) {
      this.name = name;
    }
  }

  static final long TRIP_NANOS = 50_000;

  /// How long a run may take once faults have ended, in patiences.
  private static final int PATIENCES = 8;

  final Plan plan;
  final VirtualTime time = new VirtualTime();
  final FaultSites sites;
  final VirtualNetwork<ModelPacket> network;
  final ModelSide connecting;
  final ModelSide accepting;
  int sessions;
  long resent;
  long negatives;

  private SessionModel(Plan plan) {
    this.plan = plan;
    this.sites = new FaultSites(plan.seed());
    plan.faults().forEach(sites::set);
    this.network = new VirtualNetwork<>(time, sites, TRIP_NANOS);
    this.connecting = new ModelSide(this, "the connecting side", true);
    this.accepting = new ModelSide(this, "the accepting side", false);
  }

  /// Runs a model to its end.
  ///
  /// @throws AssertionError with the seed, if a promise is broken
  public static Report run(Plan plan) {
    SessionModel model = new SessionModel(plan);
    try {
      return model.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed %d, at %,d ns: %s%n  %s%n  %s"
              .formatted(
                  plan.seed(),
                  model.time.nowNanos(),
                  e.getMessage(),
                  model.connecting,
                  model.accepting),
          e);
    }
  }

  private Report run() {
    connecting.start();
    accepting.start();
    time.after(plan.faultyNanos(), sites::calm);
    long limit = plan.faultyNanos() + PATIENCES * plan.settings().patienceNanos();
    while (!isOver()) {
      if (!time.step()) {
        throw new AssertionError("nothing happens any more");
      }
      connecting.check();
      accepting.check();
      if (time.nowNanos() > limit) {
        throw new AssertionError("it does not come to an end: " + firstOpen());
      }
    }
    check(connecting.sent);
    check(accepting.sent);
    return report();
  }

  private boolean isOver() {
    return sites.isCalm() && connecting.isOver() && accepting.isOver();
  }

  private @Nullable Request firstOpen() {
    for (ModelSide side : new ModelSide[] {connecting, accepting}) {
      for (Request request : side.sent.requests.values()) {
        if (!isSettled(request)) {
          return request;
        }
      }
    }
    return null;
  }

  /// Whether nothing more is to come of a request.
  static boolean isSettled(Request request) {
    return switch (request.fate) {
      case UNKNOWN -> false;
      case ACKNOWLEDGED -> !request.wantsReply || request.isCutOff || request.replies == 1;
      case NOT_DELIVERED, MAY_HAVE_RUN, SENDER_DIED -> true;
    };
  }

  private static void check(History history) {
    for (Request request : history.requests.values()) {
      boolean kept =
          switch (request.fate) {
            case UNKNOWN -> false;
            case ACKNOWLEDGED -> request.ran == 1;
            case NOT_DELIVERED -> request.ran == 0;
            case MAY_HAVE_RUN, SENDER_DIED -> request.ran <= 1;
          };
      if (!kept || request.replies > request.ran || (!request.wantsReply && request.replies > 0)) {
        throw new AssertionError("of %s: %s".formatted(history.name, request));
      }
    }
  }

  private Report report() {
    long ran = 0;
    long replies = 0;
    long returned = 0;
    for (ModelSide side : new ModelSide[] {connecting, accepting}) {
      for (Request request : side.sent.requests.values()) {
        ran += request.ran;
        replies += request.replies;
        returned += request.fate == Fate.NOT_DELIVERED || request.fate == Fate.MAY_HAVE_RUN ? 1 : 0;
      }
      side.count();
    }
    return new Report(
        ran,
        replies,
        returned,
        network.sent(),
        negatives,
        resent,
        sessions,
        time.nowNanos(),
        sites.struck());
  }
}
