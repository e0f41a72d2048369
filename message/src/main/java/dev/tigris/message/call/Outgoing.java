package dev.tigris.message.call;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;

import dev.tigris.memory.Bytes;
import dev.tigris.message.Endpoint;
import dev.tigris.message.channel.BulkSend;
import dev.tigris.message.channel.Channel;
import dev.tigris.message.protocol.Session;
import dev.tigris.os.CheckReturnValue;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Sends the messages of calls.
///
/// Thread rule: the thread of the bundle, and not in a handler.
final class Outgoing {
  private Outgoing() {}

  static boolean isOpen(Channel channel) {
    return channel.session().state() != Session.State.ENDED;
  }

  /// Sends a message, if there is room. A long payload is sent from where it lies, and held until
  /// the peer has acknowledged it.
  ///
  /// @param payload null for none
  /// @param whenFree runs when no memory is held for it any more: at once for what was copied
  /// @return whether it was sent
  @CheckReturnValue
  static boolean send(
      Endpoint endpoint,
      Channel channel,
      int handler,
      long[] words,
      int count,
      @Nullable CallBuffer payload,
      long length,
      CallBuffers buffers,
      @Nullable Runnable whenFree) {
    if (payload == null || length <= Math.min(Frames.MOST_COPIED, channel.mostPayload(count))) {
      int bytes = payload == null ? 0 : (int) length;
      if (!channel.hasRoom(count, bytes)) {
        return false;
      }
      long at = channel.begin(handler, count, bytes);
      Bytes to = channel.requestBytes();
      for (int i = 0; i < count; i++) {
        to.setLong(at + (long) i * Long.BYTES, words[i]);
      }
      if (payload != null) {
        payload.bytes.copyTo(0, to, at + (long) count * Long.BYTES, bytes);
      }
      channel.finish(at, handler, count, bytes);
      if (whenFree != null) {
        whenFree.run();
      }
    } else {
      buffers.hold(payload);
      channel.send(
          new BulkSend(
              payload.bytes,
              0,
              length,
              false,
              handler,
              Arrays.copyOf(words, count),
              -1,
              0,
              () -> {
                buffers.give(payload);
                if (whenFree != null) {
                  whenFree.run();
                }
              }));
    }
    ENDPOINTS.touched(endpoint, channel);
    return true;
  }

  /// Sends a message of one or two words, if there is room.
  @CheckReturnValue
  static boolean send(Endpoint endpoint, Channel channel, int handler, long first, long second) {
    if (!channel.hasRoom(2, 0)) {
      return false;
    }
    long at = channel.begin(handler, 2, 0);
    channel.requestBytes().setLong(at, first);
    channel.requestBytes().setLong(at + Long.BYTES, second);
    channel.finish(at, handler, 2, 0);
    ENDPOINTS.touched(endpoint, channel);
    return true;
  }
}
