package dev.tigris.cluster.run;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.ErrorHandler;
import dev.tigris.message.MessageException;
import dev.tigris.message.Options;
import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Carries the messages of a run between its coordinator and its workers. A message may get lost,
/// when its receiver is: the protocol of the run repeats what matters.
///
/// Thread rule: the thread that made it, except for [#wake].
final class ControlLink implements AutoCloseable {
  static final String COORDINATOR = "coordinator";

  private static final int HANDLER = 1;
  private static final int PAYLOAD_BYTES = 8 << 10;
  private static final long MOST_BYTES = 64L << 20;
  private static final long[] NO_WORDS = {};

  private final Fabric fabric;
  private final Bundle bundle;
  private final Endpoint endpoint;
  private final Jbuf packet = Jbuf.allocate(PAYLOAD_BYTES, "run");
  private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();

  /// Makes a link for the calling thread.
  ///
  /// @param fabric carries the messages, and is closed with the link
  /// @param name of this end
  /// @param tag which the other end has to know
  /// @param patience how long a silent peer is kept
  ControlLink(Fabric fabric, String name, long tag, Duration patience) {
    this.fabric = fabric;
    Bytes _ = packet.asBytes(); // from here on it has views
    Options options =
        Options.DEFAULT
            .withCredits(16)
            .withReceives(8)
            .withReplyBytes(256)
            .withPayloadBytes(PAYLOAD_BYTES)
            .withBulkBytes(MOST_BYTES)
            .withPatience(patience);
    bundle = Bundle.open(options, List.of(fabric));
    endpoint = bundle.endpoint(name, tag);
    endpoint.handler(HANDLER, (token, message) -> arrived.add(message.array()));
    endpoint.errorHandler(
        new ErrorHandler() {
          @Override
          public void undelivered(Returned returned) {
            // its receiver is lost, which the protocol notices by itself
          }
        });
  }

  /// Listens, and returns the address as others reach it.
  String listen(Network network) {
    return network.told(bundle.listen(fabric.provider(), network.anywhere(fabric)));
  }

  /// Connects to another link; returns why not, if that is not possible.
  @Nullable String map(int entry, String address, String peer, long tag, Duration timeout) {
    try {
      endpoint.map(entry, fabric.provider(), address, peer, tag, timeout);
      return null;
    } catch (MessageException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /// Gives up what belongs to a connection, unless its other end was lost before.
  void unmap(int entry) {
    if (endpoint.isMapped(entry)) {
      endpoint.unmap(entry);
    }
  }

  boolean isMapped(int entry) {
    return endpoint.isMapped(entry);
  }

  /// Sends a message, unless its receiver is lost or has not taken those before; returns whether.
  boolean send(int entry, byte[] message) {
    if (!endpoint.isMapped(entry) || !endpoint.hasCredit(entry, PAYLOAD_BYTES / 2)) {
      return false;
    }
    if (message.length <= PAYLOAD_BYTES / 2) {
      Bytes bytes = packet.asBytes();
      bytes.copyFrom(0, message, 0, message.length);
      endpoint.request(entry, HANDLER, NO_WORDS, bytes, 0, message.length);
    } else {
      Jbuf jbuf = Jbuf.allocate(message.length, "run");
      Bytes bytes = jbuf.asBytes();
      bytes.copyFrom(0, message, 0, message.length);
      endpoint.bulk(
          entry, HANDLER, NO_WORDS, bytes, 0, message.length, () -> jbuf.unreference(Jbuf::free));
    }
    return true;
  }

  /// Waits for messages, or until it is woken.
  void await(Duration timeout) {
    if (arrived.isEmpty()) {
      boolean _ = bundle.await(timeout);
    } else {
      int _ = bundle.poll();
    }
  }

  /// Returns the next message, or null.
  byte @Nullable [] next() {
    return arrived.poll();
  }

  /// Sends what waits to be sent, for so long at most, before the link is closed.
  void drain(Duration timeout) {
    boolean _ = endpoint.drain(timeout);
  }

  /// Ends a wait. Any thread.
  void wake() {
    bundle.wake();
  }

  @Override
  public void close() {
    bundle.close();
    fabric.close();
    packet.unreference(Jbuf::free);
  }

  @Override
  public String toString() {
    return "ControlLink[%s]".formatted(Objects.requireNonNull(endpoint.name()));
  }
}
