package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Completions;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Network;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.os.OpenFile;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The channels that have connected endpoints of their own. What happens to these comes as events,
/// in one queue for all.
final class Connections implements ChannelSource {
  /// Events are looked at now and then: that connections are lost shows in the completions, too.
  private static final int POLLS_BETWEEN_EVENTS = 256;

  private final Network network;
  private final Device device;
  private final Events events;
  private final Completions completions;

  /// By the identity of the endpoint.
  private final Map<Long, Channel> channels = new HashMap<>();

  /// How many channels wait for an event.
  private int connecting;

  private int polls;

  Connections(Network network, Device device, Events events, Completions completions) {
    this.network = network;
    this.device = device;
    this.events = events;
    this.completions = completions;
  }

  @Override
  public Channel open(DeviceQueue deviceQueue, Route route, int window) throws LibfabricException {
    try (CloseOnFailure opened = new CloseOnFailure()) {
      Endpoint endpoint = opened.add(Endpoint.open(device, route, events, completions));
      Channel channel = new Channel(deviceQueue, endpoint, window); // it takes memory
      channels.put(channel.identity, channel);
      connecting++;
      opened.keep();
      return channel;
    }
  }

  @Override
  public void closed(Channel channel) {
    channels.remove(channel.identity);
  }

  @Override
  public Collection<Channel> channels() {
    return channels.values();
  }

  @Override
  public Stream<ReceivingEndpoint> receivingEndpoints() {
    return channels.values().stream().map(channel -> channel.receivingEndpoint);
  }

  @Override
  public @Nullable Channel addressee(@Nullable Channel receiver, Buffer buffer, long bytes) {
    return receiver;
  }

  @Override
  public int prefixBytes() {
    return 0;
  }

  // ---- events

  @Override
  public Events.@Nullable Event next(Channel channel) {
    for (Events.Event event = event(); event != null; event = event()) {
      if (channelOf(event) == channel) {
        return event;
      }
      handle(event);
    }
    return null;
  }

  @Override
  public void settled() {
    connecting--;
  }

  @Override
  public void progress() {
    if (connecting > 0 || ++polls >= POLLS_BETWEEN_EVENTS) {
      polls = 0;
      boolean _ = handleAll();
    }
  }

  @Override
  public void look() {
    polls = POLLS_BETWEEN_EVENTS;
  }

  @Override
  public boolean arm() {
    boolean quiet = network.mayWait(events);
    return !handleAll() && quiet;
  }

  @Override
  public List<OpenFile> files() {
    return events.file() < 0 ? List.of() : List.of(new OpenFile(events.file()));
  }

  /// Returns whether there were any.
  private boolean handleAll() {
    boolean any = false;
    for (Events.Event event = event(); event != null; event = event()) {
      any = true;
      handle(event);
    }
    return any;
  }

  private Events.@Nullable Event event() {
    try {
      return events.next();
    } catch (LibfabricException e) {
      throw Failures.of("wait for", "connections", e);
    }
  }

  private @Nullable Channel channelOf(Events.Event event) {
    return switch (event) {
      case Events.Connected(long endpoint, var _) -> channels.get(endpoint);
      case Events.Disconnected(long endpoint) -> channels.get(endpoint);
      case Events.Failed(long endpoint, int _, var _) -> channels.get(endpoint);
      case Events.Request _, Events.Other _ -> null;
    };
  }

  private void handle(Events.Event event) {
    Channel channel = channelOf(event);
    LibfabricLink link = channel == null ? null : channel.link;
    if (link == null) {
      return; // it was closed meanwhile
    }
    switch (event) {
      case Events.Connected _ -> link.connected();
      case Events.Disconnected _ -> link.peerClosed();
      case Events.Failed(long _, int reason, var _) -> link.failed(device.describe(reason));
      case Events.Request _, Events.Other _ -> {}
    }
  }

  @Override
  public void close() {
    events.close();
  }
}
