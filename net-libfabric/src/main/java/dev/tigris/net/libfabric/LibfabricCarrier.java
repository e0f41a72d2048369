package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.socket.AddressesInTurn;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.SystemException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Connects and listens. It holds nothing: ports, links and doors are their owners'.
final class LibfabricCarrier implements Carrier {
  /// The errors that say that no listener is there.
  private static final Set<Integer> NOBODY =
      Set.of(
          SystemException.NETWORK_UNREACHABLE,
          SystemException.CONNECTION_REFUSED,
          SystemException.HOST_DOWN,
          SystemException.HOST_UNREACHABLE);

  /// What should have answered.
  private static final String EXPECTED = "a Tigris listener over libfabric does";

  private final Library library;

  LibfabricCarrier(Library library) {
    this.library = library;
  }

  @Override
  public Port port() {
    return new LibfabricPort();
  }

  @Override
  public ProviderListener listen(String address) {
    return new LibfabricListener(library, address);
  }

  @Override
  public ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    return AddressesInTurn.connect(
        address,
        timeoutNanos,
        // The library tells of an address only when its listener has answered.
        (remote, nanos, _) ->
            connect(remote, address, tag, (LibfabricPort) port, attributes, nanos));
  }

  private ConnectResult connect(
      InetSocketAddress remote,
      String address,
      long tag,
      LibfabricPort ours,
      Attributes attributes,
      long timeoutNanos) {
    try (Route route = Addresses.route(library, TcpAddress.format(remote), false)) {
      Greeting mine = Greeting.of(Hello.request(tag, attributes), attributes.receiveDepth());
      Channel channel = ours.deviceQueue(route).open(route, mine.window());
      boolean kept = false;
      try {
        channel.endpoint.connect(route, mine.toBytes());
        ConnectResult linking =
            switch (ours.await(channel, timeoutNanos)) {
              case Events.Connected(long _, ByteBuffer data) ->
                  connected(channel, address, tag, attributes, mine, Greeting.from(data));
              case Events.Failed(long _, int reason, ByteBuffer data) ->
                  refused(tag, reason, Greeting.from(data));
              case Events.Disconnected _ -> ConnectResult.closedWithoutAnswer();
              case null -> ConnectResult.timedOut();
              default -> ConnectResult.stranger(EXPECTED);
            };
        kept = linking instanceof ConnectResult.Connected;
        return linking;
      } catch (LibfabricException e) {
        if (NOBODY.contains(e.error())) {
          return ConnectResult.nobodyListens(String.valueOf(e.getMessage()));
        }
        throw e;
      } finally {
        if (!kept) {
          channel.close();
        }
      }
    } catch (LibfabricException e) {
      throw Failures.of("connect to", address, e);
    }
  }

  private static ConnectResult connected(
      Channel channel,
      String address,
      long tag,
      Attributes attributes,
      Greeting mine,
      @Nullable Greeting theirs) {
    ConnectResult refusal =
        ConnectResult.refusal(tag, theirs == null ? null : theirs.hello(), EXPECTED);
    if (refusal != null) {
      return refusal;
    }
    LibfabricLink link =
        new ConnectedLink(channel, address, attributes, mine, Objects.requireNonNull(theirs));
    link.connected();
    return new ConnectResult.Connected(link);
  }

  private ConnectResult refused(long tag, int reason, @Nullable Greeting theirs) {
    if (theirs != null && !theirs.hello().isOfThisVersion()) {
      return ConnectResult.otherVersion(theirs.hello().version());
    }
    if (theirs != null && theirs.hello().answer() == Hello.Answer.REJECTED) {
      return ConnectResult.rejected(tag);
    }
    if (reason == SystemException.TIMED_OUT) {
      return ConnectResult.timedOut();
    }
    if (NOBODY.contains(reason)) {
      return ConnectResult.nobodyListens(library.describe(reason));
    }
    if (theirs != null) {
      return ConnectResult.stranger(EXPECTED);
    }
    // Of who leaves and of who speaks another protocol libfabric 1.17 says the same: the last error
    // that its thread has met, whatever that was.
    return ConnectResult.refused(
        Connection.Reason.NOBODY_LISTENS,
        "it gives no answer that libfabric understands: it is ending, or is something else");
  }

  @Override
  public void close() {}
}
