package dev.tigris.net.testing;

import java.time.Duration;

/// The faults of a connection, of which a message has one at most.
/// The same seed, tag of the connection, number of earlier connections with that tag and messages
/// give the same faults.
///
/// All but the seed and the time are probabilities, from 0 to 1, that add up to 1 at most.
///
/// @param seed of the random numbers
/// @param loss that a message never arrives
/// @param duplication that it arrives twice
/// @param corruption that one of its bits is another
/// @param reordering that up to eight messages behind it overtake it, if they are sent within a
///     millisecond
/// @param delay that it arrives later, by a random part of `longestDelay`; others overtake it
/// @param longestDelay how much later
/// @param cut that the connection breaks in place of sending it
public record Faults(
    long seed,
    double loss,
    double duplication,
    double corruption,
    double reordering,
    double delay,
    Duration longestDelay,
    double cut) {
  /// The longest delay that a deadline can hold.
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  /// No faults, and the seed 1.
  public static final Faults NONE = new Faults(1, 0, 0, 0, 0, 0, Duration.ofMillis(1), 0);

  /// @throws IllegalArgumentException if a probability is out of range
  public Faults {
    double sum = 0;
    for (double each : new double[] {loss, duplication, corruption, reordering, delay, cut}) {
      if (!(each >= 0)) {
        throw new IllegalArgumentException(each + " is no probability: it must be 0 to 1");
      }
      sum += each;
    }
    if (sum > 1) {
      throw new IllegalArgumentException("the probabilities add up to " + sum + ", above 1");
    }
    if (longestDelay.isNegative()) {
      throw new IllegalArgumentException(longestDelay + " is negative");
    }
    if (longestDelay.compareTo(LONGEST) > 0) {
      longestDelay = LONGEST;
    }
  }

  /// Returns a copy with another seed.
  public Faults withSeed(long other) {
    return new Faults(other, loss, duplication, corruption, reordering, delay, longestDelay, cut);
  }

  /// Returns a copy with this probability of a loss.
  public Faults withLoss(double probability) {
    return new Faults(
        seed, probability, duplication, corruption, reordering, delay, longestDelay, cut);
  }

  /// Returns a copy with this probability of a duplicate.
  public Faults withDuplication(double probability) {
    return new Faults(seed, loss, probability, corruption, reordering, delay, longestDelay, cut);
  }

  /// Returns a copy with this probability of a wrong bit.
  public Faults withCorruption(double probability) {
    return new Faults(seed, loss, duplication, probability, reordering, delay, longestDelay, cut);
  }

  /// Returns a copy with this probability of being overtaken.
  public Faults withReordering(double probability) {
    return new Faults(seed, loss, duplication, corruption, probability, delay, longestDelay, cut);
  }

  /// Returns a copy with this probability of a delay of up to this long.
  public Faults withDelay(double probability, Duration longest) {
    return new Faults(seed, loss, duplication, corruption, reordering, probability, longest, cut);
  }

  /// Returns a copy with this probability of a cut at each message.
  public Faults withCut(double probability) {
    return new Faults(
        seed, loss, duplication, corruption, reordering, delay, longestDelay, probability);
  }
}
