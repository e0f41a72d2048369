package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Stage;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Over 400 lines: what arrives, and the ways in which a connection ends, share their state.

/// One connection. The library breaks a connection over a message that is longer than the receive
/// it meets, and knows neither types nor how to drop a message; so the receives of the application
/// are not posted to it. Instead:
///
/// ```text
///   up to 256 KiB   packets of up to 32 KiB     ------------->  buffers, copied from there
///
///   longer          offer: where it is          ------------->
///                   its memory                  <= remote read  the posted memory
///                                               <-------------  taken
/// ```
///
/// Receivers always have buffers posted: as many as the sender has credits, and a few for what
/// needs no credit. A message that has to wait for the application stays in its buffers, and its
/// credits with it, so that its sender is held back. Nothing is sent while completions are taken:
/// to send to a peer that has closed would lose what it has sent before.
class LibfabricLink extends Link {
  /// How many long messages are read at a time: while one is, the next is asked for.
  private static final int READS_AHEAD = 4;

  /// How long nothing must have arrived before a peer whose line has ended is given up: what it has
  /// sent goes another way, and may come later.
  private static final long QUIET_NANOS = 20_000_000;

  private final Channel channel;
  final Station station;
  private final String peer;
  private final long maximumIncomingBytes;
  private final Packet packet = new Packet();
  private final Packets packets;
  private final Outgoing outgoing;

  /// How many offers the station knows of.
  private int offers;

  /// What has arrived and is not consumed, in order.
  private final Inbound[] held;

  private int firstHeld;
  private int heldCount;
  private int inSequence;

  /// What has yet to arrive of the last message.
  private long missing;

  /// Whether a message is being copied to the first posted receive, piece by piece.
  private boolean filling;

  private long filledOf;
  private int filledTag;
  private DataType filledType = DataType.BYTES;
  private long filled;

  /// Offers that were consumed, and whose sender was not told.
  private final int[] untold;

  private int untoldCount;

  /// Whether each side has sent a first packet. Where endpoints are not connected, that has them
  /// find each other, and may take several attempts.
  private boolean greeted;

  private boolean heard;

  /// Whether this side's is the first of both: if both were, they might look for each other at the
  /// same time, and what they have sent get lost.
  private final boolean speaksFirst;
  private boolean isStuck;
  private boolean peerClosed;

  /// Since when nothing has arrived from a peer that has closed.
  private long quietSince;

  private boolean goodbyeReceived;
  private boolean goodbyeSent;
  private boolean lingering;
  private long lingersSince;

