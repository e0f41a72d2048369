package dev.tigris.net.provider;

/// How far a link is with the message that is arriving.
///
/// ```text
///         a header is there            a receive is posted
///   HEADER --------------> WAITING ----------------------> FILLING ---.
///      ^                      |                                        | all of it
///      |                      '--- refused or dropped ---> SKIPPING ---|
///      '---------------------------------------------------------------'
/// ```
public enum ReceiveStage {
  /// The next message is not there, or not all of its header.
  HEADER,
  /// It stays where it is until a receive is posted: then [ReceiveQueue#arriving] is asked again.
  WAITING,
  /// It goes into the transfer at the head of the [ReceiveQueue], before [ReceiveQueue#received].
  FILLING,
  /// It is discarded, and was counted.
  SKIPPING
}
