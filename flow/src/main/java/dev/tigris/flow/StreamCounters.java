package dev.tigris.flow;

/// The counts of a stream so far. They are read one after the other while the stream runs on, so
/// they need not agree exactly. Later versions may have more of them, so read them by their methods
/// and construct none yourself.
///
/// @param waters how many waters were sent
/// @param outstanding how many of them are not finished
/// @param bytes how many bytes of data they held
/// @param copies how many of them were copied, because the stream could not carry the original
/// @param discarded how many the receiver never took because it had ended: those that were on their
///     way, and those that were put afterwards and not sent
/// @param creditWaits how often a put had to wait for credit
/// @param creditWaitNanos for how long, in all
/// @param taken how many waters the receiver has taken
/// @param serviceNanos how long the receiver takes for a water of this stream, as the sender
///     estimated when it last chose the stream; 0 if it had no choice to make
public record StreamCounters(
    long waters,
    long outstanding,
    long bytes,
    long copies,
    long discarded,
    long creditWaits,
    long creditWaitNanos,
    long taken,
    long serviceNanos) {}
