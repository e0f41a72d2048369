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

  final DeviceQueue deviceQueue;
  final Endpoint endpoint;
  final ReceivingEndpoint receivingEndpoint;

  /// What events call it, or what packets for it begin with.
  final long identity;

  /// How many messages the peer may send before some are consumed.
  final int window;

  @Nullable LibfabricLink link;
  private final @Nullable SharedEndpoint sharedEndpoint;

  /// Of a share, once it has met its peer.
  private @Nullable Meeting meeting;

  private boolean settled;
  private boolean closed;

  /// The other end of a share.
  ///
  /// @param rdmHello what the peer says of it
  /// @param address what the library calls the endpoint
  /// @param line a socket that ends when the peer does
  private record Meeting(RdmHello rdmHello, long address, TcpSocket line) {}

  /// A channel of an endpoint of its own.
  Channel(DeviceQueue deviceQueue, Endpoint endpoint, int window) {
    this.deviceQueue = deviceQueue;
    this.endpoint = endpoint;
    this.receivingEndpoint = new ReceivingEndpoint(deviceQueue, endpoint, this);
    this.identity = endpoint.identity();
    this.window = window;
    this.sharedEndpoint = null;
    receivingEndpoint.grow(window + SPARE_RECEIVES);
  }

  /// A share.
  Channel(DeviceQueue deviceQueue, SharedEndpoint sharedEndpoint, long number, int window) {
    this.deviceQueue = deviceQueue;
    this.endpoint = sharedEndpoint.receivingEndpoint().endpoint;
    this.receivingEndpoint = sharedEndpoint.receivingEndpoint();
    this.identity = number;
    this.window = window;
    this.sharedEndpoint = sharedEndpoint;
    receivingEndpoint.grow(window + SPARE_RECEIVES);
  }

  /// Names the peer of a share, which closes the line from now on.
  void meet(RdmHello rdmHello, TcpSocket line) throws LibfabricException {
    long address = Objects.requireNonNull(sharedEndpoint).reach(rdmHello.name());
    meeting = new Meeting(rdmHello, address, line);
    sharedEndpoint.watch(this);
  }

  /// What the library calls the peer: connected endpoints know it themselves.
  long peer() {
    return meeting == null ? 0 : meeting.address();
  }

  /// What packets to the peer begin with.
  long peerNumber() {
    return meeting == null ? 0 : meeting.rdmHello().number();
  }

  /// What ends when the peer does; null if the endpoint says so itself.
  @Nullable TcpSocket line() {
    return meeting == null ? null : meeting.line();
  }

  /// What the endpoint of a share is called, for [RdmHello].
  ByteBuffer name() {
    return Objects.requireNonNull(sharedEndpoint).name();
  }

  boolean isShare() {
    return sharedEndpoint != null;
  }

  boolean isClosed() {
    return closed;
  }

  /// It is connected, or never will be: no event is waited for.
  void settle() {
    if (!settled) {
      settled = true;
      deviceQueue.exchange().settled();
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
    if (sharedEndpoint == null) {
      receivingEndpoint.close();
    } else {
      receivingEndpoint.shrink(window + SPARE_RECEIVES);
      if (meeting != null) {
        meeting.line().close();
        sharedEndpoint.forget(meeting.rdmHello().name());
      }
    }
    deviceQueue.closed(this);
  }
}
