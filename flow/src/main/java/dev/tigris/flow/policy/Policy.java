package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Chooses the stream on which a module sends next (the scheduler of a distributed queue in Welsh
/// and Culler, 2000, section 2.3).
///
/// A policy is a pure function: what it returns follows from its arguments alone, so an instance
/// can be shared by any number of senders and threads. A policy must not choose a stream that is
/// closed or has no credit; the engine refuses such a choice.
///
/// ```java
/// Policy first = (view, random) -> {
///   for (int stream = 0; stream < view.streams(); stream++) {
///     if (view.credits(stream) > 0) {
///       return stream;
///     }
///   }
///   return Policy.WAIT;
/// };
/// ```
@FunctionalInterface
public interface Policy {
  /// The choice to wait until a credit comes back: no stream is acceptable now.
  int WAIT = -1;

  /// The choice to end the sender: no stream will be acceptable any more.
  int END = -2;

  /// Returns the index of the stream to send on, or [#WAIT], or [#END]. The engine calls this only
  /// while at least one stream is open.
  int choose(SenderView view, RandomGenerator random);

  /// Returns the policy that takes the streams in turn and waits for each, so a slow receiver holds
  /// all the others up. This is the papers' round-robin, provided for comparison.
  static Policy roundRobin() {
    return RoundRobin.ROUND_ROBIN;
  }

  /// Returns the policy that takes a stream at random among those with credit (River's scheme).
  static Policy random() {
    return RandomWithCredit.RANDOM;
  }

  /// Returns the policy that takes a stream at random, with a probability of its own credits
  /// divided by all credits (the papers' lottery).
  static Policy lottery() {
    return Lottery.LOTTERY;
  }

  /// Returns the policy that takes the stream on which one more water is expected to be finished
  /// first, given what is outstanding on each stream and how fast its receiver has been.
  static Policy leastOutstanding() {
    return LeastOutstanding.LEAST_OUTSTANDING;
  }
}
