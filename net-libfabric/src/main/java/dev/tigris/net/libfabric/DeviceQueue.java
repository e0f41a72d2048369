package dev.tigris.net.libfabric;

import dev.tigris.net.InterfaceState;
import dev.tigris.net.libfabric.raw.AddressVector;
import dev.tigris.net.libfabric.raw.Completions;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Network;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.os.OpenFile;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A device that a port has opened, with one queue of completions for all its channels: it hands
/// each completion to whom it concerns, and asks links again that could not do all they wanted.
/// [ChannelSource] is how the channels come to endpoints.
final class DeviceQueue implements Completions.Taker {
  private static final int PACKETS_AT_A_TIME = 8;
  private static final int HEADERS_AT_A_TIME = 32;

  /// Room for the completions of many channels. Providers that have more to say hold it back.
  private static final int COMPLETIONS = 8192;

  /// How many batches are taken before others get their turn.
  private static final int MOST_BATCHES = 16;

  /// How long [#arm] has the library wait at the most: nothing else can wake this thread meanwhile.
  private static final int LIBRARY_WAITS_MILLIS = 1;

  private static final int CALLS_BETWEEN_CLOCKS = 1024;

  private final Arena arena = Arena.ofConfined();
  private final Network network;
  private final Device device;
  private final Completions completions;
  private final Limits limits;
  private final boolean copies;
  private final Buffers packets;
  private final Buffers headers;
  private final Buffer scratch;
  private final GatherList gatherList;
  private final Operations operations = new Operations();
  private final ChannelSource exchange;

  /// What completions make readable, and a set of just that; empty if the library has nothing to
  /// wait for. It is the library's own, which closes it.
  private final List<OpenFile> files;

  private final PollSet news;

  /// Links that could not do all they wanted, and are to be asked again.
  private final ArrayDeque<LibfabricLink> stuck = new ArrayDeque<>();

  /// Links that were closed and wait for their peers, the first of them first.
  private final ArrayDeque<LibfabricLink> lingering = new ArrayDeque<>();

  private final AwaitedLinks expected = new AwaitedLinks();

  /// How often links were asked that are in use.
  private int turns;

  /// Whether a peer has closed whose link has yet to hear whether all that it has sent was taken.
  private boolean ending;

  /// Whether nothing was left when completions were taken last.
  private boolean emptied;

  private int offers;
  private boolean moved;
  private int calls;

  /// An endpoint that channels share.
  private record Shared(Endpoint endpoint, ByteBuffer name, AddressVector peers, PollSet lines) {}

  /// @param events of endpoints that are connected; null if there is one that is shared
  private DeviceQueue(
      Network network,
      Device device,
      Completions completions,
      PollSet news,
      @Nullable Events events,
      @Nullable Shared shared,
      Route route) {
    this.network = network;
    this.device = device;
    this.completions = completions;
    this.news = news;
    this.files = completions.file() < 0 ? List.of() : List.of(new OpenFile(completions.file()));
    files.forEach(news::add);
    this.copies = shared != null;
    int prefix = copies ? SharedEndpoint.NUMBER_BYTES : 0;
    this.limits = Limits.of(route, prefix);
    long now = System.nanoTime();
    boolean registers = limits.registersMemory();
    this.packets = new Buffers(device, registers, prefix, Buffer.BYTES, PACKETS_AT_A_TIME, now);
    this.headers =
        new Buffers(device, registers, prefix, Packets.HEADER_BYTES, HEADERS_AT_A_TIME, now);
    this.scratch = packets.take();
    this.gatherList = new GatherList(arena, Limits.MOST_RANGES);
    this.exchange =
        shared == null
            ? new Connections(network, device, Objects.requireNonNull(events), completions)
            : new SharedEndpoint(
                new ReceivingEndpoint(this, shared.endpoint, null),
                shared.name,
                shared.peers,
                shared.lines);
  }

  /// What tells the device queues of a port apart.
  static String nameOf(Route route) {
    return "%s %s %s".formatted(route.provider(), route.fabric(), route.domain());
  }