  /// @param speaksFirst whether this side has asked to be connected
  LibfabricLink(
      Channel channel,
      String peer,
      Attributes attributes,
      Greeting ours,
      Greeting theirs,
      boolean speaksFirst) {
    super(attributes, theirs.hello().maximumMessageBytes());
    this.channel = channel;
    this.station = channel.station;
    this.peer = peer;
    this.maximumIncomingBytes = attributes.maximumMessageBytes();
    this.packets = new Packets(channel, ours.sequence());
    this.outgoing =
        new Outgoing(
            station.device(),
            packets,
            sends,
            attributes.sendDepth(),
            theirs.window(),
            !station.copies());
    this.speaksFirst = speaksFirst;
    this.greeted = !channel.isShare();
    this.heard = !channel.isShare();
    this.inSequence = theirs.sequence();
    this.held = new Inbound[channel.window];
    for (int i = 0; i < held.length; i++) {
      held[i] = new Inbound();
    }
    this.untold = new int[channel.window];
    channel.link = this;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void register(Region region) {
    if (!station.registersMemory() || station.copies() || channel.isClosed()) {
      return;
    }
    long registration =
        station.device().register(region.segment().address(), region.bytes(), false, false);
    if (registration < 0) {
      throw Failures.of(
          "register memory for messages with", peer, station.device(), (int) -registration);
    }
    region.registered = new Packets.Registered(registration, Device.descriptor(registration));
  }

  @Override
  public void deregister(Region region) {
    if (region.registered instanceof Packets.Registered(long registration, long _)) {
      station.device().deregister(registration);
    }
  }

  // ---- moving

  /// Both sides are connected.
  void connected() {
    channel.settle();
    stick();
  }

  @Override
  public void ring() {
    goOn();
  }

  /// Has the station call [#asked] when it has taken what has arrived.
  private void stick() {
    if (!isStuck) {
      isStuck = true;
      station.stuck(this);
    }
  }

  void asked() {
    isStuck = false;
    if (peerClosed) {
      if (channel.isShare() && !lingering && System.nanoTime() - quietSince < QUIET_NANOS) {
        stick();
      } else {
        fail("the connection is lost: the peer has closed it");
      }
    }
    goOn();
  }

  /// The peer has closed its endpoint: what it sent before was taken.
  void peerClosed() {
    quietSince = peerClosed ? quietSince : System.nanoTime();
    peerClosed = true;
    stick();
  }

  /// Does what can be done.
  private void goOn() {
    if (lingering) {
      linger();
      return;
    }
    consume();
    if (!channel.isClosed()) {
      postReceives();
    }
    if (channel.isSettled() && !channel.isClosed() && greet()) {
      tell();
      if (!channel.isClosed()) {
        check(outgoing.push());
        countOffers();
        completeSends();
      }
      giveCredit();
    }
  }

  private void countOffers() {
    station.offered(outgoing.offers() - offers);
    offers = outgoing.offers();
  }

  private boolean greet() {
    greeted = greeted || ((speaksFirst || heard) && check(packets.send(Packet.CREDIT, 0)));
    return greeted;
  }

  /// Whether both sides have heard of each other.
  boolean isGreeted() {
    return greeted && heard;
  }

  private void postReceives() {
    int error = channel.mailbox.post();
    if (error != 0) {
      fail("memory for messages cannot be posted: " + station.device().describe(error));
    } else if (channel.mailbox.hasUnposted()) {
      stick();
    }
  }

  /// Looks at what the library says; returns whether a packet was sent.
  private boolean check(long result) {
    if (result == Endpoint.AGAIN) {
      stick();
    } else if (result != 0) {
      fail("a message cannot be sent: " + station.device().describe((int) -result));
    }
    return result == 0;
  }

  private void completeSends() {
    while (!channel.isClosed() && outgoing.takeSent()) {
      sent();
    }
  }

  /// A packet has left its memory.
  void packetSent(@Nullable Outbound message, int failure) {
    if (failure != 0) {
      fail("the connection is lost: " + station.device().describe(failure));
    } else if (message != null) {
      message.piecesUnderWay--;
      completeSends();
    }
  }

  /// Tells the peer what is consumed, when it is much: else the next message does.
  private void giveCredit() {
    if (!channel.isClosed() && packets.owed() >= Math.max(1, channel.window / 2)) {
      check(packets.send(Packet.CREDIT, 0));
    }
  }

  /// Tells the peer which offers are consumed.
  private void tell() {
    int told = 0;
    while (told < untoldCount && check(packets.send(Packet.TAKEN, untold[told]))) {
      told++;
    }
    untoldCount -= told;
    System.arraycopy(untold, told, untold, 0, untoldCount);
  }

  // ---- receiving

  /// Takes a packet.
  void arrived(Buffer buffer, long bytes, int failure) {
    if (failure != 0) {
      channel.mailbox.give(buffer);
      fail("the connection is lost: " + station.device().describe(failure));
      return;
    }
    heard = true;
    quietSince = peerClosed ? System.nanoTime() : 0;
    int heldBefore = heldCount;
    String wrong = packet.take(buffer.memory(), bytes, maximumIncomingBytes, inSequence++);
    if (wrong == null) {
      wrong = look(buffer);
    }
    if (wrong != null) {
      channel.mailbox.give(buffer);
      goodbyeReceived = false;
      failOfBreach(wrong);
      return;
    }
    if (heldCount == heldBefore) {
      channel.mailbox.give(buffer);
    }
    stick();
  }

  /// Acts on a packet; returns what is wrong with it.
  private @Nullable String look(Buffer buffer) {
    if (goodbyeReceived) {
      return "a packet after the last";
    }
    if (!outgoing.credit(packet.credits)) {
      return "more credit than was used";
    }
    switch (packet.kind) {
      case Packet.TAKEN -> {
        if (!outgoing.taken(packet.tag)) {
          return "nothing was offered as number " + packet.tag;
        }
        countOffers();
        completeSends();
      }
      case Packet.GOODBYE -> goodbyeReceived = true;
      case Packet.MESSAGE, Packet.OFFER, Packet.MORE -> {
        if (packet.kind == Packet.OFFER && station.copies()) {
          return "an offer where none can be read";
        }
        boolean isMore = packet.kind == Packet.MORE;
        if (isMore ? packet.content > missing : missing > 0) {
          return "%d bytes where %d of a message are missing".formatted(packet.content, missing);
        }
        missing =
            switch (packet.kind) {
              case Packet.MESSAGE -> packet.length - packet.content;
              case Packet.MORE -> missing - packet.content;
              default -> 0;
            };
        if (missing > 0) {
          station.moved();
        }
        if (lingering) {
          return null;
        }
        if (heldCount == held.length) {
          return "a message without credit";
        }
        heldCount++;
        heldAt(heldCount - 1).start(packet, buffer);
      }
      default -> {
        // nothing but credit
      }
    }
    return null;
  }

  private Inbound heldAt(int index) {
    return held[(firstHeld + index) % held.length];
  }

  /// Consumes what has arrived, as far as receives are posted.
  private void consume() {
    while (heldCount > 0 && consumeFirst()) {
      // and the next one
    }
    readAhead();
    if (goodbyeReceived && heldCount == 0 && !lingering) {
      release();
      if (missing > 0) {
        broken(failure("it ended within a message", null));
      } else {
        ended();
      }
    }
  }

  /// Returns whether the first packet that is held was consumed.
  private boolean consumeFirst() {
    if (untoldCount == untold.length) {
      return false; // the peer is told first
    }
    Inbound first = heldAt(0);
    switch (first.kind) {
      case Packet.MESSAGE -> {
        Stage next = arriving(first.length, first.tag, first.type);
        if (next == Stage.WAITING) {
          return false;
        }
        filling = next == Stage.FILLING;
        filledOf = first.length;
        filledTag = first.tag;
        filledType = first.type;
        filled = 0;
        fill(first);
      }
      case Packet.MORE -> fill(first);
      default -> {
        if (first.into == null) {
          Stage next = arriving(first.length, first.tag, first.type);
          if (next == Stage.FILLING) {
            first.into = receives.peek();
          }
          if (next != Stage.SKIPPING) {
            return false;
          }
        } else if (first.isRead()) {
          received(first.length, first.tag, first.type);
        } else {
          return false;
        }
      }
    }
    consumed(first);
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
      received(filledOf, filledTag, filledType);
    }
  }

