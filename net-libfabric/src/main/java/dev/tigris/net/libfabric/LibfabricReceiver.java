package dev.tigris.net.libfabric;

import dev.tigris.net.DataType;
import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.ReceiveQueue;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// The receiving half of a link: holds what has arrived, in order, until a receive is posted for
/// it, and brings it there. Pieces of messages are copied from their buffers; messages that were
/// offered are read from the peer, several at a time.
///
/// ```text
///   held       [ pieces of the message that fills a receive | offers, some being read | ... ]
///              ^ consumed up to here, and credited to the peer
///
///   untold     offers that were consumed, until the peer is told that it may have its memory back
/// ```
///
/// Conserved: packets held <= the window, which is how many the peer may send without credit.
final class LibfabricReceiver {
  /// How many long messages are read at a time: while one is, the next is asked for.
  private static final int READS_AHEAD = 4;

  /// How many parts of a message are read at a time where they are read into buffers.
  private static final int BUFFERS_AHEAD = 4;

  private final Channel channel;
  private final DeviceQueue deviceQueue;
  private final Packets packets;
  private final ReceiveQueue receives;

  private final Inbound[] held;
  private int first;
  private int count;

  /// What has yet to arrive of the last message.
  private long missing;

  /// Whether a message is being copied to the first posted receive, piece by piece.
  private boolean filling;

  private long filledOf;
  private int filledTag;
  private DataType filledType = DataType.BYTES;
  private long filled;

  private final int[] untold;
  private int untoldCount;
  private boolean discards;

  LibfabricReceiver(Channel channel, Packets packets, ReceiveQueue receives) {
    this.channel = channel;
    this.deviceQueue = channel.deviceQueue;
    this.packets = packets;
    this.receives = receives;
    this.held = new Inbound[channel.window];
    for (int i = 0; i < held.length; i++) {
      held[i] = new Inbound();
    }
    this.untold = new int[channel.window];
  }

  private Inbound held(int index) {
    return held[(first + index) % held.length];
  }

  // ---- what has arrived

  /// Takes a packet with content, and with it the buffer that it lies in if it is held.
  ///
  /// @throws BreachException if it is not what can come now
  void arrived(Packet packet, Buffer buffer) {
    boolean isMore = packet.kind == Packet.MORE;
    if (isMore ? packet.content > missing : missing > 0) {
      throw new BreachException(
          "%d bytes where %d of a message are missing".formatted(packet.content, missing));
    }
    missing =
        switch (packet.kind) {
          case Packet.MESSAGE -> packet.length - packet.content;
          case Packet.MORE -> missing - packet.content;
          default -> 0;
        };
    if (missing > 0) {
      deviceQueue.moved();
    }
    if (discards) {
      return;
    }
    if (count == held.length) {
      throw new BreachException("a message without credit");
    }
    held(count++).start(packet, buffer);
  }

  /// How many packets are held.
  int count() {
    return count;
  }

  /// Whether more of the last message has yet to arrive.
  boolean isWithinMessage() {
    return missing > 0;
  }

  /// Whether something is held that only the peer's memory has.
  boolean holdsOffers() {
    for (int i = 0; i < count; i++) {
      if (held(i).kind == Packet.OFFER) {
        return true;
      }
    }
    return false;
  }

  /// Whether the library may write to the application's memory.
  boolean isReading() {
    for (int i = 0; i < count; i++) {
      if (held(i).readsUnderWay > 0) {
        return true;
      }
    }
    return false;
  }

  // ---- consuming

  /// Consumes what has arrived as far as receives are posted, and reads what was offered.
  ///
  /// @return 0, or what the library says to a read; `Endpoint.AGAIN` if too much is under way
  long consume() {
    while (count > 0 && consumeFirst()) {
      // and the next one
    }
    return readAhead();
  }

  /// Returns whether the first packet that is held was consumed.
  private boolean consumeFirst() {
    if (untoldCount == untold.length) {
      return false; // the peer is told first
    }
    Inbound next = held(0);
    switch (next.kind) {
      case Packet.MESSAGE -> {
        ReceiveStage stage = receives.arriving(next.length, next.tag, next.type);
        if (stage == ReceiveStage.WAITING) {
          return false;
        }
        filling = stage == ReceiveStage.FILLING;
        filledOf = next.length;
        filledTag = next.tag;
        filledType = next.type;
        filled = 0;
        fill(next);
      }
      case Packet.MORE -> fill(next);
      default -> {
        if (!takeOffered(next)) {
          return false;
        }
      }
    }
    consumed(next);
    return true;
  }

  /// Takes a piece of a message.
  private void fill(Inbound piece) {
    if (filling) {
      MemorySegment memory = Objects.requireNonNull(piece.buffer).memory();
      Transfer into = Objects.requireNonNull(receives.peek());
      into.copyFrom(memory, Packet.HEADER_BYTES, filled, piece.content);
    }
    filled += piece.content;
    if (filling && filled == filledOf) {
      filling = false;
      receives.received(filledOf, filledTag, filledType);
    }
  }

