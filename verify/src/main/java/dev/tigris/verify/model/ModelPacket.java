package dev.tigris.verify.model;

import java.util.List;

/// A packet of the model of sessions: the fields of the real one, and messages as objects.
///
/// @param kind what it is for
/// @param session the number of the session
/// @param epoch the number of the connection
/// @param fresh of a greeting: whether the peer has never answered
/// @param number of itself, or the missing one
/// @param acknowledged all numbers before it were taken
/// @param silent the count of requests that were over without a reply
/// @param messages in it
record ModelPacket(
    Kind kind,
    long session,
    int epoch,
    boolean fresh,
    long number,
    long acknowledged,
    long silent,
    List<Message> messages) {
  /// The kinds of packets.
  enum Kind {
    GREETING,
    WELCOME,
    UNKNOWN_SESSION,
    DATA,
    ACKNOWLEDGEMENT,
    LACK
  }

  /// A message in a packet.
  ///
  /// @param kind what it is
  /// @param request the request that it is, or that it replies to
  record Message(MessageKind kind, SessionModel.Request request) {}

  /// The kinds of messages.
  enum MessageKind {
    REQUEST,
    FRAGMENT,
    REPLY
  }
}
