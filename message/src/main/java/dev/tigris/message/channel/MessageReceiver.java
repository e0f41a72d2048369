package dev.tigris.message.channel;

import dev.tigris.message.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The endpoint behind a channel: runs handlers, and hears of what cannot be delivered.
public interface MessageReceiver {
  /// Says where a bulk transfer goes that begins to arrive.
  BulkTarget target(Channel channel, boolean isReply, int handler, long total, long place);

  /// Runs the handler of a request, which may [Channel#reply] once.
  ///
  /// @return why the message comes back; null if it does not
  @Nullable Reason request(Channel channel, IncomingMessage incoming);

  /// Runs the handler of a reply.
  ///
  /// @return why the message comes back; null if it does not
  @Nullable Reason reply(Channel channel, IncomingMessage incoming);

  /// Hears of a message that comes back.
  ///
  /// @param bytes the length of its payload
  void returned(
      Channel channel, boolean isReply, int handler, List<Long> words, long bytes, Reason reason);

  /// Hears that a channel has ended: everything has come back by now.
  void ended(Channel channel, String why);
}