  static DeviceQueue open(Route route) throws LibfabricException {
    try (CloseOnFailure opened = new CloseOnFailure()) {
      Network network = opened.add(Network.open(route));
      Events events = route.isConnected() ? opened.add(Events.open(network)) : null;
      Device device = opened.add(Device.open(network, route));
      Completions completions = opened.add(Completions.open(device, COMPLETIONS));
      PollSet news = opened.add(new PollSet());
      Shared shared = null;
      if (events == null) {
        AddressVector peers = opened.add(AddressVector.open(device));
        PollSet lines = opened.add(new PollSet());
        Endpoint endpoint = opened.add(Endpoint.open(device, route, peers, completions));
        shared = new Shared(endpoint, endpoint.name(), peers, lines);
      }
      DeviceQueue made = new DeviceQueue(network, device, completions, news, events, shared, route);
      opened.keep();
      return made;
    } catch (SystemException e) {
      throw Failures.of("open", route.provider(), e);
    }
  }

  // ---- what it has

  Device device() {
    return device;
  }

  Limits limits() {
    return limits;
  }

  /// Whether channels share an endpoint. It is not closed with them, so that nothing may be posted
  /// to it but memory of the device queue's own.
  boolean copies() {
    return copies;
  }

  Buffers packets() {
    return packets;
  }

  Buffers headers() {
    return headers;
  }

  void giveBack(Buffer buffer) {
    (packets.made(buffer) ? packets : headers).giveBack(buffer);
  }

  /// A buffer for what the library copies at once.
  Buffer scratch() {
    return scratch;
  }

  GatherList gatherList() {
    return gatherList;
  }

  Operations operations() {
    return operations;
  }

  ChannelSource exchange() {
    return exchange;
  }

  /// The links that are not gone.
  List<LibfabricLink> links() {
    return exchange.channels().stream()
        .map(channel -> channel.link)
        .filter(Objects::nonNull)
        .toList();
  }

  // ---- channels

  /// Opens a channel, with its receives posted. The caller closes it if it is not connected.
  Channel open(Route route, int window) throws LibfabricException {
    if (operations.areLeft()) {
      take(true); // a loop of attempts to connect may ask for nothing else
    }
    Channel channel = exchange.open(this, route, window);
    int error = channel.receivingEndpoint.post();
    if (error != 0) {
      channel.close();
      throw Failures.of("post memory for messages with", route.provider(), device, error);
    }
    return channel;
  }

  /// A channel is closed: what was posted to an endpoint of its own comes back failed, or never.
  void closed(Channel channel) {
    exchange.closed(channel);
    if (!channel.isShare()) {
      operations.closed(channel.receivingEndpoint);
    }
  }

  // ---- moving

  /// Takes what has completed, and lets links do what they could not.
  ///
  /// @param waited whether a thread has waited for something to do since the last time
  void progress(boolean waited) {
    // To learn that nothing is left takes a system call or two, which short messages are spared.
    take(operations.areLeft());
    exchange.progress();
    if (ending) {
      ending = false;
      take(true);
    }
    for (int count = stuck.size(); count > 0; count--) {
      LibfabricLink link = stuck.pop();
      turns += link.isMade() && link.state() == InterfaceState.CONNECTED ? 1 : 0;
      link.asked();
    }
    expected.look(waited);
    while (!lingering.isEmpty() && lingering.element().isOver()) {
      lingering.remove();
    }
    if (++calls % CALLS_BETWEEN_CLOCKS == 0) {
      long now = System.nanoTime();
      packets.look(now);
      headers.look(now);
    }
  }

  /// Takes completions, up to a bound: to the end, or as long as there are as many as there may be.
  private void take(boolean toTheEnd) {
    int taken = Completions.BATCH;
    for (int batches = 0;
        batches < MOST_BATCHES && (toTheEnd ? taken > 0 : taken == Completions.BATCH);
        batches++) {
      taken = completions.take(this);
    }
    emptied = taken == 0;
    if (emptied && operations.areLeft()) {
      operations.reclaim(this::giveBack);
    }
  }

