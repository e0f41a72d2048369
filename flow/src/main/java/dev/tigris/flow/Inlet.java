package dev.tigris.flow;

import dev.tigris.flow.policy.InputPolicy;
import dev.tigris.flow.policy.ReceiverState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The streams that come in to one module, and the choice of the next one to take from: round-robin
/// among those that have a water, or what the policy of the stage says.
///
/// The list of inputs grows until it is *sealed*, which it is when no reservation is left. Only the
/// end of all inputs of a sealed list is the end of the module's input; as long as the list is
/// open, more may be attached.
///
/// Thread rule: the module's thread.
final class Inlet {
  /// A stream that comes in.
  ///
  /// @param from the name of the stage or feed that it comes from
  /// @param number which input it is, from 0
  /// @param isFeed whether it comes from outside
  record Input(Stream stream, String from, int number, boolean isFeed) {}

  private final List<Input> all = new ArrayList<>();

  /// The inputs that have not ended lie in the first `open` places.
  private Input[] inputs = new Input[4];

  private int open;
  private int turn;

  /// How many have announced inputs to come. A new list has one reservation.
  private int reservations = 1;

  /// The choice of the stage, with what it looks at; null for round-robin.
  private final @Nullable InputPolicy policy;

  private final ReceiverState state = new ReceiverState();
  private final RandomGenerator random;

  /// The index that the policy has chosen.
  private int chosen;

  Inlet(@Nullable InputPolicy policy, RandomGenerator random) {
    this.policy = policy;
    this.random = random;
  }

  void add(Stream stream, String from, boolean isFeed) {
    Input input = new Input(stream, from, all.size(), isFeed);
    all.add(input);
    if (open == inputs.length) {
      inputs = Arrays.copyOf(inputs, 2 * open);
    }
    inputs[open++] = input;
    state.add(from);
  }

  boolean has(Stream stream) {
    return streams().contains(stream);
  }

  /// Keeps the list open until one more call of [#seal].
  void reserve() {
    reservations++;
  }

  /// Takes a reservation back. The list must not be sealed, and is so without one.
  void seal() {
    reservations--;
  }

  boolean isSealed() {
    return reservations == 0;
  }

  List<Stream> streams() {
    return all.stream().map(Input::stream).toList();
  }

  List<Stream> streams(String from) {
    return all.stream().filter(input -> input.from().equals(from)).map(Input::stream).toList();
  }

  /// Returns where they come from, each name once.
  List<String> names() {
    return all.stream().map(Input::from).distinct().toList();
  }

  /// The input to take from next; null if none has anything, or the policy waits for another. In
  /// turn, it stays the same until [#advance].
  @Nullable Input ready() {
    InputPolicy chooser = policy;
    if (chooser != null) {
      return choose(chooser);
    }
    for (int i = 0; i < open; i++) {
      if (turn >= open) {
        turn = 0;
      }
      Input input = inputs[turn];
      if (input.stream().isReady()) {
        return input;
      }
      if (input.stream().isDrained()) {
        // The last one takes its place, and is looked at next.
        inputs[turn] = inputs[--open];
        i--;
      } else {
        turn++;
      }
    }
    return null;
  }

  private @Nullable Input choose(InputPolicy chooser) {
    state.time(System.nanoTime());
    for (int i = 0; i < open; i++) {
      Input input = inputs[i];
      boolean isReady = input.stream().isReady();
      state.ready(input.number(), isReady);
      if (!isReady && input.stream().isDrained()) {
        state.closed(input.number());
        inputs[i] = inputs[--open];
        i--;
      }
    }
    if (!state.anyReady()) {
      return null;
    }
    int choice = chooser.choose(state, random);
    if (choice == InputPolicy.WAIT) {
      return null;
    }
    if (choice < 0 || choice >= all.size() || !state.isReady(choice)) {
      throw new IllegalStateException(
          "input policy %s chose input %d of %d, which is not ready: it must return an input that is ready, or WAIT"
              .formatted(chooser, choice, all.size()));
    }
    chosen = choice;
    return all.get(choice);
  }

  /// The input that was ready has had its turn.
  void advance() {
    turn++;
    if (policy != null) {
      state.taken(chosen);
    }
  }

  /// Returns whether the module's input has ended: the list is sealed, and every input was taken to
  /// its end, as far as [#ready] has seen.
  boolean isConcluded() {
    return reservations == 0 && open == 0;
  }

  /// Refuses to go on without a sender that is lost.
  ///
  /// @throws StreamException if there is one
  void refuseLostSenders() {
    for (int i = 0; i < open; i++) {
      Stream stream = inputs[i].stream();
      if (stream.failure() != null && !stream.isDrained()) {
        throw stream.lost("sender");
      }
    }
  }

  /// From now on, a sender is lost even if it has sent nothing. Returns whether that comes too late
  /// for one.
  boolean requireSenders() {
    for (Input each : all) {
      each.stream().requireSender();
    }
    return all.stream().anyMatch(each -> each.stream().isWithoutSender());
  }

  /// Takes nothing more from feeds, but for what those still bring that have asked for their end.
  void endFeeds() {
    for (int i = 0; i < open; i++) {
      Input input = inputs[i];
      if (input.isFeed() && !input.stream().askEnd()) {
        input.stream().stop();
        state.closed(input.number());
        inputs[i] = inputs[--open];
        i--;
      }
    }
  }

  /// Takes nothing more from anywhere.
  void stop() {
    reservations = 0;
    for (Input input : all) {
      input.stream().stop();
    }
    open = 0;
  }

  /// Leaves all streams, which other threads may still use.
  void leave() {
    for (Input input : all) {
      input.stream().leaveReceiver();
    }
  }
}
