package dev.tigris.message;

import java.util.List;

/// Hears of the messages of an endpoint that cannot be delivered, and of peers that are lost. It is
/// called by the calls that poll the bundle, and may send messages.
@FunctionalInterface
public interface ErrorHandler {
  /// Hears of a message that comes back. Each comes back once, as long as this process lives.
  void undelivered(Returned returned);

  /// Hears that a peer is lost, after all messages to it that were not acknowledged have come back.
  /// Replies that it owes will not come.
  ///
  /// @param entry of the table of peers; -1 if the peer had mapped this endpoint
  /// @param why for people
  default void lost(int entry, String why) {}

  /// A message that comes back.
  ///
  /// @param entry of the table of peers that it was sent to; -1 for a reply, and a peer that had
  ///     mapped this endpoint
  /// @param isReply whether it was a reply
  /// @param handler that it was for
  /// @param words of the message
  /// @param payloadBytes the length of its payload, which does not come back
  /// @param reason why it comes back
  record Returned(
      int entry, boolean isReply, int handler, List<Long> words, long payloadBytes, Reason reason) {
    /// A message with its own list.
    public Returned {
      words = List.copyOf(words);
    }
  }
}
