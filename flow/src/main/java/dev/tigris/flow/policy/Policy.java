package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Chooses the stream on which a module sends next (Welsh and Culler 2000, section 2.3: the
/// scheduler of a distributed queue).
///
/// A policy is a pure function: what it returns follows from its arguments alone, so an instance
/// can be shared by any number of senders and threads. Whoever writes one must not choose a stream
/// that is closed or has no credit; the engine refuses such a choice.
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
  /// No stream is acceptable now: wait until a credit comes back.
  int WAIT = -1;

  /// No stream will be acceptable any more: the sender should end.
  int END = -2;

  /// The index of the stream to send on, or [#WAIT], or [#END]. The engine calls it only while at
  /// least one stream is open.
  int choose(SenderView view, RandomGenerator random);

  /// The streams in turn, waiting for each: a slow consumer holds all the others up. This is the
  /// papers' round-robin, here as the scheme to compare with.
  static Policy roundRobin() {
    return RoundRobin.ROUND_ROBIN;
  }

  /// Any stream that has credit, each with the same probability (River's scheme).
  static Policy random() {
    return RandomWithCredit.RANDOM;
  }

  /// Any stream, with a probability of its own credits divided by all credits (the papers'
  /// lottery).
  static Policy lottery() {
    return Lottery.LOTTERY;
  }

  /// The stream on which one more water is expected to be finished first: see
  /// [LeastOutstanding].
  static Policy leastOutstanding() {
    return LeastOutstanding.LEAST_OUTSTANDING;
  }
}
