package dev.tigris.net;

import org.jspecify.annotations.Nullable;

/// The network, the peer or the operating system failed. The message names the operation, the peer
/// and what happened.
public final class NetException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String operation;
  private final String peer;
  private final String what;

  /// @param operation what was tried, as in "connect to"
  /// @param peer with whom, or at which address
  /// @param what what happened, and what can be done about it
  /// @param cause null if there is no other exception behind it
  public NetException(String operation, String peer, String what, @Nullable Throwable cause) {
    super("%s %s: %s".formatted(operation, peer, what), cause);
    this.operation = operation;
    this.peer = peer;
    this.what = what;
  }

  /// The operation that failed.
  public String operation() {
    return operation;
  }

  /// The peer or the address.
  public String peer() {
    return peer;
  }

  /// The reason: the message without operation and peer, for a message that names these itself.
  public String what() {
    return what;
  }
}
