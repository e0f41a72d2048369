package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Completions;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Network;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.linux.OpenFile;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A device that a port has opened, with one queue of completions for all its channels.
///
/// Conserved: operations made = spare + under way; those under way belong to channels, closed ones
/// among them until the queue of completions was empty once after the close.
final class Station implements Completions.Taker {
  /// How many operations are made at a time.
  private static final int OPERATIONS_AT_A_TIME = 64;

  /// A header and the ranges of a message.
  private static final int MOST_RANGES = 1 + Transfer.MAXIMUM_RANGES;

  private static final int PACKETS_AT_A_TIME = 8;
  private static final int HEADERS_AT_A_TIME = 32;

  /// Room for the completions of many channels. Providers that have more to say hold it back.
  private static final int COMPLETIONS = 8192;

  /// How many batches are taken before others get their turn.
  private static final int MOST_BATCHES = 16;

  /// What happens to connections is looked at now and then: that they are lost shows in the
  /// completions, too.
  private static final int POLLS_BETWEEN_EVENTS = 256;

  private final Arena arena = Arena.ofConfined();
  private final Network network;
  private final Device device;
  private final Events events;
  private final Completions completions;
  private final Buffers packets;
  private final Buffers headers;

  /// The library's own, which it closes.
  private final List<OpenFile> files;

  private final List<Operation> operations = new ArrayList<>();
  private final ArrayDeque<Operation> spare = new ArrayDeque<>();
  private final Map<Long, Channel> channels = new HashMap<>();
  private final List<Channel> closed = new ArrayList<>();

  /// Links that could not do all they wanted, and are to be asked again.
  private final ArrayDeque<LibfabricLink> stuck = new ArrayDeque<>();

  private final Buffer scratch;
  private final MemorySegment rangeList;
  private final MemorySegment descriptorList;
  private final boolean registersMemory;
  private final long injectBytes;
  private final long operationBytes;
  private final int ranges;
  private int connecting;
  private int polls;

  private Station(
      Network network, Device device, Events events, Completions completions, Route route) {
    this.network = network;
    this.device = device;
    this.events = events;
    this.completions = completions;
    this.files =
        Stream.of(completions.file(), events.file())
            .filter(file -> file >= 0)
            .map(OpenFile::new)
            .toList();
    this.registersMemory = route.registersLocalMemory();
    this.injectBytes = Math.min(Buffer.BYTES, route.injectBytes());
    this.operationBytes = route.operationBytes() < 0 ? Long.MAX_VALUE : route.operationBytes();
    this.ranges = (int) Math.min(MOST_RANGES, route.ranges());
    this.packets = new Buffers(arena, device, registersMemory, Buffer.BYTES, PACKETS_AT_A_TIME);
    this.headers =
        new Buffers(arena, device, registersMemory, Packets.HEADER_BYTES, HEADERS_AT_A_TIME);
    this.scratch = packets.take();
    this.rangeList = arena.allocate((long) MOST_RANGES * Endpoint.RANGE_BYTES, Long.BYTES);
    this.descriptorList = arena.allocate(ValueLayout.JAVA_LONG, MOST_RANGES);
  }

  /// What tells the stations of a port apart.
  static String nameOf(Route route) {
    return "%s %s %s".formatted(route.provider(), route.fabric(), route.domain());
  }

  static Station open(Route route) throws LibfabricException {
    try (Opened opened = new Opened()) {
      Network network = opened.add(Network.open(route));
      Events events = opened.add(Events.open(network));
      Device device = opened.add(Device.open(network, route));
      Completions completions = opened.add(Completions.open(device, COMPLETIONS));
      Station made = new Station(network, device, events, completions, route);
      opened.keep();
      return made;
    }
  }

  Device device() {
    return device;
  }

  boolean registersMemory() {
    return registersMemory;
  }

  Buffers packets() {
    return packets;
  }

  Buffers headers() {
    return headers;
  }

  /// A buffer for what the library copies at once.
  Buffer scratch() {
    return scratch;
  }

  /// The longest packet that it does so with.
  long injectBytes() {
    return injectBytes;
  }

  /// The most bytes of one operation.
  long operationBytes() {
    return operationBytes;
  }

  /// How many ranges a packet can be gathered from.
  int ranges() {
    return ranges;
  }

  /// Sets an entry of the list of ranges that is posted next.
  void range(int index, long address, long bytes, long descriptor) {
    Endpoint.range(rangeList, index, address, bytes);
    descriptorList.setAtIndex(ValueLayout.JAVA_LONG, index, descriptor);
  }

  MemorySegment rangeList() {
    return rangeList;
  }

  MemorySegment descriptorList() {
    return descriptorList;
  }

  // ---- connecting