  private void consumed(Inbound first) {
    Buffer buffer = Objects.requireNonNull(first.buffer);
    first.buffer = null;
    first.into = null;
    firstHeld = (firstHeld + 1) % held.length;
    heldCount--;
    channel.mailbox.give(buffer);
    if (channel.isClosed()) {
      return;
    }
    packets.owe();
    if (first.kind == Packet.OFFER) {
      untold[untoldCount++] = first.sequence;
    }
  }

  /// Posts reads for the messages that were offered. Each message that is held uses up one receive,
  /// whether it fits or not, so that it is known which receive is whose.
  private void readAhead() {
    int receive = filling ? 1 : 0;
    int reading = 0;
    for (int i = 0; i < heldCount && reading < READS_AHEAD && !channel.isClosed(); i++) {
      Inbound next = heldAt(i);
      if (next.kind == Packet.MORE) {
        continue;
      }
      Transfer into = receives.peek(receive++);
      if (into == null) {
        return;
      }
      if (next.into == null && next.kind == Packet.OFFER && fits(next, into)) {
        next.into = into;
      }
      if (next.into != null) {
        reading++;
        if (!postReads(next, next.into)) {
          return;
        }
      }
    }
  }

  private boolean fits(Inbound message, Transfer into) {
    return message.length <= into.bytes()
        && (!attributes().checkTypes() || message.type == into.memoryType());
  }