  /// Returns whether an offered message was read, or is not wanted.
  ///
  /// @throws LostMemoryException if the memory for it is gone
  private boolean takeOffered(Inbound offer) {
    if (offer.loss != null) {
      throw offer.loss;
    }
    if (offer.into == null) {
      ReceiveStage stage = receives.arriving(offer.length, offer.tag, offer.type);
      if (stage == ReceiveStage.FILLING) {
        offer.into = receives.peek();
      }
      return stage == ReceiveStage.SKIPPING;
    }
    if (!offer.isRead()) {
      return false;
    }
    receives.received(offer.length, offer.tag, offer.type);
    return true;
  }

  private void consumed(Inbound packet) {
    letGoOfFirst();
    if (channel.isClosed()) {
      return;
    }
    packets.owe();
    if (packet.kind == Packet.OFFER) {
      untold[untoldCount++] = packet.sequence;
    }
  }

  private void letGoOfFirst() {
    Inbound packet = held(0);
    Buffer buffer = Objects.requireNonNull(packet.buffer);
    packet.buffer = null;
    packet.into = null;
    first = (first + 1) % held.length;
    count--;
    channel.receivingEndpoint.give(buffer);
  }

  // ---- reading

  /// Posts reads for the messages that were offered. Each message that is held uses up one receive,
  /// whether it fits or not, so that it is known which receive is whose.
  private long readAhead() {
    int receive = filling ? 1 : 0;
    int reading = 0;
    for (int i = 0; i < count && reading < READS_AHEAD && !channel.isClosed(); i++) {
      Inbound next = held(i);
      if (next.kind == Packet.MORE) {
        continue;
      }
      Transfer into = receives.peek(receive++);
      if (into == null) {
        return 0;
      }
      if (next.into == null
          && next.kind == Packet.OFFER
          && receives.fits(next.length, next.type, into)) {
        next.into = into;
      }
      if (next.into != null) {
        reading++;
        long result = postReads(next, next.into);
        if (result != 0) {
          return result;
        }
      }
    }
    return 0;
  }

  /// Posts reads for what is missing of a message: one for each part that lies in one range at both
  /// sides. What belongs into a file is read into buffers, since the library must not touch that.
  private long postReads(Inbound message, Transfer into) {
    MemorySegment offer = Objects.requireNonNull(message.buffer).memory();
    boolean copies = into.isMapped();
    while (message.posted < message.length
        && message.loss == null
        && (!copies || message.readsUnderWay < BUFFERS_AHEAD)) {
      long there = message.posted;
      int from = 0;
      while (there >= Packet.rangeBytes(offer, from)) {
        there -= Packet.rangeBytes(offer, from++);
      }
      int to = into.rangeAt(message.posted);
      long here = message.posted - into.before(to);
      long size = Math.min(Packet.rangeBytes(offer, from) - there, into.length(to) - here);
      size = Math.min(size, deviceQueue.limits().operationBytes());
      size = copies ? Math.min(size, Packet.CONTENT_BYTES) : size;
      Buffer buffer = copies ? deviceQueue.packets().take() : null;
      Operation operation =
          deviceQueue.operations().startRead(channel, message, buffer, message.posted, size);
      long result =
          channel.endpoint.read(
              buffer == null ? Packets.address(into, to, here, size) : buffer.address(),
              size,
              buffer == null ? Packets.descriptor(into.region(to)) : buffer.descriptor(),
              channel.peer(),
              Packet.rangeAddress(offer, from) + there,
              Packet.rangeKey(offer, from),
              operation.number);
      if (result != 0) {
        deviceQueue.operations().end(operation);
        if (buffer != null) {
          deviceQueue.giveBack(buffer);
        }
        return result;
      }
      message.posted += size;
      message.readsUnderWay++;
    }
    return 0;
  }

  /// Tells the peer which offers are consumed.
  ///
  /// @return 0 if it knows of all, or what the library says; `Endpoint.AGAIN` if some wait
  long tell() {
    int told = 0;
    long result = 0;
    while (told < untoldCount && result == 0) {
      result = packets.send(Packet.TAKEN, untold[told]);
      told += result == 0 ? 1 : 0;
    }
    untoldCount -= told;
    System.arraycopy(untold, told, untold, 0, untoldCount);
    return result;
  }

  // ---- the end

  /// From now on messages that arrive are not held.
  void discard() {
    discards = true;
  }

  /// Forgets what is held: nothing is read any more.
  void drop() {
    while (count > 0) {
      letGoOfFirst();
    }
  }

  void checkInvariants() {
    if (count < 0 || count > held.length || untoldCount > untold.length) {
      throw new IllegalStateException(count + " messages are held, " + untoldCount + " untold");
    }
  }
}
