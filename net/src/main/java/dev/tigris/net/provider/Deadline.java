package dev.tigris.net.provider;

/// When something must be over. For what happens once: a connection is made, and not a message
/// moved.
///
/// @param startNanos by the clock of `System.nanoTime`
/// @param nanos how long after that
public record Deadline(long startNanos, long nanos) {
  /// Returns a deadline this far from now.
  public static Deadline in(long nanos) {
    return new Deadline(System.nanoTime(), nanos);
  }

  /// The time that is left; 0 or less when it is over.
  public long leftNanos() {
    return nanos - (System.nanoTime() - startNanos);
  }
}
