package dev.tigris.net.shm;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.UnixSocket;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.Arena;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One peer: a [Channel], and the socket that brought it. The socket says when the peer is gone,
/// and wakes who sleeps; messages never take it.
///
/// What arrives is taken in stages:
///
/// ```text
///         a slot is there            a receive is posted
///   HEADER ------------> WAITING ----------------------> FILLING ---.
///      ^                    |                                        | all of it
///      |                    '--- refused or dropped ---> SKIPPING ---|
///      '-------------------------------------------------------------'
/// ```
///
/// A message stays in the ring until a receive is posted for it: the ring fills up, and the sender
/// waits. A peer that is gone has left its messages there, and they are taken first.
final class ShmLink extends Link {
  /// How many parts to take, and how many to write, before others get their turn: half a ring.
  private static final int MOST_PARTS = Ring.SLOTS / 2;

  private static final int MOST_PACKETS = 16;

  private enum Stage {
    HEADER,
    WAITING,
    FILLING,
    SKIPPING
  }

  private final ShmPort port;
  private final UnixSocket socket;
  private final Arena arena;
  private final Channel channel;
  private final String peer;
  private final long maximumIncomingBytes;

  private final Frame frame = new Frame();
  private Stage stage = Stage.HEADER;
  private long taken;

  /// Whether something was changed that the peer may sleep for.
  private boolean changed;

  private boolean peerIsGone;
  private boolean released;

  /// @param arena that the channel's memory belongs to: closed with the link
  ShmLink(
      ShmPort port,
      UnixSocket socket,
      Arena arena,
      Channel channel,
      String peer,
      Attributes attributes,
      long peerMaximum) {
    super(attributes, peerMaximum);
    this.port = port;
    this.socket = socket;
    this.arena = arena;
    this.channel = channel;
    this.peer = peer;
    this.maximumIncomingBytes = attributes.maximumMessageBytes();
    port.add(this);
  }

  UnixSocket socket() {
    return socket;
  }

  @Override
  public String peer() {
    return peer;
  }

  /// All memory is copied into the ring and out of it by the same loops, wherever it lies.
  @Override
  public boolean takesArrays() {
    return true;
  }

  @Override
  public void register(Region region) {}

  @Override
  public void deregister(Region region) {}

  /// Hands over what is to be sent. What has arrived stays where it is until completions are taken,
  /// which is when the state may change.
  @Override
  public void ring() {
    try {
      send();
    } catch (BreachException e) {
      failOf(e);
    }
    wakePeer();
  }

  /// Whether [#progress] might find something to do.
  boolean mayProgress() {
    return channel.in().seesMore() || !sends.isEmpty() || stage == Stage.WAITING || peerIsGone;
  }

  /// Moves what can be moved.
  void progress() {
    try {
      send();
      receive();
      if (peerIsGone && !released) {
        endUnlessThereIsMore();
      }
    } catch (BreachException e) {
      failOf(e);
    }
    wakePeer();
  }

  private void failOf(BreachException breach) {
    fail(Objects.requireNonNull(breach.getMessage()), breach);
  }

  /// Wakes the peer, if something was changed that it may sleep for.
  private void wakePeer() {
    if (changed && !released) {
      changed = false;
      if (channel.bell().mustWake()) {
        socket.nudge();
      }
    }
  }

  private void send() {
    for (int parts = 0; parts < MOST_PARTS; parts++) {
      Transfer next = sends.peek();
      if (next == null || !channel.out().write(next)) {
        return;
      }
      changed = true;
      if (next.progress == next.bytes()) {
        sent();
      } else {
        port.moving();
      }
    }
  }

  private void receive() {
    for (int parts = 0; parts < MOST_PARTS; parts++) {
      Stage now = stage;
      if (now == Stage.WAITING) {
        now = decided();
      } else if (!channel.in().look()) {
        return;
      } else if (now == Stage.HEADER) {
        now = begun();
      }
      if (now == Stage.WAITING || released) {
        stage = now;
        return;
      }
      Transfer into = now == Stage.FILLING ? receives.peek() : null;
      taken += channel.in().takePart(frame.length, taken, into);
      changed |= channel.in().giveBack();
      if (taken < frame.length) {
        port.moving();
      } else {
        if (now == Stage.FILLING) {
          received(frame.length, frame.tag, frame.type);
        }
        now = Stage.HEADER;
      }
      if (stage != now) { // see Transfer
        stage = now;
      }
    }
  }

  /// Takes the header; returns what comes of it, unless it is a goodbye.
  private Stage begun() {
    String wrong = channel.in().takeHeader(frame, maximumIncomingBytes);
    if (wrong != null) {
      throw new BreachException(wrong);
    }
    taken = 0;
    if (frame.goodbye) {
      release();
      ended();
      return Stage.HEADER;
    }
    return decided();
  }

  /// What becomes of the message.
  private Stage decided() {
    return switch (arriving(frame.length, frame.tag, frame.type)) {
      case WAIT -> Stage.WAITING;
      case FILL -> Stage.FILLING;
      case DISCARD -> Stage.SKIPPING;
    };
  }

  /// The socket has ended: nothing more is written to the ring, and what is there can be seen,
  /// since the kernel closes a socket after its process has written its last.
  private void endUnlessThereIsMore() {
    if (stage == Stage.WAITING) {
      if (!sends.isEmpty()) {
        fail("it is gone, with messages to it under way", null);
      }
    } else if (!channel.in().look()) {
      fail("it is gone without a goodbye: it was killed, or has aborted", null);
    }
  }

  // ---- what the port calls

  /// Takes the packets that have come: a nudge says nothing but that there was one. More than a few
  /// come from somebody who does not sleep, and can wait.
  void hear() {
    for (int i = 0; i < MOST_PACKETS && !released && !peerIsGone; i++) {
      switch (socket.discard()) { // nobody has asked for a file either
        case PACKET -> {}
        case END -> peerIsGone = true;
        case NOTHING -> {
          return;
        }
      }
    }
  }

  /// Says that this side sleeps, and adds what will wake it.
  void sleep(PollSet set) {
    channel.bell().sleep();
    if (!peerIsGone) { // or else there would be no wait for others
      set.add(socket.file());
    }
  }

  void awake() {
    channel.bell().awake();
  }

  /// Whether there is something to do after all. The thread that waits need not be the link's, and
  /// may then be told so in vain.
  boolean hasWork() {
    return (stage != Stage.WAITING && channel.in().seesMore())
        || (!sends.isEmpty() && channel.out().seesMoreRoom());
  }

  // ---- the end

  /// Ends the link as broken, unless it has ended already.
  void fail(String what, @Nullable Throwable cause) {
    release();
    broken(new NetException("exchange messages with", peer, what, cause));
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (released) {
      return;
    }
    if (inOrder) {
      channel.out().writeGoodbye(); // the end of the socket wakes the peer
    }
    release();
  }

  /// Closes the socket and takes the memory off. What was written to it stays for the peer.
  private void release() {
    if (!released) {
      released = true;
      port.remove(this);
      socket.close();
      arena.close();
    }
  }

  void checkInvariants() {
    channel.in().checkInvariants();
    channel.out().checkInvariants();
    if (taken > frame.length) {
      throw new IllegalStateException("more taken than was sent");
    }
  }
}
