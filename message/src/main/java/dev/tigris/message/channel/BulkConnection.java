package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.View;
import dev.tigris.message.protocol.Pieces;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The second interface of a connection, for bulk transfers (Chang 1999, section 3.4.2). The side
/// that connects sends a greeting first, which says what session it is for. After that each message
/// is a piece of a transfer, sent out of the sender's memory and received into the memory that was
/// posted for it.
///
/// ```text
///   greeting: the header of a packet, with session, connection, and this interface's number
/// ```
///
/// Thread rule: the thread of the bundle.
public final class BulkConnection {
  /// The longest piece.
  static final int PIECE_BYTES = 1 << 20;

  private final VirtualInterface link;
  private final String provider;
  private final long madeAt;
  private final Jbuf greetingBuffer;
  private @Nullable Channel channel;
  private boolean isClosed;
  private boolean hasFailed;
  private boolean hasNews;
  private int sendsOut;
  private int receivesOut;
  private long session;
  private int epoch;
  private long number;

  /// The purpose of a ticket that is posted.
  public static final class Slot {
    final BulkConnection connection;
    final Ticket ticket;
    private @Nullable BulkSend sent;

    private Slot(BulkConnection connection, Ticket ticket, @Nullable BulkSend sent) {
      this.connection = connection;
      this.ticket = ticket;
      this.sent = sent;
      Ticket _ = ticket.attach(this);
    }

    /// Returns the connection that it belongs to.
    public BulkConnection connection() {
      return connection;
    }

    /// Refers to no transfer any more: the completion queue keeps a ticket, and so this.
    public void forget() {
      sent = null;
    }
  }

  /// Returns the attributes of such connections.
  public static Attributes attributes() {
    return Attributes.DEFAULT
        .withMaximumMessageBytes(PIECE_BYTES)
        .withDepths(Pieces.MOST + 1, Pieces.MOST + 1);
  }

  /// Takes a new connection over.
  ///
  /// @param isGreeted whether the peer greets: memory for the greeting is posted
  public BulkConnection(VirtualInterface link, String provider, long now, boolean isGreeted) {
    this.link = link;
    this.provider = provider;
    this.madeAt = now;
    this.greetingBuffer = Jbuf.allocate(PacketLayout.HEADER_BYTES, "messages");
    Bytes greeting = greetingBuffer.asBytes(); // not kept: the buffer could not be freed
    if (link.maximumMessageBytes() < PIECE_BYTES) {
      hasFailed = true; // the peer takes no piece
    } else if (isGreeted) {
      try {
        boolean _ = post(new Slot(this, link.register(greeting), null));
      } catch (RuntimeException e) { // the memory cannot be registered
        greetingBuffer.unreference(Jbuf::free);
        throw e;
      }
    }
  }

  private boolean post(Slot slot) {
    if (link.postReceive(slot.ticket) != Posting.POSTED) {
      link.deregister(slot.ticket);
      hasFailed = true;
      return false;
    }
    receivesOut++;
    return true;
  }

  /// Whether the peer of a connection for packets has made it: over its provider, and with its
  /// identity.
  boolean comesFrom(PacketConnection packets) {
    return provider.equals(packets.provider())
        && Objects.equals(link.principal(), packets.principal());
  }

  /// Returns when it was made; a peer that never greets is given up.
  public long madeAt() {
    return madeAt;
  }

  /// Returns the channel that it belongs to; null before the greeting.
  public @Nullable Channel channel() {
    return channel;
  }

  void belongsTo(Channel its, long itsNumber) {
    channel = its;
    number = itsNumber;
  }

  /// Returns the session that the greeting has named.
  public long session() {
    return session;
  }

  /// Returns the connection of that session.
  int epoch() {
    return epoch;
  }

  /// Returns which one it is of its session: the interfaces for bulk transfers count from 1.
  long number() {
    return number;
  }

  /// Whether it has ended without a completion that tells so.
  boolean hasEnded() {
    return !isClosed && (hasFailed || link.state() != InterfaceState.CONNECTED);
  }

