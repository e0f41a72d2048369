package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.AddressVector;
import dev.tigris.net.libfabric.raw.Completions;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Network;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.linux.OpenFile;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

// Over 400 lines: endpoints of both kinds share operations, buffers and completions.

/// A device that a port has opened, with one queue of completions for all its channels. Either each
/// of these has an endpoint that is connected, or all share one that is not.
///
/// Conserved: operations made = spare + under way; those under way belong to mailboxes, closed ones
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

  /// That peers are gone whose endpoints do not say so shows nowhere else.
  private static final int POLLS_BETWEEN_LOOKS = 64;

  /// How long [#arm] has the library wait at the most: nothing else can wake this thread meanwhile.
  private static final int LIBRARY_WAITS_MILLIS = 1;

  private final Arena arena = Arena.ofConfined();
  private final Network network;
  private final Device device;

  /// Of connected endpoints.
  private final @Nullable Events events;

  private final Completions completions;
  private final Buffers packets;
  private final Buffers headers;

  /// The library's own, which it closes.
  private final List<OpenFile> files;

  /// What completions make readable; empty if the library has nothing to wait for.
  private final PollSet news;

  private final boolean canWait;
  private final List<Operation> operations = new ArrayList<>();
  private final ArrayDeque<Operation> spare = new ArrayDeque<>();

  /// Those that have endpoints of their own.
  private final Map<Long, Channel> channels = new HashMap<>();

  /// The others.
  private final @Nullable Switchboard switchboard;

  private final List<Mailbox> closed = new ArrayList<>();

  /// Links that could not do all they wanted, and are to be asked again.
  private final ArrayDeque<LibfabricLink> stuck = new ArrayDeque<>();

  /// Links that were closed and wait for their peers, the first of them first.
  private final ArrayDeque<LibfabricLink> lingering = new ArrayDeque<>();

  private final Buffer scratch;
  private final MemorySegment rangeList;
  private final MemorySegment descriptorList;
  private final boolean registersMemory;
  private final long injectBytes;
  private final long operationBytes;
  private final int ranges;
  private int connecting;
  private int reads;
  private int offers;
  private boolean moved;
  private int polls;

  /// An endpoint that channels share.
  private record Shared(Endpoint endpoint, ByteBuffer name, AddressVector peers, PollSet lines) {}

  private Station(
      Network network,
      Device device,
      @Nullable Events events,
      @Nullable Shared shared,
      Completions completions,
      PollSet news,
      Route route) {
    this.network = network;
    this.device = device;
    this.events = events;
    this.completions = completions;
    int wait = completions.file();
    this.news = news;
    this.canWait = wait >= 0;
    if (canWait) {
      news.add(new OpenFile(wait));
    }
    this.files =
        Stream.of(wait, events == null ? -1 : events.file())
            .filter(file -> file >= 0)
            .map(OpenFile::new)
            .toList();
    this.registersMemory = route.registersLocalMemory();
    int prefix = shared == null ? 0 : Switchboard.NUMBER_BYTES;
    this.injectBytes = Math.min(Buffer.BYTES, route.injectBytes() - prefix);
    this.operationBytes = route.operationBytes() < 0 ? Long.MAX_VALUE : route.operationBytes();
    this.ranges = (int) Math.min(MOST_RANGES, route.ranges());
    this.packets =
        new Buffers(arena, device, registersMemory, prefix, Buffer.BYTES, PACKETS_AT_A_TIME);
    this.headers =
        new Buffers(
            arena, device, registersMemory, prefix, Packets.HEADER_BYTES, HEADERS_AT_A_TIME);
    this.scratch = packets.take();
    this.rangeList = arena.allocate((long) MOST_RANGES * Endpoint.RANGE_BYTES, Long.BYTES);
    this.descriptorList = arena.allocate(ValueLayout.JAVA_LONG, MOST_RANGES);
    this.switchboard =
        shared == null
            ? null
            : new Switchboard(
                new Mailbox(this, shared.endpoint, null), shared.name, shared.peers, shared.lines);
  }

  /// What tells the stations of a port apart.
  static String nameOf(Route route) {
    return "%s %s %s".formatted(route.provider(), route.fabric(), route.domain());
  }

  static Station open(Route route) throws LibfabricException {
    try (Opened opened = new Opened()) {
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
      Station made = new Station(network, device, events, shared, completions, news, route);
      opened.keep();
      return made;
    } catch (SystemException e) {
      throw Failures.of("open", route.provider(), e);
    }
  }

  /// Whether channels share an endpoint. It is not closed with them, so that nothing may be posted
  /// to it but memory of the station's own.
  boolean copies() {
    return switchboard != null;
  }

  /// What a share is called, for [Card].
  ByteBuffer name() {
    return Objects.requireNonNull(switchboard).name();
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
    Channel channel;
    if (events == null) {
      channel = Objects.requireNonNull(switchboard).open(this, window);
    } else {
      channel = new Channel(this, Endpoint.open(device, route, events, completions), window);
      channels.put(channel.identity, channel);
    }
    connecting++;
    int error = channel.mailbox.post();
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
      return events == null ? null : events.next();
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
  ///
  /// @param by whose it is; null for a receive of a mailbox that several share
  Operation start(Mailbox mailbox, @Nullable Channel by) {
    if (spare.isEmpty()) {
      for (int i = 0; i < OPERATIONS_AT_A_TIME; i++) {
        Operation made = new Operation(operations.size());
        operations.add(made);
        spare.push(made);
      }
    }
    mailbox.operationsUnderWay++;
    return spare.pop().start(mailbox, by);
  }

  /// An operation that reads a part of a message.
  Operation startRead(Channel channel, Inbound message) {
    reads++;
    return start(channel.mailbox, channel).read(message);
  }

  /// It could not be posted.
  void abandon(int number) {
    abandon(operations.get(number));
  }

  private void abandon(Operation operation) {
    operation.mailbox().operationsUnderWay--;
    reads -= operation.kind == Operation.Kind.READ ? 1 : 0;
    operation.forget();
    spare.push(operation);
  }

  void giveBack(Buffer buffer) {
    (packets.made(buffer) ? packets : headers).giveBack(buffer);
  }

  @Override
  public void completed(long context, long bytes, int failure) {
    Operation operation = operations.get((int) context);
    Mailbox mailbox = operation.mailbox();
    Channel channel = operation.channel;
    Operation.Kind kind = operation.kind;
    Buffer buffer = operation.buffer();
    Outbound outbound = operation.outbound();
    Inbound inbound = kind == Operation.Kind.READ ? operation.inbound() : null;
    abandon(operation);
    long packetBytes = bytes;
    if (kind == Operation.Kind.RECEIVE && switchboard != null) {
      channel = failure == 0 ? addressee(switchboard, Objects.requireNonNull(buffer), bytes) : null;
      packetBytes -= Switchboard.NUMBER_BYTES;
    }
    LibfabricLink link = channel == null || channel.isClosed() ? null : channel.link;
    if (link == null) {
      if (kind == Operation.Kind.RECEIVE) {
        mailbox.give(Objects.requireNonNull(buffer)); // from a stranger, or too late
      } else if (buffer != null) {
        giveBack(buffer);
      }
      return;
    }
    switch (kind) {
      case RECEIVE -> link.arrived(Objects.requireNonNull(buffer), packetBytes, failure);
      case SEND -> {
        giveBack(Objects.requireNonNull(buffer));
        link.packetSent(outbound, failure);
      }
      case ACCESS -> link.packetSent(outbound, failure);
      case READ -> link.read(Objects.requireNonNull(inbound), failure);
      case NONE -> throw new IllegalStateException("a completion of nothing");
    }
  }

  /// Whose packet has arrived; null if it is nobody's.
  private static @Nullable Channel addressee(Switchboard switchboard, Buffer buffer, long bytes) {
    return bytes < Switchboard.NUMBER_BYTES
        ? null
        : switchboard.find(buffer.whole().get(Packet.LONG, 0));
  }

  /// A channel was closed: what was posted to an endpoint of its own comes back failed, or never.
  void closed(Channel channel) {
    if (!channel.isShare()) {
      channels.remove(channel.identity);
      if (channel.mailbox.operationsUnderWay > 0) {
        closed.add(channel.mailbox);
      }
    }
  }

  private void reclaim() {
    for (Mailbox mailbox : closed) {
      for (int i = 0; mailbox.operationsUnderWay > 0 && i < operations.size(); i++) {
        Operation operation = operations.get(i);
        if (operation.isOf(mailbox)) {
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
    if (switchboard != null) {
      if (switchboard.mailbox().hasUnposted()) {
        int _ = switchboard.mailbox().post(); // if that fails, links will find out, too
      }
      if (++polls >= POLLS_BETWEEN_LOOKS) {
        look();
      }
    } else if (connecting > 0 || ++polls >= POLLS_BETWEEN_EVENTS) {
      polls = 0;
      for (Events.Event event = event(); event != null; event = event()) {
        handle(event);
      }
    }
    for (int count = stuck.size(); count > 0; count--) {
      stuck.pop().asked();
    }
    while (!lingering.isEmpty() && lingering.element().isOver(System.nanoTime())) {
      lingering.remove();
    }
  }

  /// Looks whether peers are gone whose endpoints do not say so; of the others, [#progress] will.
  void look() {
    if (switchboard != null) {
      polls = 0;
      switchboard.look();
    } else {
      polls = POLLS_BETWEEN_EVENTS;
    }
  }

  /// Has [#files] become readable when something comes, and not before.
  ///
  /// @return false if there is something to do, or nothing that could be waited for
  boolean arm() {
    if (!canWait || !stuck.isEmpty() || !network.mayWait(completions)) {
      return false;
    }
    if (events != null) {
      boolean quiet = network.mayWait(events);
      for (Events.Event event = event(); event != null; event = event()) {
        quiet = false;
        handle(event);
      }
      if (!quiet) {
        return false;
      }
    }
    // The file of `net` in 1.17 stays readable until the library itself has waited.
    news.look();
    return !news.isReady(0) || !completions.await(this, LIBRARY_WAITS_MILLIS);
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
    boolean moves = moved || reads > 0 || offers > 0;
    moved = false;
    return moves;
  }

  /// Has [#progress] end a link when it has waited for its peer long enough.
  void lingers(LibfabricLink link) {
    lingering.add(link);
  }

  /// Has [#progress] ask a link again.
  void stuck(LibfabricLink link) {
    stuck.add(link);
  }

  /// Whether [#files] were others when this was last asked.
  boolean takeFilesChanged() {
    return switchboard != null && switchboard.takeFilesChanged();
  }

  /// What becomes readable when there is something to do.
  List<OpenFile> files() {
    return switchboard == null
        ? files
        : Stream.concat(files.stream(), switchboard.files().stream()).toList();
  }

  /// The links that are not gone.
  List<LibfabricLink> links() {
    return channels().stream().map(channel -> channel.link).filter(l -> l != null).toList();
  }

  private Collection<Channel> channels() {
    return switchboard == null ? channels.values() : switchboard.channels();
  }

  /// Closes it: its channels are closed.
  void close() {
    if (!channels().isEmpty()) {
      throw new IllegalStateException(channels().size() + " channels are open");
    }
    if (switchboard != null) {
      switchboard.close();
    }
    packets.close();
    headers.close();
    news.close();
    completions.close();
    device.close();
    if (events != null) {
      events.close();
    }
    network.close();
    arena.close();
  }

  void checkInvariants() {
    int underWay = operations.size() - spare.size();
    int owned =
        Stream.concat(
                switchboard == null
                    ? channels.values().stream().map(channel -> channel.mailbox)
                    : Stream.of(switchboard.mailbox()),
                closed.stream())
            .mapToInt(mailbox -> mailbox.operationsUnderWay)
            .sum();
    if (underWay != owned) {
      throw new IllegalStateException(
          "%d operations are under way, and mailboxes have %d".formatted(underWay, owned));
    }
  }
}
