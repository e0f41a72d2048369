package dev.tigris.net;

/// The result of an attempt to connect.
public sealed interface Connection {
  /// The peer has accepted.
  record Established(VirtualInterface virtualInterface) implements Connection {}

  /// The attempt was refused.
  ///
  /// @param reason the kind of refusal
  /// @param address that was asked for
  /// @param detail what happened there, for people
  record Refused(Reason reason, String address, String detail) implements Connection {}

  /// Why there is no connection.
  enum Reason {
    /// The application at the other side rejected the request.
    REJECTED("check the tag, by which it decides"),
    /// No listener is at the address, or the listener has closed the connection without an answer.
    NOBODY_LISTENS("check the address, and that a listener is there"),
    /// The peer has not answered in time.
    TIMED_OUT("check the address, or wait for longer"),
    /// The peer does not speak this protocol, or speaks another version of it.
    INCOMPATIBLE("check the address, and that both sides use the same provider"),
    /// One of the sides does not trust the other's certificate, or found none ([Tls]).
    NOT_TRUSTED("check the certificates of both sides, and whom each of them trusts");

    private final String advice;

    Reason(String advice) {
      this.advice = advice;
    }
  }

  /// Returns the interface, where no refusal is expected.
  ///
  /// @throws NetException if it was one, with what to do about it
  default VirtualInterface get() {
    return switch (this) {
      case Established(VirtualInterface made) -> made;
      case Refused(Reason reason, String address, String detail) ->
          throw new NetException(
              "connect to", address, "%s, %s; %s".formatted(reason, detail, reason.advice), null);
    };
  }
}
