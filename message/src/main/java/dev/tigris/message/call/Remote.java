package dev.tigris.message.call;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;

import dev.tigris.message.Endpoint;
import dev.tigris.message.MessageException;
import dev.tigris.message.call.ServiceModel.MethodModel;
import dev.tigris.message.channel.Channel;
import dev.tigris.message.channel.EndpointAccess;
import dev.tigris.net.NetException;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A server, as one client knows it.
///
/// Thread rule: the client's thread.
final class Remote {
  private static final long MILLI_NANOS = 1_000_000;
  private static final long FIRST_PAUSE_NANOS = 20 * MILLI_NANOS;
  private static final long LONGEST_PAUSE_NANOS = 2_000 * MILLI_NANOS;
  private static final long FORGET_NANOS = 100 * MILLI_NANOS;
  private static final int MOST_PENALTY = 1 << 10;

  /// Over how many calls the time of a call is averaged.
  private static final int MEMORY = 8;

  private static final long MOST_SERVICE_NANOS = 60_000 * MILLI_NANOS;

  /// How long a server may take to answer at all: a thread of its own waits for that.
  private static final Duration LONGEST_QUESTION = Duration.ofSeconds(2);

  /// A server that has just answered is connected to in so many times as long, within bounds: the
  /// thread that waits for it has other calls to send.
  private static final int ANSWER_TIMES = 4;

  private static final long LEAST_CONNECT_NANOS = 50 * MILLI_NANOS;
  private static final long MOST_CONNECT_NANOS = 250 * MILLI_NANOS;

  final int entry;
  private final Endpoint endpoint;
  private final String provider;
  private final String name;
  private final String address;
  private final long tag;
  private Map<String, Signature> methods = Map.of();
  private final IdentityHashMap<MethodModel, RemoteMethod> matches = new IdentityHashMap<>();
  private boolean isDescribed;
  private boolean isLeaving;
  private @Nullable String lastFailure;
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private long retryAt;

  /// Whether it answers, while that is asked.
  private EndpointAccess.@Nullable Question question;

  /// The call that asks what it serves; null if none is under way.
  @Nullable Invocation asked;

  /// How many calls are under way there.
  int outstanding;

  /// As many calls more it counts for, after failures: one that fails at once would otherwise look
  /// like a fast one.
  private int penalty;

  private long penaltyAt;
  private long serviceNanos;

  Remote(int entry, Endpoint endpoint, String provider, String name, String address, long tag) {
    this.entry = entry;
    this.endpoint = endpoint;
    this.provider = provider;
    this.name = name;
    this.address = address;
    this.tag = tag;
  }

  /// Whether calls can be sent there.
  boolean isReady() {
    return isDescribed && endpoint.isMapped(entry);
  }

  boolean isMapped() {
    return endpoint.isMapped(entry);
  }

  boolean isLeaving() {
    return isLeaving;
  }

  void leave() {
    isLeaving = true;
  }

  Channel channel() {
    return ENDPOINTS.channel(endpoint, entry);
  }

  @Nullable String lastFailure() {
    return lastFailure;
  }

  /// When it is connected to again.
  long retryAt() {
    return retryAt;
  }

  /// Connects without waiting for a server that does not answer: asks first whether it does, and is
  /// called again.
  ///
  /// @return whether it is connected
  boolean mapIfThere() {
    EndpointAccess.Question open = question;
    if (open == null) {
      question = ENDPOINTS.ask(endpoint, provider, address, LONGEST_QUESTION);
      return false;
    }
    Boolean isThere = open.isAnswered();
    if (isThere == null) {
      return false;
    }
    question = null;
    if (!isThere) {
      isLeaving = false; // it has left: another one may begin there
      failed(open.failure());
      return false;
    }
    long nanos =
        Math.clamp(ANSWER_TIMES * open.elapsedNanos(), LEAST_CONNECT_NANOS, MOST_CONNECT_NANOS);
    return map(Duration.ofNanos(nanos));
  }

  /// Whether a question, or a call, is under way that decides how it goes on.
  boolean isConnecting() {
    return question != null || asked != null;
  }

  /// Connects, and waits for that at most so long.
  ///
  /// @return whether it is connected
  boolean map(Duration timeout) {
    isDescribed = false;
    try {
      endpoint.map(entry, provider, address, name, tag, timeout);
      return true;
    } catch (MessageException | NetException e) {
      failed(String.valueOf(e.getMessage()));
      return false;
    }
  }

  /// It could not be used: it is tried again after a time that doubles.
  void failed(String why) {
    lastFailure = why;
    isDescribed = false;
    if (endpoint.isMapped(entry)) {
      endpoint.unmap(entry);
    }
    retryAt = System.nanoTime() + pauseNanos;
    pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
  }

  /// It has told what it serves.
  void described(Description description) {
    methods = description.byName();
    matches.clear();
    isDescribed = true;
    isLeaving = false;
    lastFailure = null;
    pauseNanos = FIRST_PAUSE_NANOS;
  }

  /// Its session has ended. If it was not in use, it has [#failed], and why is known.
  void lost(String why, long now) {
    if (!isDescribed) {
      return;
    }
    isDescribed = false;
    isLeaving = false;
    lastFailure = why;
    retryAt = now;
  }

  Map<String, Signature> methods() {
    return methods;
  }

  RemoteMethod method(MethodModel model) {
    RemoteMethod known = matches.get(model);
    if (known == null) {
      Signature own = model.signature();
      known = RemoteMethod.match(own, methods.get(own.fullName()));
      matches.put(model, known);
    }
    return known;
  }

  // ---- balancing

  /// A call there has failed for a reason that is the server's.
  private void punish(long now) {
    penalty = Math.min(MOST_PENALTY, 2 * penalty(now) + 8);
    penaltyAt = now;
  }

  /// A call there has ended.
  void served(long now, long sentAt, Status how) {
    boolean isItsFault =
        switch (how) {
          case UNKNOWN, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE, DATA_LOSS -> true;
          default -> false;
        };
    if (isItsFault) {
      punish(now);
    } else if (how == Status.CANCELLED) {
      return; // it says nothing of the server
    }
    long took = Math.max(1, now - sentAt);
    long sample = isItsFault ? Math.max(took, 2 * serviceNanos) : took;
    serviceNanos = serviceNanos == 0 ? sample : serviceNanos + (sample - serviceNanos) / MEMORY;
    serviceNanos = Math.min(serviceNanos, MOST_SERVICE_NANOS);
  }

  /// How long it takes for a call; 0 while that is not known.
  long serviceNanos() {
    return serviceNanos;
  }

  private int penalty(long now) {
    long halvings = (now - penaltyAt) / FORGET_NANOS;
    return penalty == 0 || halvings > 16 ? 0 : penalty >> halvings;
  }

  /// How busy it seems: the next call goes to the one with the least.
  int load(long now) {
    return outstanding + penalty(now);
  }

  @Override
  public String toString() {
    return "%s@%s".formatted(name, address);
  }
}
