package dev.tigris.flow;

/// The counts of a stream so far. They are read one after the other while the stream runs on, so
/// they need not agree exactly. Later versions may have more of them, so read them by their methods
/// and construct none yourself.
///
/// @param waters how many waters were sent
/// @param outstanding how many of them are not finished
/// @param bytes how many bytes of data they held
/// @param copies how many of them were copied, because the stream could not carry the original
/// @param discarded how many were put and not worked on, as far as is known: the sum of `discards`
/// @param creditWaits how often a put had to wait for credit
/// @param creditWaitNanos for how long, in all
/// @param taken how many waters the receiver has taken
/// @param serviceNanos how long the receiver takes for a water of this stream, as the sender
///     estimated when it last chose the stream; 0 if it had no choice to make
/// @param discards how many were discarded for each reason
/// @param rerouted how many were put here and sent on another stream, which counts them, because
///     the receiver of this one had ended or was lost
public record StreamCounters(
    long waters,
    long outstanding,
    long bytes,
    long copies,
    long discarded,
    long creditWaits,
    long creditWaitNanos,
    long taken,
    long serviceNanos,
    Discards discards,
    long rerouted) {
  /// The counts of a stream that is not open yet.
  static final StreamCounters NONE =
      new StreamCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, new Discards(0, 0, 0), 0);

  /// Waters that were discarded, by the reason. Later versions may have more reasons.
  ///
  /// @param onTheirWay were sent, and dropped when the receiver ended
  /// @param afterTheEnd were put after the receiver had ended, and not sent
  /// @param lost were sent and not finished when the receiver was lost, which may have worked on
  ///     some of them
  public record Discards(long onTheirWay, long afterTheEnd, long lost) {}
}
