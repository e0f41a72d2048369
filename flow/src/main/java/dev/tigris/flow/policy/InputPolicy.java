package dev.tigris.flow.policy;

import java.util.List;
import java.util.random.RandomGenerator;

/// Chooses the incoming stream from which a module takes its next water. In the papers the threads
/// of modules differ by this choice and by that of the outgoing stream (Welsh, 1999, section 6.1).
///
/// A policy is a pure function, as a [Policy] is: what it returns follows from its arguments alone,
/// so an instance can be shared by any number of modules and threads. It must choose an input that
/// is ready; the engine refuses any other choice.
///
/// ```java
/// InputPolicy leftFirst = (view, random) -> {
///   for (int input = 0; input < view.inputs(); input++) {
///     if (view.isReady(input) && view.from(input).equals("left")) {
///       return input;
///     }
///   }
///   return InputPolicy.WAIT; // takes nothing from elsewhere, ever
/// };
/// ```
@FunctionalInterface
public interface InputPolicy {
  /// The choice to take nothing now, although an input is ready: the module waits until something
  /// comes in.
  int WAIT = -1;

  /// Returns the index of the input to take from, or [#WAIT]. The engine calls this only while at
  /// least one input is ready.
  int choose(ReceiverView view, RandomGenerator random);

  /// Returns the policy that takes from the ready inputs in turn. A module has this one unless its
  /// stage is given another.
  static InputPolicy roundRobin() {
    return InputsInTurn.IN_TURN;
  }

  /// Returns the policy that takes from the input that has been ready for longest, as far as the
  /// module has seen.
  static InputPolicy oldestFirst() {
    return OldestFirst.OLDEST_FIRST;
  }

  /// Returns the policy that takes from the stage or feed named first as long as that has
  /// something, then from the second, and so on. Inputs that are not named come last, and those of
  /// equal rank in turn.
  static InputPolicy byPriority(String... from) {
    return new ByPriority(List.of(from));
  }
}
