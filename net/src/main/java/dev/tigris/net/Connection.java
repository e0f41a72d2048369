package dev.tigris.net;

/// What became of an attempt to connect.
public sealed interface Connection {
  /// The peer has accepted.
  record Established(VirtualInterface virtualInterface) implements Connection {}

  /// There is no connection.
  ///
  /// @param reason the kind of refusal
  /// @param detail what happened, for people
  record Refused(Reason reason, String detail) implements Connection {}

  /// Why there is no connection.
  enum Reason {
    /// The application at the other side rejected the request.
    REJECTED,
    /// Nobody listens at the address.
    NOBODY_LISTENS,
    /// Nobody answered in time.
    TIMED_OUT,
    /// Whoever answered does not speak this protocol, or another version of it.
    INCOMPATIBLE,
    /// One of the sides does not trust the other's certificate, or found none ([Tls]).
    NOT_TRUSTED
  }

  /// The interface, for those who expect no refusal.
  ///
  /// @throws NetException if it was one
  default VirtualInterface get() {
    return switch (this) {
      case Established(VirtualInterface made) -> made;
      case Refused(Reason reason, String detail) ->
          throw new NetException("connect", "to the peer", reason + ", " + detail, null);
    };
  }
}
