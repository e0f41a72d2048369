package dev.tigris.net.provider;

import dev.tigris.net.Connection;
import org.jspecify.annotations.Nullable;

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

  /// The refusal of a peer that speaks another version.
  static Linking otherVersion(String address, int version) {
    return refused(
        Connection.Reason.INCOMPATIBLE,
        "%s speaks version %d of the protocol, and this side %d"
            .formatted(address, version, Hello.VERSION));
  }

  /// The refusal of a peer that has rejected the request.
  static Linking rejected(String address, long tag) {
    return refused(Connection.Reason.REJECTED, "%s rejected tag %d".formatted(address, tag));
  }

  /// What the answer to a request is, if it does not accept.
  ///
  /// @param answer null if it was garbage
  /// @param expected what should have answered, for people
  /// @return null if it accepts
  static @Nullable Linking refusal(
      String address, long tag, @Nullable Hello answer, String expected) {
    if (answer != null && answer.version() != Hello.VERSION) {
      return otherVersion(address, answer.version());
    }
    if (answer != null && answer.tag() == tag) {
      if (answer.answer() == Hello.Answer.ACCEPTED) {
        return null;
      }
      if (answer.answer() == Hello.Answer.REJECTED) {
        return rejected(address, tag);
      }
    }
    return refused(
        Connection.Reason.INCOMPATIBLE, "%s did not answer as %s".formatted(address, expected));
  }
}
