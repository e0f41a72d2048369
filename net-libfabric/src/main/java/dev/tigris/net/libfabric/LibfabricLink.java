package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.libfabric.raw.Endpoint;
import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.HandshakeListener;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.Region;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Over 400 lines: the ways in which a connection is made and ends share its state.

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
  /// How long nothing must have arrived before a peer whose line has ended is given up: what it has
  /// sent goes another way, and may come later.
  private static final long QUIET_NANOS = 20_000_000;

  /// How long a peer that was accepted may take for its first word: as long as somebody who has
  /// connected to a listener. Nobody waits for it meanwhile.
  private static final long SILENT_NANOS = HandshakeListener.HANDSHAKE_NANOS;

  private final Channel channel;
  final DeviceQueue deviceQueue;
  private final String peer;
  private final long maximumIncomingBytes;
  private final Packet packet = new Packet();
  private final Packets packets;
  private final LibfabricSender outgoing;
  private final LibfabricReceiver incoming;

  /// How many offers the device queue knows of.
  private int offers;

  private int inSequence;

  /// Whether each side has sent a first packet. Where endpoints are not connected, that has them
  /// find each other, and may take several attempts.
  private boolean greeted;

  private boolean heard;

  /// Whether this side's is the first of both: if both were, they might look for each other at the
  /// same time, and what they have sent get lost.
  private final boolean speaksFirst;

  /// When a peer that was accepted is given up, by the time that its device queue has looked.
  private long silentUntil;

  private boolean isStuck;
  private boolean peerClosed;

  /// Since when nothing has arrived from a peer that has closed.
  private long quietSince;

  private boolean goodbyeReceived;
  private boolean goodbyeSent;

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
    this.deviceQueue = channel.deviceQueue;
    this.peer = peer;
    this.maximumIncomingBytes = attributes.maximumMessageBytes();
    this.packets = new Packets(channel, ours.sequence());
    this.outgoing =
        new LibfabricSender(
            deviceQueue.device(),
            packets,
            sends,
            attributes.sendDepth(),
            theirs.window(),
            !deviceQueue.copies());
    this.speaksFirst = speaksFirst;
    this.greeted = !channel.isShare();
    this.heard = !channel.isShare();
    this.inSequence = theirs.sequence();
    this.incoming = new LibfabricReceiver(channel, packets, receives);
    channel.link = this;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void register(Region region) {
    boolean copies = deviceQueue.copies() || region.isMapped();
    if (!deviceQueue.limits().registersMemory() || copies || channel.isClosed()) {
      return;
    }
    long registration =
        deviceQueue.device().register(region.segment().address(), region.bytes(), false, false);
    if (registration < 0) {
      throw Failures.of(
          "register memory for messages with", peer, deviceQueue.device(), (int) -registration);
    }
    region.registration(new Packets.Registered(registration, Device.descriptor(registration)));
  }

  @Override
  public void deregister(Region region) {
    if (region.registration() instanceof Packets.Registered(long registration, long _)) {
      deviceQueue.device().deregister(registration);
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

  /// Has the device queue call [#asked] when it has taken what has arrived.
  private void stick() {
    if (!isStuck) {
      isStuck = true;
      deviceQueue.stuck(this);
    }
  }

  void asked() {
    isStuck = false;
    if (peerClosed && !channel.isClosed()) {
      if (!deviceQueue.isEmptied() || (channel.isShare() && !isLingering() && !isQuiet())) {
        stick();
        deviceQueue.ends();
      } else {
        lost(
            isMade() || speaksFirst
                ? "the connection is lost: the peer has closed it"
                : "the peer has given up connecting");
      }
    }
    goOn();
  }

  private boolean isQuiet() {
    return System.nanoTime() - quietSince >= QUIET_NANOS;
  }

  /// The peer has closed its endpoint: what it sent before may have yet to be taken.
  void peerClosed() {
    quietSince = peerClosed ? quietSince : System.nanoTime();
    peerClosed = true;
    stick();
    deviceQueue.ends();
  }

  /// The library says that the endpoint has failed.
  void failed(String why) {
    lost((channel.isSettled() ? "the connection is lost: " : "the peer has given up: ") + why);
  }

  /// Does what can be done.
  private void goOn() {
    if (isLingering()) {
      linger();
      return;
    }
    try {
      exchange();
    } catch (LostMemoryException e) {
      failOf(e);
    }
  }

  private void exchange() {
    if (channel.isSettled()) {
      consume();
    }
    if (peerClosed && !channel.isShare()) {
      return; // the endpoint takes nothing more, and what it has brought may have yet to be taken
    }
    if (!channel.isClosed()) {
      postReceives();
    }
    if (channel.isSettled() && !channel.isClosed() && greet()) {
      check(incoming.tell());
      if (!channel.isClosed()) {
        check(outgoing.push());
        countOffers();
        completeSends();
      }
      giveCredit();
    }
  }

  private void countOffers() {
    deviceQueue.offered(outgoing.offers() - offers);
    offers = outgoing.offers();
  }

  private boolean greet() {
    greeted = greeted || ((speaksFirst || heard) && check(packets.send(Packet.CREDIT, 0)));
    return greeted;
  }

  /// Whether both sides have heard of each other. Before that nothing is sent but a first word.
  boolean isMade() {
    return channel.isSettled() && greeted && heard;
  }

  /// This side has accepted, and looks for the peer's first word from now on.
  ///
  /// @param looked how long its device queue has looked so far
  void accepted(long looked) {
    silentUntil = looked + SILENT_NANOS;
  }

  /// How long it may take still.
  long silentForNanos(long looked) {
    return Math.max(0, silentUntil - looked);
  }

  /// Gives up a peer that has said nothing for too long; returns whether nothing is expected any
  /// more.
  boolean isHeardOrGivenUp(long looked) {
    if (isMade() || !isConnected()) {
      return true;
    }
    if (looked < silentUntil) {
      return false;
    }
    fail("the connection is not made in time: the peer has said nothing");
    return true;
  }

  private void postReceives() {
    int error = channel.receivingEndpoint.post();
    if (error != 0) {
      lost("memory for messages cannot be posted: " + deviceQueue.device().describe(error));
    } else if (channel.receivingEndpoint.hasUnposted()) {
      stick();
    }
  }

  /// Looks at what the library says; returns whether a packet was sent.
  private boolean check(long result) {
    if (result == Endpoint.AGAIN) {
      stick();
    } else if (result != 0) {
      lost("a message cannot be sent: " + deviceQueue.device().describe((int) -result));
    }
    return result == 0;
  }

  private void completeSends() {
    while (!channel.isClosed() && outgoing.takeSent()) {
      sends.sent();
    }
  }

  /// A packet has left its memory.
  void packetSent(@Nullable Outbound message, int failure) {
    if (failure != 0) {
      lost("the connection is lost: " + deviceQueue.device().describe(failure));
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

  // ---- receiving

  /// Takes a packet.
  void arrived(Buffer buffer, long bytes, int failure) {
    if (failure != 0) {
      channel.receivingEndpoint.give(buffer);
      lost("the connection is lost: " + deviceQueue.device().describe(failure));
      return;
    }
    heard = true;
    quietSince = peerClosed ? System.nanoTime() : 0;
    int heldBefore = incoming.count();
    try {
      packet.take(buffer.memory(), bytes, maximumIncomingBytes, inSequence++);
      look(buffer);
    } catch (BreachException e) {
      channel.receivingEndpoint.give(buffer);
      failOf(e);
      return;
    }
    if (incoming.count() == heldBefore) {
      channel.receivingEndpoint.give(buffer);
    }
    stick();
  }

  /// Acts on a packet.
  private void look(Buffer buffer) {
    if (goodbyeReceived) {
      throw new BreachException("a packet after the last");
    }
    if (!outgoing.credit(packet.credits)) {
      throw new BreachException("more credit than was used");
    }
    switch (packet.kind) {
      case Packet.TAKEN -> {
        if (!outgoing.taken(packet.tag)) {
          throw new BreachException("nothing was offered as number " + packet.tag);
        }
        countOffers();
        completeSends();
      }
      case Packet.GOODBYE -> goodbyeReceived = true;
      case Packet.MESSAGE, Packet.OFFER, Packet.MORE -> {
        if (packet.kind == Packet.OFFER && deviceQueue.copies()) {
          throw new BreachException("an offer where none can be read");
        }
        incoming.arrived(packet, buffer);
      }
      default -> {
        // nothing but credit
      }
    }
  }

  /// Consumes what has arrived, as far as receives are posted. What is sent while some of it waits,
  /// and the peer has closed, reaches no peer.
  private void consume() {
    check(incoming.consume());
    if (goodbyeReceived && incoming.count() == 0 && !isLingering()) {
      release();
      if (incoming.isWithinMessage()) {
        broken(failure("it ended within a message", null));
      } else {
        ended();
      }
    } else if (channel.isClosed() && !sends.isEmpty()) {
      fail("it is gone, with messages to it under way");
    }
  }

  /// A part of a message was read: to its place, or into a buffer, and then which part.
  void read(Inbound message, @Nullable Buffer buffer, long from, long size, int failure) {
    message.readsUnderWay--;
    if (failure != 0) {
      lost("a message cannot be read: " + deviceQueue.device().describe(failure));
      return;
    }
    stick();
    try {
      if (buffer != null && !isLingering()) {
        Objects.requireNonNull(message.into).copyFrom(buffer.memory(), 0, from, size);
      }
    } catch (LostMemoryException e) {
      message.loss = e;
    }
  }

  // ---- ending

  /// The library says that something has failed. When the peer has said goodbye and all that it has
  /// sent is here, that is how it closes.
  void lost(String what) {
    if (!isLingering()
        && goodbyeReceived
        && !incoming.isWithinMessage()
        && !incoming.holdsOffers()) {
      closeChannel();
      stick();
    } else {
      fail(what);
    }
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    if (isLingering()) {
      release();
    } else if (isConnected()) {
      release();
      broken(failure(what, cause));
    }
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (channel.isClosed() || !inOrder) {
      release();
    } else {
      startLingering();
      incoming.discard();
      awaitReads();
      incoming.drop();
      linger();
      if (!channel.isClosed()) {
        deviceQueue.lingers(this);
      }
    }
  }

  /// Waits until nothing is read into posted memory; a peer that does not answer is given up.
  private void awaitReads() {
    while (incoming.isReading() && !channel.isClosed()) {
      deviceQueue.progress(false);
      if (isOverdue()) {
        release();
      }
    }
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
    if (channel.isSettled() && !goodbyeSent && greet()) {
      goodbyeSent = check(incoming.tell()) && check(packets.send(Packet.GOODBYE, 0));
    }
  }

  /// Gives up a peer that has not closed its side in time; returns whether nothing lingers any
  /// more.
  boolean isOver() {
    if (isOverdue()) {
      release();
    }
    return channel.isClosed();
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
    incoming.drop();
  }

  @Override
  public void checkInvariants() {
    outgoing.checkInvariants();
    incoming.checkInvariants();
  }
}
