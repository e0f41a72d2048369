package dev.tigris.flow;

import dev.tigris.flow.policy.Policy;
import dev.tigris.flow.policy.SenderState;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// One sender's end of a reservoir: its streams, and the choice among them.
///
/// A sender without credit waits for it, as the condition that a stream can be chosen.
///
/// Thread rule: the sender's thread.
final class Outlet implements Parker.Condition {
  /// The policies that always take the only stream there is. A user's own policy may wait all the
  /// same, or declare the end.
  private static final Set<Policy> OURS =
      Set.of(Policy.roundRobin(), Policy.random(), Policy.lottery(), Policy.leastOutstanding());

  private final String name;
  private final Stream[] streams;
  private final @Nullable Policy policy;

  /// Whether there is one stream only, and a policy that takes it whenever it has credit.
  private final boolean takesTheOnlyOne;

  private final SenderState state;
  private final RandomGenerator random;

  /// What was chosen for this call, or [Policy#WAIT], and how much it had sent by then.
  private int chosen = Policy.WAIT;

  private long sentWhenChosen;

  Outlet(String name, List<Stream> streams, @Nullable Policy policy, RandomGenerator random) {
    this.name = name;
    this.streams = streams.toArray(Stream[]::new);
    this.policy = policy;
    this.takesTheOnlyOne = streams.size() == 1 && (policy == null || OURS.contains(policy));
    this.state = new SenderState(streams.stream().mapToInt(Stream::window).toArray());
    this.random = random;
  }

  String name() {
    return name;
  }

  /// Returns whether the module chooses.
  boolean isRouted() {
    return policy == null;
  }

  int routes() {
    return streams.length;
  }

  Stream route(int index) {
    if (index < 0 || index >= streams.length) {
      throw new IndexOutOfBoundsException(
          "reservoir %s has no route %d: it has %d routes, numbered from 0"
              .formatted(name, index, streams.length));
    }
    return streams[index];
  }

  /// Returns whether any receiver still takes waters.
  boolean isAnyOpen() {
    for (Stream stream : streams) {
      if (!stream.isStopped()) {
        return true;
      }
    }
    return false;
  }

  /// Begins a new call, for which nothing is chosen.
  void begin() {
    int before = chosen;
    if (before >= 0 && streams[before].sent() != sentWhenChosen) {
      state.used(before);
      streams[before].estimate(state.serviceNanos(before));
    }
    chosen = Policy.WAIT;
  }

  /// Tries to choose a stream for this call, unless one is chosen. Returns whether the wait is
  /// over: a stream is chosen, or the policy has declared the end.
  boolean tryChoose() {
    if (chosen == Policy.WAIT) {
      chosen = choose();
      if (chosen >= 0) {
        sentWhenChosen = streams[chosen].sent();
      }
    }
    return chosen != Policy.WAIT;
  }

  @Override
  public boolean isMet() {
    return tryChoose();
  }

  @Override
  public String description() {
    return "credit in reservoir " + name;
  }

  /// The stream chosen for this call; null if it is the end.
  @Nullable Stream chosen() {
    return chosen >= 0 ? streams[chosen] : null;
  }

  private int choose() {
    Policy chooser = policy;
    if (takesTheOnlyOne || chooser == null) {
      return streams[0].isStopped() ? Policy.END : streams[0].hasCredit() ? 0 : Policy.WAIT;
    }
    look();
    if (!state.anyOpen()) {
      return Policy.END;
    }
    int choice = chooser.choose(state, random);
    if (choice >= streams.length
        || choice < Policy.END
        || (choice >= 0 && state.credits(choice) <= 0)) {
      throw new IllegalStateException(
          "policy %s of reservoir %s chose stream %d of %d, which has no credit: it must return a"
                  .formatted(chooser, name, choice, streams.length)
              + " stream that has credit, or WAIT, or END");
    }
    return choice;
  }

  /// Brings what is known of the streams up to date.
  private void look() {
    state.time(System.nanoTime());
    for (int i = 0; i < streams.length; i++) {
      Stream stream = streams[i];
      if (stream.isStopped()) {
        state.closed(i);
      } else {
        long sent = stream.sent();
        int outstanding = stream.outstanding();
        state.sent(i, sent);
        state.finished(i, sent - outstanding);
      }
    }
  }

  void end() {
    for (Stream stream : streams) {
      stream.end();
    }
  }

  @Override
  public String toString() {
    return name + Arrays.toString(streams);
  }
}
