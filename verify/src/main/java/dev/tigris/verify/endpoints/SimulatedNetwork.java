package dev.tigris.verify.endpoints;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.DataType;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.verify.model.FaultSites;
import dev.tigris.verify.model.VirtualNetwork;
import dev.tigris.verify.model.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Hosts that connect in virtual time, each with a provider of its own. Places of faults beside
/// those of [VirtualNetwork]: `network.connect` (a request to connect is lost), and `link.full` (a
/// link takes no message for a while).
final class SimulatedNetwork {
  static final long TRIP_NANOS = 50_000;

  final Turns turns;
  final VirtualTime time;
  final FaultSites sites;
  final VirtualNetwork<Parcel> network;
  private final Map<String, SimulatedListener> listeners = new HashMap<>();

  SimulatedNetwork(Turns turns, VirtualTime time, FaultSites sites) {
    this.turns = turns;
    this.time = time;
    this.sites = sites;
    this.network = new VirtualNetwork<>(time, sites, TRIP_NANOS);
  }

  /// A message on its way.
  ///
  /// @param content null for the end of the connection
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Parcel(byte @Nullable [] content, int tag, DataType type) {}

  /// One host, while it lives: another one follows it.
  final class Host implements Provider {
    final String name;
    final List<SimulatedLink> links = new ArrayList<>();
    private final List<SimulatedListener> listening = new ArrayList<>();
    boolean isDead;

    Host(String name) {
      this.name = name;
    }

    SimulatedNetwork network() {
      return SimulatedNetwork.this;
    }

    /// Ends it at once: nothing leaves it any more, and its peers find their connections broken.
    void die() {
      isDead = true;
      for (SimulatedLink link : List.copyOf(links)) {
        link.cut();
      }
      listening.forEach(listener -> listeners.remove(listener.address, listener));
    }

    @Override
    public String name() {
      return "simulated";
    }

    @Override
    public Kind kind() {
      return Kind.SOCKET;
    }

    @Override
    public Optional<String> obstacleTo(String host) {
      return Optional.of("it reaches nothing but simulated hosts");
    }

    @Override
    public Carrier open() {
      return new SimulatedCarrier(this);
    }
  }

  private final class SimulatedCarrier implements Carrier {
    private final Host host;

    SimulatedCarrier(Host host) {
      this.host = host;
    }

    @Override
    public Port port() {
      return new SimulatedPort(host, turns.mine());
    }

    @Override
    public ProviderListener listen(String address) {
      SimulatedListener made = new SimulatedListener(address);
      if (listeners.putIfAbsent(address, made) != null) {
        throw new NetException("listen at", address, "another host listens there", null);
      }
      host.listening.add(made);
      return made;
    }

    @Override
    public ConnectResult connect(
        String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
      Request request = new Request(tag, host, (SimulatedPort) port, attributes, turns.mine());
      long start = time.nowNanos();
      if (!host.isDead && !sites.strikes("network.connect")) {
        time.after(TRIP_NANOS, () -> request.arrive(listeners.get(address)));
      }
      while (request.result == null && time.nowNanos() - start < timeoutNanos && !turns.isFree()) {
        turns.await(timeoutNanos - (time.nowNanos() - start));
      }
      request.isOver = true;
      return request.result == null ? ConnectResult.timedOut() : request.connected();
    }

    @Override
    public void close() {}
  }

  /// A request to connect.
  private final class Request implements ProviderListener.IncomingRequest {
    private final long tag;
    private final Host from;
    private final SimulatedPort port;
    private final Attributes attributes;
    private final Turns.Turn asks;
    private final LinkEnd end = new LinkEnd();
    private @Nullable ConnectResult result;
    private VirtualNetwork.@Nullable Connection<Parcel> connection;
    private long peerBytes;

    /// Whether the host that asks waits no more.
    private boolean isOver;

