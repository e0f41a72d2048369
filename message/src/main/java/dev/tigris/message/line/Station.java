package dev.tigris.message.line;

import dev.tigris.message.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The endpoint behind a line: runs handlers, and hears of what cannot be delivered.
public interface Station {
  /// Says where a bulk transfer goes that begins to arrive.
  Landing landing(Line line, boolean isReply, int handler, long total, long place);

  /// Runs the handler of a request, which may [Line#reply] once.
  ///
  /// @return why the message comes back; null if it does not
  @Nullable Reason request(Line line, Arrival arrival);

  /// Runs the handler of a reply.
  ///
  /// @return why the message comes back; null if it does not
  @Nullable Reason reply(Line line, Arrival arrival);

  /// Hears of a message that comes back.
  ///
  /// @param bytes the length of its payload
  void returned(
      Line line, boolean isReply, int handler, List<Long> words, long bytes, Reason reason);

  /// Hears that a line has ended: everything has come back by now.
  void ended(Line line, String why);
}
