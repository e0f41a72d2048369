package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.os.OpenFile;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// How the channels of a device queue come to endpoints, to their packets, and to the news of their
/// peers: each has an endpoint of its own that is connected, or all share one that is not.
sealed interface ChannelSource permits Connections, SharedEndpoint {
  /// Makes a channel.
  ///
  /// @param window how many messages its peer may send before it gets credit
  Channel open(DeviceQueue deviceQueue, Route route, int window) throws LibfabricException;

  /// A channel is closed.
  void closed(Channel channel);

  /// Those that are not.
  Collection<Channel> channels();

  /// What packets are received by.
  Stream<ReceivingEndpoint> receivingEndpoints();

  /// The channel whose packet has arrived; null if it is of none.
  ///
  /// @param receiver whose the receiving endpoint is; null if it is shared
  /// @param bytes how long the packet is, with what precedes it
  @Nullable Channel addressee(@Nullable Channel receiver, Buffer buffer, long bytes);

  /// How many bytes precede a packet.
  int prefixBytes();

  /// Takes the next news of a channel that is being connected; what is about others is told them.
  ///
  /// @return null if there are none
  default Events.@Nullable Event next(Channel channel) {
    return null;
  }

  /// A channel needs no such news any more.
  default void settled() {}

  /// Does what has to be done now and then, when completions were taken.
  void progress();

  /// Has what has happened to peers told to their links with the next [#progress], or now.
  void look();

  /// Whether [#files] will become readable when something comes, and nothing is there already.
  boolean arm();

  /// What becomes readable when something has happened to a peer.
  List<OpenFile> files();

  /// Whether [#files] were others when this was last asked.
  default boolean takeFilesChanged() {
    return false;
  }

  /// Closes it: the channels are closed.
  void close();
}
