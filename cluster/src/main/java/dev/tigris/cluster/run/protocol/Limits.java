package dev.tigris.cluster.run.protocol;

/// The numbers of a run that its coordinator and its workers share.
///
/// A worker's lease is as long as the hang limit: it ends that long after the worker has sent the
/// last report that was answered. Clocks of two hosts may run apart by a hundredth.
///
/// ```
///   worker       report                           lease ends  stops     modules have ended
///                  |----------------- hang ----------->|- beat ->|--- fence --->|
///   coordinator      heard                                                         fenced
///                      |------------ hang + beat + fence, and a hundredth of it ----->|
/// ```
///
/// @param workers how many workers an attempt has
/// @param attempts how often the run is tried at most
/// @param beatNanos how often a worker reports
/// @param hangNanos for how long a worker may be silent
/// @param fenceNanos how long a worker takes at most to end its modules, or else its process
/// @param joinNanos how long a worker may take to report for the first time
public record Limits(
    int workers, int attempts, long beatNanos, long hangNanos, long fenceNanos, long joinNanos) {
  /// A clock may gain or lose one part in so many.
  private static final int DRIFT_PART = 100;

  /// Checks the numbers.
  public Limits {
    if (workers < 1 || attempts < 1) {
      throw new IllegalArgumentException(
          "%d workers, %d attempts: a run needs one of each at least".formatted(workers, attempts));
    }
    if (beatNanos < 1 || hangNanos < 2 * beatNanos || fenceNanos < 0 || joinNanos < 1) {
      throw new IllegalArgumentException(
          "reports each %d ns, hang limit %d ns, fence %d ns, join %d ns: the hang limit has to be two beats at least, and a time cannot be negative"
              .formatted(beatNanos, hangNanos, fenceNanos, joinNanos));
    }
  }

  /// Returns how long after its last report a worker runs no module any more, by the coordinator's
  /// clock. A worker looks at its clock each beat.
  public long fencedAfterNanos() {
    long own = hangNanos + beatNanos + fenceNanos;
    return own + own / DRIFT_PART;
  }
}
