package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.NetException;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Library;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.socket.AddressesInTurn;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/// Connections over endpoints that know none: shares in the endpoint of a port, which a [RdmHello]
/// each has brought together over a socket. That stays open, because its end is how one side learns
/// that the other is gone.
final class RdmCarrier implements Carrier {
  /// Any would do that is not 0.
  private static final int DISCARD_PORT = 9;

  private final Library library;

  /// By address of this host: to ask the library takes milliseconds.
  private final Map<String, Route> routes = new ConcurrentHashMap<>();

  RdmCarrier(Library library) {
    this.library = library;
  }

  @Override
  public Port port() {
    return new LibfabricPort();
  }

  @Override
  public ProviderListener listen(String address) {
    return new RdmListener(this, address);
  }

  /// What an endpoint at an address of this host is made of.
  private Route route(InetAddress here) {
    String host = TcpAddress.format(new InetSocketAddress(here, 0));
    return routes.computeIfAbsent(host, address -> Addresses.unconnected(library, address));
  }

  /// The address of this host that sockets to another one have. Nothing is sent to it.
  ///
  /// @throws ConnectException if there is no way to it
  private static InetAddress here(InetSocketAddress remote) throws IOException {
    try (DatagramChannel towards = DatagramChannel.open()) {
      try {
        towards.connect(new InetSocketAddress(remote.getAddress(), DISCARD_PORT));
      } catch (SocketException noWay) {
        throw (ConnectException) new ConnectException(noWay.getMessage()).initCause(noWay);
      }
      return ((InetSocketAddress) towards.getLocalAddress()).getAddress();
    }
  }

  @Override
  public ConnectResult connect(
      String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
    return AddressesInTurn.connect(
        address,
        timeoutNanos,
        (remote, reachNanos, nanos) ->
            connect(
                remote,
                address,
                tag,
                (LibfabricPort) port,
                attributes,
                reachNanos,
                Deadline.in(nanos)));
  }

  private ConnectResult connect(
      InetSocketAddress remote,
      String address,
      long tag,
      LibfabricPort ours,
      Attributes attributes,
      long reachNanos,
      Deadline deadline) {
    TcpSocket socket = null;
    Channel channel = null;
    boolean kept = false;
    try {
      // The first endpoint of a process may take the library seconds, and a listener forgets who
      // connects and says nothing: so the socket comes last.
      Route route = route(here(remote));
      Greeting greeting = Greeting.of(Hello.request(tag, attributes), attributes.receiveDepth());
      channel = ours.deviceQueue(route).open(route, greeting.window());
      RdmHello mine = rdmHello(greeting, route, channel);
      socket = TcpSocket.connect(remote, Math.min(reachNanos, deadline.leftNanos()));
      socket.send(mine.toBytes());
      byte[] answer = socket.receiveAll(RdmHello.BYTES, deadline.leftNanos());
      if (answer == null) {
        return ConnectResult.closedWithoutAnswer();
      }
      RdmHello theirs = answer.length < RdmHello.BYTES ? null : RdmHello.from(answer);
      String expected = "a Tigris listener over libfabric's datagrams does";
      ConnectResult refusal =
          ConnectResult.refusal(tag, theirs == null ? null : theirs.greeting().hello(), expected);
      if (refusal != null) {
        return refusal;
      }
      if (!Objects.requireNonNull(theirs).isReachableBy(mine)) {
        return ConnectResult.refused(
            Reason.INCOMPATIBLE,
            "it uses %s of libfabric, and this side %s"
                .formatted(theirs.provider(), mine.provider()));
      }
      LibfabricLink link = link(channel, socket, address, attributes, mine, theirs, true);
      kept = ours.greet(link, deadline.leftNanos());
      return kept ? new ConnectResult.Connected(link) : silent(link);
    } catch (LibfabricException e) {
      throw Failures.of("connect to", address, e);
    } catch (SystemException e) {
      return TcpAddress.unreachable(address, e);
    } catch (ConnectException e) {
      return ConnectResult.nobodyListens(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw Failures.of("connect to", address, e);
    } finally {
      if (!kept && channel != null) {
        channel.close();
      }
      if (!kept && socket != null) {
        socket.close();
      }
    }
  }

  private static ConnectResult silent(LibfabricLink link) {
    NetException failure = link.failure();
    link.release();
    if (failure == null) {
      return ConnectResult.refused(
          Reason.TIMED_OUT,
          "it has accepted, and its endpoint of libfabric does not answer in time");
    }
    if (failure.getCause() instanceof BreachException) {
      return ConnectResult.refused(Reason.INCOMPATIBLE, "it has accepted, but " + failure.what());
    }
    return ConnectResult.refused(
        Reason.NOBODY_LISTENS,
        "it has accepted, and is gone before the connection was made: " + failure.what());
  }

  private static RdmHello rdmHello(Greeting greeting, Route route, Channel channel)
      throws LibfabricException {
    RdmHello rdmHello = new RdmHello(greeting, channel.identity, route.provider(), channel.name());
    if (!rdmHello.fits()) {
      throw new LibfabricException("the name of an endpoint is longer than a hello has room for");
    }
    return rdmHello;
  }

  private static LibfabricLink link(
      Channel channel,
      TcpSocket socket,
      String peer,
      Attributes attributes,
      RdmHello mine,
      RdmHello theirs,
      boolean speaksFirst)
      throws LibfabricException {
    channel.meet(theirs, socket);
    LibfabricLink link =
        new LibfabricLink(
            channel, peer, attributes, mine.greeting(), theirs.greeting(), speaksFirst);
    link.connected();
    return link;
  }

  /// Accepts what a peer has asked for in its hello.
  Link accept(
      TcpSocket socket, RdmHello theirs, String peer, LibfabricPort port, Attributes attributes) {
    Channel channel = null;
    boolean kept = false;
    try {
      Route route = route(socket.localAddress().getAddress());
      Hello answer =
          theirs
              .greeting()
              .hello()
              .answered(Hello.Answer.ACCEPTED, attributes.maximumMessageBytes());
      Greeting greeting = Greeting.of(answer, attributes.receiveDepth());
      channel = port.deviceQueue(route).open(route, greeting.window());
      RdmHello mine = rdmHello(greeting, route, channel);
      if (!theirs.isReachableBy(mine)) {
        boolean _ = RdmListener.answer(socket, mine); // so that the peer can say why, too
        socket.close();
        kept = true;
        LibfabricLink link =
            new LibfabricLink(channel, peer, attributes, greeting, theirs.greeting(), false);
        link.fail(
            "it uses %s of libfabric, and this side %s"
                .formatted(theirs.provider(), mine.provider()));
        return link;
      }
      LibfabricLink link = link(channel, socket, peer, attributes, mine, theirs, false);
      kept = true;
      if (!RdmListener.answer(socket, mine)) {
        link.fail("the peer has given up connecting");
      } else {
        port.expect(link);
      }
      return link;
    } catch (LibfabricException | SystemException e) {
      throw Failures.of("accept", peer, e);
    } finally {
      if (!kept && channel != null) {
        channel.close();
      }
    }
  }

  @Override
  public void close() {
    routes.values().forEach(Route::close);
    routes.clear();
  }
}