  @Override
  public void completed(long context, long bytes, int failure) {
    Operation operation = operations.get(context);
    ReceivingEndpoint receivingEndpoint = operation.receivingEndpoint();
    Channel channel = operation.channel;
    Operation.Kind kind = operation.kind;
    Buffer buffer = operation.buffer();
    Outbound outbound = operation.outbound();
    Inbound inbound = kind == Operation.Kind.READ ? operation.inbound() : null;
    long from = operation.from;
    long size = operation.size;
    operations.end(operation);
    if (kind == Operation.Kind.RECEIVE) {
      arrived(receivingEndpoint, channel, Objects.requireNonNull(buffer), bytes, failure);
      return;
    }
    LibfabricLink link = channel == null || channel.isClosed() ? null : channel.link;
    if (link != null) { // else it was closed meanwhile
      switch (kind) {
        case SEND, ACCESS -> link.packetSent(outbound, failure);
        case READ -> link.read(Objects.requireNonNull(inbound), buffer, from, size, failure);
        case RECEIVE, NONE -> throw new IllegalStateException("a completion of nothing");
      }
    }
    if (buffer != null) {
      giveBack(buffer);
    }
  }

  private void arrived(
      ReceivingEndpoint receivingEndpoint,
      @Nullable Channel receiver,
      Buffer buffer,
      long bytes,
      int failure) {
    Channel channel = exchange.addressee(receiver, buffer, failure == 0 ? bytes : 0);
    LibfabricLink link = channel == null || channel.isClosed() ? null : channel.link;
    if (link == null) {
      receivingEndpoint.give(buffer); // from a stranger, or too late
    } else {
      link.arrived(buffer, bytes - exchange.prefixBytes(), failure);
    }
  }

  /// A part of a message has arrived, and more will.
  void moved() {
    moved = true;
  }

  /// There are more offers, or fewer, that peers read.
  void offered(int change) {
    offers += change;
  }

  /// Whether parts of messages have moved since this was last asked, or are being read by either
  /// side, of which the library says nothing before the end.
  boolean isMoving() {
    boolean moves = moved || operations.areReading() || offers > 0;
    moved = false;
    return moves;
  }

  /// Has [#progress] end a link when it has waited for its peer long enough.
  void lingers(LibfabricLink link) {
    lingering.add(link);
  }

  /// The links that have accepted a peer that has yet to be heard.
  AwaitedLinks expected() {
    return expected;
  }

  /// How often links that are in use had something to do.
  int turns() {
    return turns;
  }

  /// Has [#progress] take what there is to the end, after it has heard that a peer has closed.
  void ends() {
    ending = true;
  }

  /// Whether [#progress] has: nothing is left of what was sent by a peer that had closed before.
  boolean isEmptied() {
    return emptied;
  }

  /// Has [#progress] ask a link again.
  void stuck(LibfabricLink link) {
    stuck.add(link);
  }

  // ---- waiting

  /// Has [#files] become readable when something comes, and not before.
  ///
  /// @return false if there is something to do, or nothing that could be waited for
  boolean arm() {
    if (files.isEmpty() || !stuck.isEmpty() || !network.mayWait(completions) || !exchange.arm()) {
      return false;
    }
    // The file of `net` in 1.17 stays readable until the library itself has waited.
    news.look();
    return !news.isReady(0) || !completions.await(this, LIBRARY_WAITS_MILLIS);
  }

  /// What becomes readable when there is something to do.
  List<OpenFile> files() {
    return Stream.concat(files.stream(), exchange.files().stream()).toList();
  }

  /// Closes it: its channels are closed.
  void close() {
    if (!exchange.channels().isEmpty()) {
      throw new IllegalStateException(exchange.channels().size() + " channels are open");
    }
    exchange.close();
    packets.close();
    headers.close();
    news.close();
    completions.close();
    device.close();
    network.close();
    arena.close();
  }

  void checkInvariants() {
    packets.checkInvariants();
    headers.checkInvariants();
    operations.checkInvariants(exchange.receivingEndpoints());
  }
}
