package dev.tigris.flow;

import dev.tigris.flow.policy.Policy;
import dev.tigris.flow.policy.SenderState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// One sender's end of a reservoir: its streams, and the choice among them. Streams are added and
/// ended while the sender works. An outlet without a stream has none yet: its sender waits.
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
  private Stream[] streams = new Stream[0];
  private final @Nullable Policy policy;
  private final boolean routesChange;

  /// Whether there is one stream only, and a policy that takes it whenever it has credit.
  private boolean takesTheOnlyOne;

  private final List<TapEnd> taps = new ArrayList<>();
  private final SenderState state = new SenderState();
  private final RandomGenerator random;

  /// What was chosen for this call, or [Policy#WAIT], and how much it had sent by then.
  private int chosen = Policy.WAIT;

  private long sentWhenChosen;

  /// How long the sender has waited for it. While it waits, that is less what the sender has waited
  /// in all when it began, and less one: so a reader of this one number never misses a wait.
  private final Counters waits = new Counters(1);

  /// The index that was chosen first in this call, and given to the module.
  private int given = Policy.WAIT;

  Outlet(String name, Reservoir reservoir, RandomGenerator random) {
    this.name = name;
    this.policy = reservoir.policy();
    this.routesChange = reservoir.routesChange();
    this.random = random;
  }

  /// Adds a stream, behind those that there are.
  void add(Stream stream) {
    int count = streams.length;
    Stream[] more = Arrays.copyOf(streams, count + 1);
    more[count] = stream;
    streams = more;
    state.add(stream.window());
    stream.tapped(!taps.isEmpty());
    takesTheOnlyOne = count == 0 && (policy == null || OURS.contains(policy));
  }

  /// Adds a tap.
  void add(TapEnd tap) {
    taps.add(tap);
    for (Stream stream : streams) {
      stream.tapped(true);
    }
  }

  /// Copies a water that is about to be put to the taps.
  void copy(Water water) {
    for (int i = taps.size() - 1; i >= 0; i--) {
      TapEnd tap = taps.get(i);
      if (tap.isClosed()) {
        TapEnd _ = taps.remove(i);
      } else {
        tap.pass(water);
      }
    }
    if (taps.isEmpty()) {
      for (Stream stream : streams) {
        stream.tapped(false);
      }
    }
  }

  boolean has(Stream stream) {
    return Arrays.asList(streams).contains(stream);
  }

  /// Ends one of the streams, by which nothing is put any more, and leaves it. If routes
  /// change, those behind it take its number, and so on.
  void end(Stream stream) {
    stream.end();
    stream.leaveSender();
    if (routesChange) {
      streams = Arrays.stream(streams).filter(each -> !each.equals(stream)).toArray(Stream[]::new);
    }
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

  /// Returns whether a receiver still takes waters, or may come yet. One that this sender has left
  /// counts as if it had never been there.
  boolean isAnyOpen() {
    boolean isAnyOver = false;
    for (Stream stream : streams) {
      if (!stream.isShut()) {
        return true;
      }
      isAnyOver |= !stream.isLeft();
    }
    return !isAnyOver;
  }

  /// Refuses to go on without a receiver that is lost.
  ///
  /// @throws StreamException if there is one
  void refuseLostReceivers() {
    for (Stream stream : streams) {
      if (stream.failure() != null) {
        throw stream.lost("receiver");
      }
    }
  }

  /// Begins a new call, for which nothing is chosen.
  void begin() {
    forget();
    given = Policy.WAIT;
  }

  private void forget() {
    int before = chosen;
    if (before >= 0 && streams[before].sent() != sentWhenChosen) {
      state.used(before);
      streams[before].estimate(state.serviceNanos(before));
    }
    chosen = Policy.WAIT;
  }

  /// Chooses again instead of a stream that was chosen for this call and takes nothing any more,
  /// and waits until there is one. Later waters that are put on the first one go where the ones
  /// before went. Returns null if the module has chosen that stream itself, or none is left.
  @Nullable Stream insteadOf(Stream shut) {
    if (isRouted() || !(is(given, shut) || is(chosen, shut))) {
      return null;
    }
    if (chosen >= 0 && streams[chosen].isShut()) {
      forget();
      if (!tryChoose()) {
        shut.awaitChoice(this);
      }
    }
    return chosen();
  }

  @SuppressWarnings("ReferenceEquality") // the very stream is meant
  private boolean is(int index, Stream stream) {
    return index >= 0 && streams[index] == stream;
  }

  /// Tries to choose a stream for this call, unless one is chosen. Returns whether the wait is
  /// over: a stream is chosen, or the policy has declared the end.
  boolean tryChoose() {
    if (chosen == Policy.WAIT) {
      chosen = choose();
      if (chosen >= 0) {
        sentWhenChosen = streams[chosen].sent();
        if (given == Policy.WAIT) {
          given = chosen;
        }
      }
    }
    return chosen != Policy.WAIT;
  }

  /// Notes that a wait for it begins. Costs no look at the clock.
  void beginWait(Parker parker) {
    waits.add(0, -parker.waitedNanos(Parker.CREDIT) - 1);
  }

  /// Notes that the wait is over.
  void endWait(Parker parker) {
    waits.set(0, waitedNanos(parker));
  }

  /// Returns how long its sender has waited for it. Any thread, give or take a moment.
  long waitedNanos(Parker parker) {
    long waited = waits.get(0);
    return waited >= 0 ? waited : Math.max(0, waited + parker.waitedNanos(Parker.CREDIT) + 1);
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
    if (takesTheOnlyOne) {
      return streams[0].isShut() ? closedChoice() : streams[0].hasCredit() ? 0 : Policy.WAIT;
    }
    look();
    Policy chooser = policy;
    if (chooser == null || !state.anyOpen()) {
      return closedChoice();
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

  /// Returns what to do while no stream is open: to end if receivers have ended or are lost, else
  /// to wait for one to be attached.
  private int closedChoice() {
    return isAnyOpen() ? Policy.WAIT : Policy.END;
  }

  /// Brings what is known of the streams up to date.
  private void look() {
    state.time(System.nanoTime());
    for (int i = 0; i < streams.length; i++) {
      Stream stream = streams[i];
      if (stream.isShut()) {
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

  /// Leaves all streams, which other threads may still use.
  void leave() {
    taps.forEach(TapEnd::end);
    for (Stream stream : streams) {
      stream.leaveSender();
    }
  }

  @Override
  public String toString() {
    return name + Arrays.toString(streams);
  }
}
