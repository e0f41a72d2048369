package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Endpoint;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// An endpoint with what is posted to it. It is there before its link is: receives are posted
/// before it is connected.
final class Channel {
  /// How many more receives are posted than a peer may send messages: for packets that need no
  /// credit. Those are consumed as soon as they are seen, so that a few are enough.
  private static final int SPARE_RECEIVES = 3;

  final Station station;
  final Endpoint endpoint;

  /// What events call it.
  final long identity;

  private final ArrayDeque<Buffer> unposted = new ArrayDeque<>();

  /// How many messages the peer may send before some are consumed.
  final int window;

  /// Who it is connected to: connected endpoints know that themselves.
  final long peer = 0;

  @Nullable LibfabricLink link;
  int operationsUnderWay;
  private boolean settled;
  private boolean closed;

  Channel(Station station, Endpoint endpoint, int window) {
    this.station = station;
    this.endpoint = endpoint;
    this.identity = endpoint.identity();
    this.window = window;
    for (int i = 0; i < window + SPARE_RECEIVES; i++) {
      unposted.add(station.packets().take());
    }
  }

  boolean isClosed() {
    return closed;
  }

  /// Takes a buffer for the next packet, to be posted.
  void give(Buffer buffer) {
    unposted.add(buffer);
  }

  /// Posts the buffers that are not. There is room for all: the depth was looked at before it was
  /// connected.
  ///
  /// @return 0, or what is wrong
  int post() {
    for (Buffer next = unposted.peek(); next != null; next = unposted.peek()) {
      Operation operation = station.start(this).receive(next);
      long result =
          endpoint.receive(
              next.address(), next.memory().byteSize(), next.descriptor(), operation.number);
      if (result != 0) {
        station.abandon(operation.number);
        return result == Endpoint.AGAIN ? 0 : (int) -result;
      }
      unposted.poll();
    }
    return 0;
  }

  /// Whether receives are to be posted when completions were taken.
  boolean hasUnposted() {
    return !unposted.isEmpty();
  }

  /// It is connected, or never will be: no event is waited for.
  void settle() {
    if (!settled) {
      settled = true;
      station.settled();
    }
  }

  boolean isSettled() {
    return settled;
  }

  /// After this the library touches nothing that was posted.
  void close() {
    if (!closed) {
      settle();
      closed = true;
      endpoint.close();
      unposted.forEach(station.packets()::giveBack);
      unposted.clear();
      station.closed(this);
    }
  }
}