  /// Whether this side has closed it.
  public boolean isClosed() {
    return isClosed;
  }

  /// Whether it has ended, and all descriptors have come back.
  public boolean hasNothingToCome() {
    return hasEnded() && receivesOut + sendsOut == 0;
  }

  // ---- the greeting

  /// Sends the greeting.
  void greet(long itsSession, int itsEpoch) {
    if (hasFailed) {
      return;
    }
    Bytes greeting = greetingBuffer.asBytes();
    PacketLayout.stamp(
        greeting, 0, PacketKind.BULK_GREETING, itsEpoch, itsSession, number, 0, 0, 0);
    PacketLayout.seal(greeting, 0, 0, MemorySegment.NULL);
    send(new Slot(this, link.register(greeting), null));
    ring();
  }

  /// Reads the greeting that has arrived.
  ///
  /// @return whether it is one
  public boolean readGreeting(Descriptor descriptor) {
    MemorySegment from = descriptor.memory();
    long at = descriptor.memoryOffset();
    if (descriptor.transferredBytes() != PacketLayout.HEADER_BYTES
        || !PacketLayout.isPacket(from, at)
        || PacketKind.of(PacketLayout.kindCode(from, at)) != PacketKind.BULK_GREETING
        || !PacketLayout.isWhole(from, at, PacketLayout.HEADER_BYTES)) {
      return false;
    }
    session = PacketLayout.session(from, at);
    epoch = PacketLayout.epoch(from, at);
    number = PacketLayout.number(from, at);
    return true;
  }

  // ---- pieces

  Ticket register(View view) {
    return link.register(view);
  }

  void deregister(Ticket ticket) {
    if (!isClosed && ticket.isRegistered()) {
      link.deregister(ticket);
    }
  }

  boolean takesArrays() {
    return link.takesArrays();
  }

  /// Whether one more can be sent: a send whose completion is not taken yet has a place, too.
  boolean hasRoom() {
    return sendsOut <= Pieces.MOST;
  }

  private void send(Slot slot) {
    hasNews = true;
    if (link.postSend(slot.ticket) == Posting.POSTED) {
      sendsOut++;
    } else {
      link.deregister(slot.ticket);
      hasFailed = true;
    }
  }

  /// Sends a piece; returns whether it is out.
  boolean send(BulkSend transfer, long offset, long bytes) {
    Ticket ticket = link.register(transfer.source).range(transfer.offset + offset, bytes);
    send(new Slot(this, ticket, transfer));
    return !hasFailed;
  }

  /// Posts memory for a piece; returns whether it is posted.
  boolean receive(View view, long at, long bytes) {
    return post(new Slot(this, link.register(view).range(at, bytes), null));
  }

  /// Posts a part of an array for a piece; returns whether it is posted.
  boolean receive(byte[] array, long at, long bytes) {
    return post(new Slot(this, link.register(ArrayType.BYTES, array).range(at, bytes), null));
  }

  /// A ticket has completed.
  ///
  /// @return whether a piece, or the greeting, has arrived
  public boolean completed(Slot slot, Descriptor descriptor) {
    boolean isDone = descriptor.status() == Status.DONE;
    if (descriptor.isSend()) {
      sendsOut--;
    } else {
      receivesOut--;
    }
    hasFailed |= !isDone;
    BulkSend sent = slot.sent;
    if (sent != null) {
      sent.inFlight--;
      slot.forget();
    }
    return isDone && !descriptor.isSend();
  }

  /// Gives the ticket back that has completed.
  public void release(Slot slot) {
    deregister(slot.ticket);
  }

  /// Hands over what was posted.
  void ring() {
    if (hasNews && !isClosed) {
      hasNews = false;
      link.ring();
    }
  }

  /// Closes it. Its descriptors come back flushed, and nothing is sent or received by them any
  // more.
  public void close() {
    if (!isClosed) {
      isClosed = true;
      channel = null;
      link.abort();
      greetingBuffer.unreference(Jbuf::free);
    }
  }

  @Override
  public String toString() {
    return "bulk %d: %s".formatted(number, link);
  }
}
