package dev.tigris.bench.fork;

/// A subject and its peer doing the same work.
///
/// @param figure what it measures
/// @param peer the peer's name
/// @param operations how many operations one count of a trial is, such as the elements of an array
/// @param fixedCount the count of every sample, or 0 to choose one that fills the sample's time
/// @param subject ours
/// @param rival the peer's
public record Contest(
    String figure, String peer, int operations, int fixedCount, Trial subject, Trial rival) {

  /// A contest whose samples fill the time given for them.
  public static Contest timed(
      String figure, String peer, int operations, Trial subject, Trial rival) {
    return new Contest(figure, peer, operations, 0, subject, rival);
  }

  /// A contest whose samples all do `count` operations.
  public static Contest counted(String figure, String peer, int count, Trial subject, Trial rival) {
    return new Contest(figure, peer, 1, count, subject, rival);
  }
}
