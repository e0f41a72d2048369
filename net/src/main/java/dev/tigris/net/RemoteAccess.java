package dev.tigris.net;

import dev.tigris.net.provider.RemoteLink;
import dev.tigris.net.provider.Transfer.Remote;
import dev.tigris.os.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Reads and writes memory of the peer, without the peer's application taking part: the remote
/// direct memory access of the Virtual Interface Architecture, for networks that have it.
/// [VirtualInterface#remoteAccess] gives it.
///
/// ```java
/// // one side lets the other write, and tells it where
/// RemoteMemory here = peer.remoteAccess().orElseThrow().expose(ticket, true);
/// // the other writes, and says so: the message arrives after what was written
/// access.postWrite(data, there, 0).orThrow();
/// peer.postSend(written).orThrow();
/// ```
///
/// An access that the peer has not allowed breaks the connection.
///
/// Memory of mapped files takes no part, neither here nor there: the network touches memory by
/// itself, and where somebody has cut the file, that would end the process.
///
/// Thread rule: the thread that owns the completion queue.
public final class RemoteAccess {
  private final VirtualInterface virtualInterface;
  private final RemoteLink link;
  private final List<Exposure> exposures = new ArrayList<>();

  private record Exposure(Ticket ticket, RemoteLink.Exposed exposed) {}

  RemoteAccess(VirtualInterface virtualInterface, RemoteLink link) {
    this.virtualInterface = virtualInterface;
    this.link = link;
  }

  /// Lets the peer read the memory that a ticket names, and write to it if `writable`, at any time
  /// until the interface is closed. Until then the ticket cannot be given back: an access that is
  /// under way cannot be stopped otherwise.
  ///
  /// @throws IllegalArgumentException if it is empty, lies in a file, or the ticket is another
  ///     interface's
  /// @throws IllegalStateException if the interface is not connected, or the ticket was given back
  public RemoteMemory expose(Ticket ticket, boolean writable) {
    virtualInterface.requireOurs(ticket);
    virtualInterface.requireConnected();
    ticket.requirePostable();
    if (ticket.length() == 0) {
      throw new IllegalArgumentException("there is no memory in the range of the ticket");
    }
    refuseFiles(ticket);
    RemoteLink.Exposed exposed =
        link.expose(ticket.region(), ticket.offset(), ticket.length(), writable);
    ticket.expose();
    exposures.add(new Exposure(ticket, exposed));
    return new RemoteMemory(exposed.address(), exposed.key(), ticket.length());
  }

  /// Posts a read of memory of the peer into that of a descriptor, all of which is filled. It is
  /// one of the posted sends until it is complete.
  ///
  /// @param offset where to begin in `from`
  /// @throws IndexOutOfBoundsException if the descriptor is longer than what is there
  /// @throws IllegalArgumentException if some of it lies in a file
  @CheckReturnValue
  public Posting postRead(Descriptor into, RemoteMemory from, long offset) {
    return post(into, Remote.READ, from, offset);
  }

  /// Posts a write of what a descriptor names to memory of the peer, as [#postRead]. When it is
  /// complete, the descriptor's memory may be used again. What was written is there when the peer
  /// gets a message that was posted afterwards.
  @CheckReturnValue
  public Posting postWrite(Descriptor from, RemoteMemory to, long offset) {
    return post(from, Remote.WRITE, to, offset);
  }

  private Posting post(Descriptor descriptor, Remote how, RemoteMemory memory, long offset) {
    Objects.checkFromIndexSize(offset, descriptor.bytes(), memory.bytes());
    refuseFiles(descriptor);
    return virtualInterface.postRemote(descriptor, how, memory.address() + offset, memory.key());
  }

  private static void refuseFiles(Descriptor descriptor) {
    if (descriptor.transfer().isMapped()) {
      throw new IllegalArgumentException(
          "the memory is that of a mapped file, which others may cut: copy it, or send messages");
    }
  }

  /// Ends it for all memory: the link has disconnected, or holds the memory itself until it has.
  void close() {
    for (Exposure exposure : exposures) {
      link.withdraw(exposure.exposed);
      exposure.ticket.release();
    }
    exposures.clear();
  }
}
