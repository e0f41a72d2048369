package dev.tigris.net;

/// The state of a [Descriptor].
///
/// ```text
///              post                       the completion queue returns it
///   IDLE -----------------> POSTED ---------------------------------------+
///                             ^                                           |
///                             |      DONE  TOO_LONG  OTHER_TYPE  FLUSHED <+
///                             +--post-----'--------'-----------'
/// ```
///
/// A posted descriptor, and the memory that it names, belong to the interface. In every other
/// state they belong to the application.
public enum Status {
  /// Never posted.
  IDLE,
  /// Posted, and not yet returned by the completion queue.
  POSTED,
  /// The message of a send has left its memory, which can be used again: the message arrives unless
  /// the interface breaks. Or a message has arrived in the memory of a receive.
  DONE,
  /// A message arrived that is longer than the posted memory. It is lost, and what the memory
  /// holds is undefined.
  TOO_LONG,
  /// A message arrived that is of another type than the posted memory, and types are checked. It
  /// is lost, and what the memory holds is undefined.
  OTHER_TYPE,
  /// The connection ended first. A receive was not filled, although some of its memory may have
  /// changed. How much of a send has arrived is unknown.
  FLUSHED
}
