package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.View;
import dev.tigris.net.Attributes;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.security.Principal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One connection of a channel: a virtual interface, the memory that it receives into, and tickets
/// for the packets of the channel's queues. Each ticket, or descriptor of several, has as
/// attachment the [Slot] that it is posted for.
public final class PacketConnection {
  /// Packets without frames, or with a greeting in them.
  private static final int CONTROL_BYTES = 1024;

  private static final int CONTROLS = 8;

  private final VirtualInterface link;
  private final Jbuf receiveBuffer;
  private final Jbuf controlBuffer;
  private @Nullable Bytes control;
  private Slot[] controls = new Slot[CONTROLS];

  /// The indices of those that are free: no references, which would cost the collector a fence
  /// each time.
  private final int[] freeControls = new int[CONTROLS];

  private int freeControlCount;
  private Slot[] requests = new Slot[0];
  private Slot[] replies = new Slot[0];
  private @Nullable Channel channel;

  /// When it was made; a peer that never greets is given up.
  private final long madeAt;

  /// How many receives are posted.
  private int receivesOut;

  private final String provider;
  private int greetingEpoch;
  private boolean isClosed;
  private boolean hasNews;

  /// The purpose of a descriptor that is posted.
  public static final class Slot {
    final PacketConnection connection;
    final Ticket ticket;
    final long at;

    /// Of a packet in a queue; null if it is for another one, or the connection was closed.
    private @Nullable SendQueue queue;

    final int index;

    Slot(
        PacketConnection connection, Ticket ticket, long at, @Nullable SendQueue queue, int index) {
      this.connection = connection;
      this.ticket = ticket;
      this.at = at;
      this.queue = queue;
      this.index = index;
      Ticket _ = ticket.attach(this);
    }

    /// Returns the connection that it belongs to.
    public PacketConnection connection() {
      return connection;
    }
  }

  /// Returns the attributes of connections.
  ///
  /// @param packetBytes the longest packet that this side takes
  /// @param packets how many packets there can be under way
  /// @param receives how many receives are posted
  public static Attributes attributes(int packetBytes, int packets, int receives) {
    return Attributes.DEFAULT
        .withMaximumMessageBytes(packetBytes)
        .withDepths(2 * packets + CONTROLS, receives);
  }

  /// Takes a new connection over, and posts memory for what arrives.
  ///
  /// @param provider over which it is made
  /// @param owner of its memory
  public PacketConnection(VirtualInterface link, String provider, String owner, long now) {
    this.link = link;
    this.provider = provider;
    this.madeAt = now;
    int count = link.attributes().receiveDepth();
    long bytes = PacketLayout.aligned((int) link.attributes().maximumMessageBytes());
    this.receiveBuffer = Jbuf.allocate(count * bytes, owner);
    this.controlBuffer = Jbuf.allocate((long) CONTROLS * CONTROL_BYTES, owner);
    Bytes controlBytes = controlBuffer.asBytes();
    this.control = controlBytes;
    Bytes memory = receiveBuffer.asBytes();
    for (int i = 0; i < CONTROLS; i++) {
      long at = (long) i * CONTROL_BYTES;
      controls[i] = new Slot(this, link.register(controlBytes), at, null, i);
      freeControls[freeControlCount++] = i;
    }
    for (int i = 0; i < count; i++) {
      Slot slot = new Slot(this, link.register(memory), i * bytes, null, i);
      Ticket _ = slot.ticket.range(slot.at, bytes).inPlace(true);
      post(slot);
    }
  }

  private void post(Slot slot) {
    if (link.postReceive(slot.ticket) == Posting.POSTED) {
      receivesOut++;
    }
  }

  /// Whether it has ended without a completion that tells so.
  public boolean hasNothingToCome() {
    return !isClosed && receivesOut == 0 && link.state() != InterfaceState.CONNECTED;
  }

  /// Returns the provider over which it is made.
  public String provider() {
    return provider;
  }

  /// Returns the identity that the peer has proved; null without TLS.
  @Nullable Principal principal() {
    return link.principal();
  }

  /// Returns the longest packet that can be sent.
  public int packetBytes() {
    return (int) link.maximumMessageBytes();
  }

  /// Returns the name of the peer, for people.
  public String peer() {
    return link.peer();
  }

  /// Returns the channel that it carries; null before the greeting.
  public @Nullable Channel channel() {
    return channel;
  }

  /// Returns when it was made.
  public long madeAt() {
    return madeAt;
  }

  /// Returns the number of the connection in the greeting that has come over it.
  public int greetingEpoch() {
    return greetingEpoch;
  }

