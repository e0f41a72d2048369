package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.AddressVector;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.os.OpenFile;
import dev.tigris.os.PollSet;
import dev.tigris.os.TcpSocket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The connections that share an endpoint which knows none. A packet begins with the number of its
/// connection, which its receiver has made up:
///
/// ```text
///   63        16       0
///   +----------+-------+
///   |  random  | place |
///   +----------+-------+
/// ```
///
/// Only the peer is told it, so that no other sends into a connection. What comes under a number
/// that is not, or no longer, given out is dropped.
///
/// Such an endpoint does not notice that a peer is gone, so each connection has a line besides: the
/// socket that has brought both together, over which nothing more is sent.
final class SharedEndpoint implements ChannelSource {
  /// What precedes a packet.
  static final int NUMBER_BYTES = Long.BYTES;

  /// That a peer is gone shows nowhere else.
  private static final int POLLS_BETWEEN_LOOKS = 64;

  private static final int PLACE_BITS = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final ReceivingEndpoint receivingEndpoint;
  private final ByteBuffer name;
  private final AddressVector peers;
  private final PollSet lines;

  /// By place.
  private @Nullable Channel[] channels = new @Nullable Channel[16];

  private int nextPlace;

  /// Those with a peer: the order is that of `lines`, unless that is out of date.
  private final List<Channel> watched = new ArrayList<>();

  private boolean linesChanged;
  private boolean filesChanged;
  private int polls;
  private final Map<ByteBuffer, Peer> byName = new HashMap<>();

  /// An endpoint that channels send to.
  private static final class Peer {
    final long address;
    int channels;

    Peer(long address) {
      this.address = address;
    }
  }

  SharedEndpoint(
      ReceivingEndpoint receivingEndpoint, ByteBuffer name, AddressVector peers, PollSet lines) {
    this.receivingEndpoint = receivingEndpoint;
    this.name = name;
    this.peers = peers;
    this.lines = lines;
  }

  ReceivingEndpoint receivingEndpoint() {
    return receivingEndpoint;
  }

  /// What others call the endpoint.
  ByteBuffer name() {
    return name;
  }

  /// Makes a channel, with a number of its own.
  @Override
  public Channel open(DeviceQueue deviceQueue, Route route, int window) throws LibfabricException {
    int place = freePlace();
    long number = RANDOM.nextLong() << PLACE_BITS | place;
    Channel channel = new Channel(deviceQueue, this, number, window);
    channels[place] = channel;
    return channel;
  }

  /// A free place: the next one, so that none is used again at once.
  private int freePlace() throws LibfabricException {
    for (int i = 0; i < channels.length; i++) {
      int place = (nextPlace + i) % channels.length;
      if (channels[place] == null) {
        nextPlace = place + 1;
        return place;
      }
    }
    int place = channels.length;
    if (place == 1 << PLACE_BITS) {
      throw new LibfabricException(place + " connections of a queue are open: use another queue");
    }
    channels = Arrays.copyOf(channels, 2 * place);
    nextPlace = place + 1;
    return place;
  }

  @Override
  public @Nullable Channel addressee(@Nullable Channel receiver, Buffer buffer, long bytes) {
    return bytes < NUMBER_BYTES ? null : find(buffer.whole().get(Packet.LONG, 0));
  }

  @Override
  public int prefixBytes() {
    return NUMBER_BYTES;
  }

  /// The channel with this number; null if there is none.
  private @Nullable Channel find(long number) {
    int place = (int) number & ((1 << PLACE_BITS) - 1);
    Channel there = place < channels.length ? channels[place] : null;
    return there != null && there.identity == number ? there : null;
  }

  @Override
  public void closed(Channel channel) {
    channels[(int) channel.identity & ((1 << PLACE_BITS) - 1)] = null;
    if (watched.remove(channel)) {
      linesChanged = true;
      filesChanged = true;
    }
  }

  @Override
  public List<Channel> channels() {
    return Arrays.stream(channels).filter(Objects::nonNull).toList();
  }

  @Override
  public Stream<ReceivingEndpoint> receivingEndpoints() {
    return Stream.of(receivingEndpoint);
  }

  @Override
  public void progress() {
    if (receivingEndpoint.hasUnposted()) {
      int _ = receivingEndpoint.post(); // if that fails, links will find out, too
    }
    if (++polls >= POLLS_BETWEEN_LOOKS) {
      look();
    }
  }

  // ---- peers

  /// What the library calls an endpoint: it is told of each only once.
  long reach(ByteBuffer peerName) throws LibfabricException {
    Peer peer = byName.get(peerName);
    if (peer == null) {
      peer = new Peer(peers.insert(peerName));
      byName.put(peerName, peer);
    }
    peer.channels++;
    return peer.address;
  }

  /// A channel to an endpoint is closed.
  void forget(ByteBuffer peerName) {
    Peer peer = Objects.requireNonNull(byName.get(peerName));
    if (--peer.channels == 0) {
      byName.remove(peerName);
      peers.remove(peer.address);
    }
  }

  // ---- lines

  /// Has [#look] look at the line of a channel.
  void watch(Channel channel) {
    watched.add(channel);
    linesChanged = true;
    filesChanged = true;
  }

  @Override
  public boolean takeFilesChanged() {
    boolean were = filesChanged;
    filesChanged = false;
    return were;
  }

  /// The lines.
  @Override
  public List<OpenFile> files() {
    return watched.stream().map(each -> Objects.requireNonNull(each.line()).file()).toList();
  }

  /// Tells the links whose line has ended. Peers send nothing over it: what does is no better.
  @Override
  public void look() {
    polls = 0;
    if (linesChanged) {
      linesChanged = false;
      lines.clear();
      for (Channel each : watched) {
        TcpSocket line = Objects.requireNonNull(each.line());
        lines.add(line.file());
      }
    }
    if (watched.isEmpty()) {
      return;
    }
    lines.look();
    for (int i = 0; i < watched.size(); i++) {
      LibfabricLink link = watched.get(i).link;
      if (link != null && lines.isReady(i)) {
        link.peerClosed(); // which closes it later, when what has arrived was taken
      }
    }
  }

  /// Lines become readable by themselves.
  @Override
  public boolean arm() {
    return true;
  }

  /// Closes the endpoint: its channels are closed.
  @Override
  public void close() {
    receivingEndpoint.close();
    peers.close();
    lines.close();
  }
}
