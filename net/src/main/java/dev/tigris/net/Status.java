package dev.tigris.net;

/// Where a [Descriptor] is.
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
  /// The message was sent: its memory can be used again, and it will arrive unless the interface
  /// breaks. Or: a message has arrived.
  DONE,
  /// A message arrived that is longer than the posted memory. It is lost, and what the memory
  /// holds is undefined.
  TOO_LONG,
  /// A message arrived that is of another type than the posted memory, and types are checked. It
  /// is lost, and what the memory holds is undefined.
  OTHER_TYPE,
  /// The connection ended first. A receive was not filled, though its memory may have been written
  /// to; how much of a send has arrived is not known.
  FLUSHED
}
