package dev.tigris.net;

/// Where a [VirtualInterface] is.
///
/// ```text
///      connect, accept
///             |
///             v     the peer closed in order
///         CONNECTED ------------------------> ENDED ---+
///          |     |                                     | close
///    close |     | anything else ended it              v
///          |     +--------------------------> BROKEN ----> CLOSED
///          +----------------------------------------------^
/// ```
///
/// Whatever leads out of `CONNECTED` completes all posted descriptors with [Status#FLUSHED].
public enum InterfaceState {
  /// Messages can be sent and received.
  CONNECTED,
  /// The peer closed its side in order, and every message that it sent was received.
  ENDED,
  /// The peer died or closed in the middle of a message, the network failed, or the peer does not
  /// keep to the protocol: [VirtualInterface#failure] says which.
  BROKEN,
  /// This side has closed it.
  CLOSED
}
