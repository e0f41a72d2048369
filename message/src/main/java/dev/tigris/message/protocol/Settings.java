package dev.tigris.message.protocol;

/// The settings of a session. Both sides have agreed on the first three.
///
/// @param numbers the width of sequence numbers
/// @param first the number of the first packet
/// @param credits how many requests, or fragments, a side may have under way
/// @param reliable whether a connection delivers every packet in order or ends: then no timer
///     resends anything
/// @param acknowledgeNanos how long an acknowledgement waits for a packet to ride on
/// @param leastResendNanos the shortest time after which an unanswered packet is sent again
/// @param mostResendNanos the longest; the time doubles with each attempt
/// @param patienceNanos how long a peer may be silent that something is expected of
public record Settings(
    Numbers numbers,
    long first,
    int credits,
    boolean reliable,
    long acknowledgeNanos,
    long leastResendNanos,
    long mostResendNanos,
    long patienceNanos) {
  /// Checks what the proofs in [Session] need.
  public Settings {
    if (credits < 1 || credits > 1 << 14) {
      throw new IllegalArgumentException("%d credits: 1 to 16384 are possible".formatted(credits));
    }
    if (numbers.bits() < Long.SIZE && 2L * mostPackets(credits) > 1L << (numbers.bits() - 1)) {
      throw new IllegalArgumentException(
          "numbers of %d bits have no order within the window of %d credits"
              .formatted(numbers.bits(), credits));
    }
    if (acknowledgeNanos < 0
        || leastResendNanos < 1
        || mostResendNanos < leastResendNanos
        || patienceNanos < 1) {
      throw new IllegalArgumentException(
          "a time is out of range: acknowledge after %d ns, resend after %d to %d, patience %d"
              .formatted(acknowledgeNanos, leastResendNanos, mostResendNanos, patienceNanos));
    }
  }

  /// Returns a copy with what both sides have agreed on.
  public Settings agreed(int other, boolean reliably) {
    return new Settings(
        numbers,
        first,
        other,
        reliably,
        acknowledgeNanos,
        leastResendNanos,
        mostResendNanos,
        patienceNanos);
  }

  /// Returns how many packets a side can have under way: a power of two.
  public int mostPackets() {
    return mostPackets(credits);
  }

  /// A packet has at least one message. So there are as many packets as credits, as many with
  /// replies, and for each of the two one that the peer is working on ([Session]).
  private static int mostPackets(int credits) {
    return Integer.highestOneBit(2 * credits + 1) << 1;
  }
}