  /// Opens a channel, with its receives posted. It is closed by whoever is not connected.
  Channel open(Route route, int window) throws LibfabricException {
    Channel channel = new Channel(this, Endpoint.open(device, route, events, completions), window);
    channels.put(channel.identity, channel);
    connecting++;
    int error = channel.post();
    if (error != 0) {
      channel.close();
      throw Failures.of("post memory for messages with", route.provider(), device, error);
    }
    return channel;
  }

  /// Takes the next event; what is about another channel is handled.
  ///
  /// @return what has happened to `channel`; null if nothing has
  Events.@Nullable Event next(Channel channel) {
    for (Events.Event event = event(); event != null; event = event()) {
      if (channelOf(event) == channel) {
        return event;
      }
      handle(event);
    }
    return null;
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
      case Events.Failed(long _, int reason, var _) ->
          link.fail("the connection is lost: " + device.describe(reason));
      case Events.Request _, Events.Other _ -> {}
    }
  }

  /// A channel needs no event any more.
  void settled() {
    connecting--;
  }

  // ---- operations

  /// An operation for something that is about to be posted.
  Operation start(Channel channel) {
    if (spare.isEmpty()) {
      for (int i = 0; i < OPERATIONS_AT_A_TIME; i++) {
        Operation made = new Operation(operations.size());
        operations.add(made);
        spare.push(made);
      }
    }
    Operation next = spare.pop();
    next.channel = channel;
    channel.operationsUnderWay++;
    return next;
  }

  /// It could not be posted.
  void abandon(int number) {
    abandon(operations.get(number));
  }

  private void abandon(Operation operation) {
    operation.channel().operationsUnderWay--;
    operation.forget();
    spare.push(operation);
  }

  void giveBack(Buffer buffer) {
    (packets.made(buffer) ? packets : headers).giveBack(buffer);
  }

  @Override
  public void completed(long context, long bytes, int failure) {
    Operation operation = operations.get((int) context);
    Channel channel = operation.channel();
    LibfabricLink link = channel.link;
    Operation.Kind kind = operation.kind;
    Buffer buffer = operation.buffer();
    Outbound outbound = operation.outbound();
    Inbound inbound = kind == Operation.Kind.READ ? operation.inbound() : null;
    abandon(operation);
    if (channel.isClosed() || link == null) {
      if (buffer != null) {
        giveBack(buffer);
      }
      return;
    }
    switch (kind) {
      case RECEIVE -> link.arrived(Objects.requireNonNull(buffer), bytes, failure);
      case SEND -> {
        giveBack(Objects.requireNonNull(buffer));
        link.sent(outbound, failure);
      }
      case ACCESS -> link.sent(outbound, failure);
      case READ -> link.read(Objects.requireNonNull(inbound), failure);
      case NONE -> throw new IllegalStateException("a completion of nothing");
    }
  }

  /// A channel was closed: what was posted to it comes back failed, or never.
  void closed(Channel channel) {
    channels.remove(channel.identity);
    if (channel.operationsUnderWay > 0) {
      closed.add(channel);
    }
  }

  private void reclaim() {
    for (Channel channel : closed) {
      for (int i = 0; channel.operationsUnderWay > 0 && i < operations.size(); i++) {
        Operation operation = operations.get(i);
        if (operation.channel == channel) {
          Buffer buffer = operation.buffer();
          abandon(operation);
          if (buffer != null) {
            giveBack(buffer);
          }
        }
      }
    }
    closed.clear();
  }

  // ---- moving

  void progress() {
    int batches = 0;
    boolean more = true;
    while (more && batches < MOST_BATCHES) {
      more = completions.take(this);
      batches++;
    }
    if (!more && !closed.isEmpty()) {
      reclaim();
    }
    if (connecting > 0 || ++polls >= POLLS_BETWEEN_EVENTS) {
      polls = 0;
      for (Events.Event event = event(); event != null; event = event()) {
        handle(event);
      }
    }
    for (int count = stuck.size(); count > 0; count--) {
      stuck.pop().asked();
    }
  }

  /// Has [#progress] ask a link again.
  void stuck(LibfabricLink link) {
    stuck.add(link);
  }

  /// What becomes readable when there is something to do.
  List<OpenFile> files() {
    return files;
  }

  /// The links that are not gone.
  List<LibfabricLink> links() {
    return channels.values().stream().map(channel -> channel.link).filter(l -> l != null).toList();
  }

  /// Closes it: its channels are closed.
  void close() {
    if (!channels.isEmpty()) {
      throw new IllegalStateException(channels.size() + " channels are open");
    }
    packets.close();
    headers.close();
    completions.close();
    device.close();
    events.close();
    network.close();
    arena.close();
  }

  void checkInvariants() {
    int underWay = operations.size() - spare.size();
    int owned =
        channels.values().stream().mapToInt(channel -> channel.operationsUnderWay).sum()
            + closed.stream().mapToInt(channel -> channel.operationsUnderWay).sum();
    if (underWay != owned) {
      throw new IllegalStateException(
          "%d operations are under way, and channels have %d".formatted(underWay, owned));
    }
  }
}