  /// Posts reads for what is missing of a message: one for each part that lies in one range at both
  /// sides. Returns whether all are.
  private boolean postReads(Inbound message, Transfer into) {
    MemorySegment offer = Objects.requireNonNull(message.buffer).memory();
    while (message.posted < message.length) {
      long there = message.posted;
      int from = 0;
      while (there >= Packet.rangeBytes(offer, from)) {
        there -= Packet.rangeBytes(offer, from++);
      }
      int to = into.rangeAt(message.posted);
      long here = message.posted - into.before(to);
      long size = Math.min(Packet.rangeBytes(offer, from) - there, into.length(to) - here);
      size = Math.min(size, station.operationBytes());
      Operation operation = station.startRead(channel, message);
      long result =
          channel.endpoint.read(
              Packets.address(into, to, here, size),
              size,
              Packets.descriptor(into.region(to)),
              channel.peer(),
              Packet.rangeAddress(offer, from) + there,
              Packet.rangeKey(offer, from),
              operation.number);
      if (result != 0) {
        station.abandon(operation.number);
        return check(result);
      }
      message.posted += size;
      message.readsUnderWay++;
    }
    return true;
  }

  /// A part of a message was read.
  void read(Inbound message, int failure) {
    message.readsUnderWay--;
    if (failure != 0) {
      fail("a message cannot be read: " + station.device().describe(failure));
    } else {
      stick();
    }
  }

  // ---- ending

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    if (lingering) {
      release();
    } else if (goodbyeReceived && missing == 0 && !holdsOffers()) {
      closeChannel(); // what the peer has sent is all here
      stick();
    } else if (isConnected()) {
      release();
      broken(failure(what, cause));
    }
  }

  private boolean holdsOffers() {
    for (int i = 0; i < heldCount; i++) {
      if (heldAt(i).kind == Packet.OFFER) {
        return true;
      }
    }
    return false;
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (channel.isClosed() || !inOrder) {
      release();
    } else {
      lingering = true;
      lingersSince = System.nanoTime();
      awaitReads();
      drop();
      linger();
      if (!channel.isClosed()) {
        station.lingers(this);
      }
    }
  }

  /// Waits until nothing is read into posted memory; a peer that does not answer is given up.
  private void awaitReads() {
    while (isReading() && !channel.isClosed()) {
      station.progress();
      if (isOverdue(System.nanoTime())) {
        release();
      }
    }
  }

  private boolean isReading() {
    for (int i = 0; i < heldCount; i++) {
      if (heldAt(i).readsUnderWay > 0) {
        return true;
      }
    }
    return false;
  }

  /// Says goodbye, and waits until the peer does too, or has closed.
  private void linger() {
    if (!channel.isClosed()) {
      postReceives();
    }
    if (goodbyeReceived || channel.isClosed()) {
      release();
      return;
    }
    if (channel.isSettled() && !goodbyeSent) {
      tell();
      goodbyeSent =
          untoldCount == 0 && !channel.isClosed() && check(packets.send(Packet.GOODBYE, 0));
    }
  }

  /// Whether it has waited long enough after its close.
  private boolean isOverdue(long now) {
    return lingering && now - lingersSince > Port.LINGER_NANOS;
  }

  /// Gives up a peer that has not closed its side in time; returns whether nothing lingers any
  /// more.
  boolean isOver(long now) {
    if (isOverdue(now)) {
      release();
    }
    return channel.isClosed();
  }

  /// Forgets what is held.
  private void drop() {
    for (; heldCount > 0; heldCount--) {
      Inbound first = heldAt(0);
      Buffer buffer = Objects.requireNonNull(first.buffer);
      first.buffer = null;
      first.into = null;
      firstHeld = (firstHeld + 1) % held.length;
      channel.mailbox.give(buffer);
    }
  }

  private void closeChannel() {
    if (!channel.isClosed()) {
      channel.close();
      outgoing.close();
      countOffers();
      closed();
    }
  }

  /// The endpoint is closed.
  void closed() {}

  /// Closes the endpoint: after this the library touches nothing of this link.
  void release() {
    closeChannel();
    drop();
  }

  void checkInvariants() {
    outgoing.checkInvariants();
    if (heldCount < 0 || heldCount > held.length || untoldCount > untold.length) {
      throw new IllegalStateException(heldCount + " messages are held, " + untoldCount + " untold");
    }
  }
}
