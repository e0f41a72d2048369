package dev.tigris.net.provider;

import dev.tigris.net.Connection;

/// What came of an attempt to connect.
public sealed interface Linking {
  /// The peer has accepted.
  record Linked(Link link) implements Linking {}

  /// There is no link.
  record NotLinked(Connection.Refused refusal) implements Linking {}

  /// A refusal.
  static Linking refused(Connection.Reason reason, String detail) {
    return new NotLinked(new Connection.Refused(reason, detail));
  }
}
