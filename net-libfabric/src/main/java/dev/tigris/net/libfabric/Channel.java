package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.os.TcpSocket;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a link sends and receives through: an endpoint of its own that is connected, or a share in
/// one that is not. It is there before its link is: receives are posted before it is connected.
final class Channel {
  /// How many more receives are posted than a peer may send messages: for packets that need no
  /// credit. Those are consumed as soon as they are seen, so that a few are enough.
  private static final int SPARE_RECEIVES = 3;

  final DeviceQueue station;
  final Endpoint endpoint;
  final ReceivingEndpoint mailbox;

  /// What events call it, or what packets for it begin with.
  final long identity;

  /// How many messages the peer may send before some are consumed.
  final int window;

  @Nullable LibfabricLink link;
  private final @Nullable SharedEndpoint switchboard;

  /// Of a share, once it has met its peer.
  private @Nullable Meeting meeting;

  private boolean settled;
  private boolean closed;

  /// The other end of a share.
  ///
  /// @param card what the peer says of it
  /// @param address what the library calls the endpoint
  /// @param line a socket that ends when the peer does
  private record Meeting(RdmHello card, long address, TcpSocket line) {}

  /// A channel of an endpoint of its own.
  Channel(DeviceQueue station, Endpoint endpoint, int window) {
    this.station = station;
    this.endpoint = endpoint;
    this.mailbox = new ReceivingEndpoint(station, endpoint, this);
    this.identity = endpoint.identity();
    this.window = window;
    this.switchboard = null;
    mailbox.grow(window + SPARE_RECEIVES);
  }

  /// A share.
  Channel(DeviceQueue station, SharedEndpoint switchboard, long number, int window) {
    this.station = station;
    this.endpoint = switchboard.mailbox().endpoint;
    this.mailbox = switchboard.mailbox();
    this.identity = number;
    this.window = window;
    this.switchboard = switchboard;
    mailbox.grow(window + SPARE_RECEIVES);
  }

  /// Names the peer of a share, which closes the line from now on.
  void meet(RdmHello card, TcpSocket line) throws LibfabricException {
    long address = Objects.requireNonNull(switchboard).reach(card.name());
    meeting = new Meeting(card, address, line);
    switchboard.watch(this);
  }

  /// What the library calls the peer: connected endpoints know it themselves.
  long peer() {
    return meeting == null ? 0 : meeting.address();
  }

  /// What packets to the peer begin with.
  long peerNumber() {
    return meeting == null ? 0 : meeting.card().number();
  }

  /// What ends when the peer does; null if the endpoint says so itself.
  @Nullable TcpSocket line() {
    return meeting == null ? null : meeting.line();
  }

  /// What the endpoint of a share is called, for [RdmHello].
  ByteBuffer name() {
    return Objects.requireNonNull(switchboard).name();
  }

  boolean isShare() {
    return switchboard != null;
  }

  boolean isClosed() {
    return closed;
  }

  /// It is connected, or never will be: no event is waited for.
  void settle() {
    if (!settled) {
      settled = true;
      station.exchange().settled();
    }
  }

  boolean isSettled() {
    return settled;
  }

  /// After this the library touches nothing of the application's, and hands over nothing.
  void close() {
    if (closed) {
      return;
    }
    settle();
    closed = true;
    if (switchboard == null) {
      mailbox.close();
    } else {
      mailbox.shrink(window + SPARE_RECEIVES);
      if (meeting != null) {
        meeting.line().close();
        switchboard.forget(meeting.card().name());
      }
    }
    station.closed(this);
  }
}
