package dev.tigris.flow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The streams that come in to one module, and the choice of the next one to take from: round-robin
/// among those that have a water.
///
/// Thread rule: the module's thread.
final class Inlet {
  /// A stream that comes in, and the name of the stage or feed that it comes from.
  record Input(Stream stream, String from) {}

  private final List<Input> all;

  /// The inputs that have not ended lie in the first `open` places.
  private final Input[] inputs;

  private int open;
  private int turn;

  Inlet(List<Input> inputs) {
    this.all = List.copyOf(inputs);
    this.inputs = inputs.toArray(Input[]::new);
    this.open = inputs.size();
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

  /// The input whose turn it is, which stays the same until [#advance]; null if none has anything.
  @Nullable Input ready() {
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

  /// The input that was ready has had its turn.
  void advance() {
    turn++;
  }

  /// Returns whether every input has ended and was taken to its end, as far as [#ready] has seen.
  boolean isDrained() {
    return open == 0;
  }

  /// Takes nothing more from anywhere.
  void stop() {
    for (Input input : all) {
      input.stream().stop();
    }
    open = 0;
  }
}