  void greetingEpoch(int epoch) {
    greetingEpoch = epoch;
  }

  /// Has it carry the packets of a channel.
  void carry(Channel carried, SendQueue requestQueue, SendQueue replyQueue) {
    channel = carried;
    requests = slots(requestQueue);
    replies = slots(replyQueue);
  }

  private Slot[] slots(SendQueue queue) {
    Slot[] slots = new Slot[queue.count()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Slot(this, link.register(queue.bytes), 0, queue, i);
    }
    return slots;
  }

  Ticket register(View view) {
    return link.register(view);
  }

  void deregister(Ticket ticket) {
    if (ticket.isRegistered() && !isClosed) {
      link.deregister(ticket);
    }
  }

  /// Whether packets can be sent and arrive.
  public boolean isConnected() {
    return !isClosed && link.state() == InterfaceState.CONNECTED;
  }

  /// Whether this side has closed it.
  public boolean isClosed() {
    return isClosed;
  }

  /// Whether a packet without frames can be posted.
  boolean hasControl() {
    return freeControlCount > 0;
  }

  /// Takes the memory for a packet without frames, which begins at [Slot#at] of [#control].
  Slot takeControl() {
    return controls[freeControls[--freeControlCount]];
  }

  Bytes control() {
    return Objects.requireNonNull(control, "the connection is closed");
  }

  void sendControl(Slot slot, int length) {
    if (link.postSend(slot.ticket.range(slot.at, length)) != Posting.POSTED) {
      freeControls[freeControlCount++] = slot.index;
    }
    hasNews = true;
  }

  /// Posts a packet of a queue, whose header is written.
  void send(SendQueue queue, boolean isReply, Packet packet) {
    Slot slot = (isReply ? replies : requests)[packet.index];
    Ticket head = slot.ticket.range(packet.offset, packet.length);
    Descriptor message = head;
    BulkSend tail = packet.tail;
    if (tail != null && packet.tailBytes > 0) {
      Ticket source = tail.ticket(this).range(packet.tailOffset, packet.tailBytes);
      message = Descriptor.of(head, source).attach(slot);
    }
    packet.isPosted = link.postSend(message) == Posting.POSTED;
    hasNews = true;
  }

  /// Whether something was posted since the last [#ring].
  boolean hasNews() {
    return hasNews;
  }

  /// Hands over what was posted.
  void ring() {
    if (hasNews) {
      hasNews = false;
      link.ring();
    }
  }

  /// A descriptor of this connection has completed: a packet has left, or has arrived.
  ///
  /// @return whether a packet has arrived in it, which [#repost] is called for afterwards
  public boolean completed(Slot slot, Descriptor descriptor) {
    if (!descriptor.isSend()) {
      receivesOut--;
      return descriptor.status() == Status.DONE;
    }
    SendQueue queue = slot.queue;
    if (queue == null) {
      freeControls[freeControlCount++] = slot.index;
    } else {
      Channel its = channel;
      if (its != null && its.connection() == this) {
        its.sent(queue, queue.at(slot.index));
      }
    }
    return false;
  }

  /// Posts memory again that a packet has arrived in.
  public void repost(Slot slot) {
    if (!isClosed) {
      post(slot);
    }
  }

  /// Closes the connection and gives its memory back. Its descriptors come back flushed.
  public void close(boolean inOrder) {
    if (isClosed) {
      return;
    }
    while (freeControlCount > 0) {
      deregister(takeControl().ticket);
    }
    deregisterUnposted(requests);
    deregisterUnposted(replies);
    isClosed = true;
    if (inOrder) {
      link.close();
    } else {
      link.abort();
    }
    receiveBuffer.unreference(Jbuf::free);
    controlBuffer.unreference(Jbuf::free);
    letGo();
  }

  /// Refers to no memory any more: the completion queue keeps a descriptor, and so this connection,
  /// until others take its place.
  private void letGo() {
    for (Slot[] slots : new Slot[][] {requests, replies}) {
      for (Slot slot : slots) {
        slot.queue = null;
      }
    }
    requests = new Slot[0];
    replies = new Slot[0];
    controls = new Slot[0];
    control = null;
    channel = null;
  }

  private void deregisterUnposted(Slot[] slots) {
    for (Slot slot : slots) {
      SendQueue queue = slot.queue;
      if (queue != null && !queue.at(slot.index).isPosted) {
        deregister(slot.ticket);
      }
    }
  }

  @Override
  public String toString() {
    return link.toString();
  }
}
