package dev.tigris.message;

/// Runs where a message arrives, on the thread that polls the bundle.
///
/// A handler of a request may reply once, and a handler of a reply cannot. Neither can send another
/// request, poll or wait: it hands work on. A handler that throws sends its message back as
/// [Reason#HANDLER_FAILED], unless it has replied before.
@FunctionalInterface
public interface Handler {
  /// Runs. Token and message are valid until it returns.
  ///
  /// @throws Exception whatever it does: the message comes back to its sender
  void handle(Token token, Message message) throws Exception;
}
