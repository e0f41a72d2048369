package dev.tigris.message.call;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;

import dev.tigris.message.Endpoint;
import dev.tigris.message.Message;
import dev.tigris.message.Reason;
import dev.tigris.message.channel.BulkTarget;
import org.jspecify.annotations.Nullable;

/// Takes the payloads of messages. A transfer arrives in a buffer of the calls; what came in a
/// packet is copied into one, as the packet is given back, and the peer may share its memory.
final class Incoming {
  private Incoming() {}

  /// A buffer that a transfer arrives in, until its handler takes it.
  private static final class Landing {
    private @Nullable CallBuffer buffer;

    Landing(CallBuffer buffer) {
      this.buffer = buffer;
    }

    @Nullable CallBuffer take() {
      CallBuffer its = buffer;
      buffer = null;
      return its;
    }
  }

  /// Has transfers to an endpoint arrive in buffers.
  static void accept(Endpoint endpoint, CallBuffers buffers, long mostBytes) {
    ENDPOINTS.targets(
        endpoint,
        bytes -> {
          if (bytes > mostBytes) {
            return BulkTarget.nowhere(Reason.TOO_LONG);
          }
          CallBuffer buffer = buffers.take(bytes);
          Landing landing = new Landing(buffer);
          return BulkTarget.bytes(buffer.bytes, 0, () -> buffers.give(landing.take()))
              .attach(landing);
        });
  }

  /// Takes the payload, which the caller holds from now on; null if there is none.
  static @Nullable CallBuffer take(Message message, CallBuffers buffers) {
    long bytes = message.payloadBytes();
    if (bytes == 0) {
      return null;
    }
    BulkTarget target = ENDPOINTS.target(message);
    if (target != null && target.attachment() instanceof Landing landing) {
      return landing.take();
    }
    CallBuffer buffer = buffers.take(bytes);
    message.copyTo(0, buffer.bytes, 0, bytes);
    return buffer;
  }
}
