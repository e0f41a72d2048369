package dev.tigris.net.provider;

import dev.tigris.net.Connection.Reason;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The result of an attempt to connect.
public sealed interface ConnectResult {
  /// The peer has accepted.
  record Connected(Link link) implements ConnectResult {}

  /// There is no link.
  ///
  /// @param detail what happened, for people who know which address it is about
  record NotConnected(Reason reason, String detail) implements ConnectResult {}

  /// A refusal.
  static ConnectResult refused(Reason reason, String detail) {
    return new NotConnected(reason, detail);
  }

  /// The refusal of the network where no listener is open.
  static ConnectResult nobodyListens(String answer) {
    return refused(Reason.NOBODY_LISTENS, "no listener can be reached there: " + answer);
  }

  /// The refusal where no answer came in time.
  static ConnectResult timedOut() {
    return refused(Reason.TIMED_OUT, "it did not answer in time");
  }

  /// The refusal of a peer that closed without an answer, such as a listener that ends. Another
  /// listener may follow.
  static ConnectResult closedWithoutAnswer() {
    return closedWithoutAnswer("something else");
  }

  /// The refusal of a peer that closed without an answer, and may not speak this side's protocol.
  ///
  /// @param other what the other side may speak, for people
  static ConnectResult closedWithoutAnswer(String other) {
    return refused(
        Reason.NOBODY_LISTENS,
        "it has closed without an answer: it is ending, or expects " + other);
  }

  /// The refusal of a peer that speaks another version.
  static ConnectResult otherVersion(int version) {
    return refused(
        Reason.INCOMPATIBLE,
        "it speaks version %d of the protocol, and this side %d".formatted(version, Hello.VERSION));
  }

  /// The refusal of a peer that has rejected the request.
  static ConnectResult rejected(long tag) {
    return refused(Reason.REJECTED, "it rejected tag %d".formatted(tag));
  }

  /// The refusal of a peer that speaks another protocol.
  ///
  /// @param expected what should have answered, for people
  static ConnectResult stranger(String expected) {
    return refused(Reason.INCOMPATIBLE, "it did not answer as " + expected);
  }

  /// The result of an answer to a request.
  ///
  /// @param answer null if it was garbage
  /// @param expected as for [#stranger]
  /// @param link makes a link, of the longest message that the peer takes
  static ConnectResult answered(
      long tag, @Nullable Hello answer, String expected, LongFunction<Link> link) {
    ConnectResult refusal = refusal(tag, answer, expected);
    return refusal != null || answer == null
        ? Objects.requireNonNull(refusal)
        : new Connected(link.apply(answer.maximumMessageBytes()));
  }

  /// The result where both sides have sent a request, each of which is the answer to the other.
  ///
  /// @param said null if it was garbage
  /// @param link as for [#answered]
  static ConnectResult met(long tag, @Nullable Hello said, LongFunction<Link> link) {
    if (said != null && !said.isOfThisVersion()) {
      return otherVersion(said.version());
    }
    return said == null || !said.isRequest() || said.tag() != tag
        ? stranger("a peer that adopts this connection with the same tag does")
        : new Connected(link.apply(said.maximumMessageBytes()));
  }

  /// The refusal of a peer that takes encrypted connections only.
  static ConnectResult expectsTls() {
    return refused(
        Reason.INCOMPATIBLE,
        "it expects TLS, and this side has none: open the fabric with Fabric.openTls");
  }

  /// The refusal in an answer to a request.
  ///
  /// @param answer null if it was garbage
  /// @param expected as for [#stranger]
  /// @return null if it accepts
  static @Nullable ConnectResult refusal(long tag, @Nullable Hello answer, String expected) {
    if (answer != null && !answer.isOfThisVersion()) {
      return otherVersion(answer.version());
    }
    if (answer != null && answer.tag() == tag) {
      if (answer.answer() == Hello.Answer.ACCEPTED) {
        return null;
      }
      if (answer.answer() == Hello.Answer.REJECTED) {
        return rejected(tag);
      }
    }
    return stranger(expected);
  }
}