    Request(long tag, Host from, SimulatedPort port, Attributes attributes, Turns.Turn asks) {
      this.tag = tag;
      this.from = from;
      this.port = port;
      this.attributes = attributes;
      this.asks = asks;
    }

    void arrive(@Nullable SimulatedListener listener) {
      if (listener == null) {
        answer(ConnectResult.nobodyListens("the host is not there"));
      } else {
        listener.arrived.add(this);
        if (listener.waits != null) {
          turns.wake(listener.waits);
        }
      }
    }

    private void answer(ConnectResult said) {
      time.after(
          TRIP_NANOS,
          () -> {
            if (isOver && connection != null) {
              connection.cut();
            }
            result = said;
            turns.wake(asks);
          });
    }

    /// In the thread that has asked.
    ConnectResult connected() {
      VirtualNetwork.Connection<Parcel> made = connection;
      return made == null || result == null
          ? result == null ? ConnectResult.timedOut() : result
          : new ConnectResult.Connected(
              new SimulatedLink(port, attributes, peerBytes, end, made, "an acceptor"));
    }

    @Override
    public long tag() {
      return tag;
    }

    @Override
    public String peer() {
      return from.name;
    }

    @Override
    public Link accept(Port its, Attributes others) {
      LinkEnd here = new LinkEnd();
      here.peer = end;
      end.peer = here;
      VirtualNetwork.Connection<Parcel> made = network.connect(end, here);
      connection = made;
      peerBytes = others.maximumMessageBytes();
      answer(ConnectResult.refused(Reason.INCOMPATIBLE, "never seen: it is connected"));
      return new SimulatedLink(
          (SimulatedPort) its, others, attributes.maximumMessageBytes(), here, made, from.name);
    }

    @Override
    public void reject() {
      answer(ConnectResult.rejected(tag));
    }
  }

  /// What has arrived at one end of a connection, also before its link is made.
  final class LinkEnd implements VirtualNetwork.Receiver<Parcel> {
    final ArrayDeque<Parcel> arrived = new ArrayDeque<>();
    boolean isCut;
    @Nullable SimulatedPort port;
    private @Nullable LinkEnd peer;

    /// How many messages have arrived at the other end that nothing has taken.
    int arrivedAtPeer() {
      LinkEnd other = peer;
      return other == null ? 0 : other.arrived.size();
    }

    @Override
    public void arrived(
        VirtualNetwork.Connection<Parcel> connection, Parcel parcel, boolean damaged) {
      byte[] content = parcel.content();
      if (damaged && content != null && content.length > 0) {
        byte[] other = content.clone();
        other[sites.random().nextInt(other.length)] ^= (byte) (1 << sites.random().nextInt(8));
        arrived.add(new Parcel(other, parcel.tag(), parcel.type()));
      } else {
        arrived.add(parcel);
      }
      tell();
    }

    @Override
    public void ended(VirtualNetwork.Connection<Parcel> connection) {
      isCut = true;
      tell();
    }

    private void tell() {
      SimulatedPort its = port;
      if (its != null) {
        its.wake();
      }
    }
  }

  private final class SimulatedListener implements ProviderListener {
    private final String address;
    private final ArrayDeque<Request> arrived = new ArrayDeque<>();
    private Turns.@Nullable Turn waits;

    SimulatedListener(String address) {
      this.address = address;
    }

    @Override
    public String address() {
      return address;
    }

    @Override
    public @Nullable IncomingRequest next(long timeoutNanos) {
      waits = turns.mine();
      long start = time.nowNanos();
      while (arrived.isEmpty() && time.nowNanos() - start < timeoutNanos && !turns.isFree()) {
        turns.await(timeoutNanos - (time.nowNanos() - start));
      }
      return turns.isFree() ? null : arrived.poll();
    }

    /// Only a thread that closes it calls this, and waits then for the one that is in [#next].
    @Override
    public void wake() {
      if (waits != null) {
        turns.free(waits);
      }
    }

    @Override
    public void close() {
      boolean _ = listeners.remove(address, this);
    }
  }
}
