// Over 400 lines: what is sent and what arrives have one end, and share what leads to it.
package dev.tigris.net.shm;

import dev.tigris.net.Attributes;
import dev.tigris.net.linux.LastingMemory;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.SteadyMemory;
import dev.tigris.net.linux.UnixSocket;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Stage;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One peer: a [Channel], and the socket that brought it. The socket says when the peer is gone,
/// and wakes who sleeps; messages never take it.
///
/// A long message in memory that is lent ([Loan]) has one slot, and is copied from where it lies.
///
/// A message that lies in one place, be that such memory or a single part in the ring, stays there
/// if the receive asks for that. The memory then is mapped until the message is given back, even if
/// the connection ends before.
///
/// A message stays in the ring until a receive is posted for it: the ring fills up, and the sender
/// waits. A peer that is gone has left its messages there, and they are taken first.
final class ShmLink extends Link {
  /// How many parts to take, and how many to write, before others get their turn: half a ring.
  private static final int MOST_PARTS = Ring.SLOTS / 2;

  private static final int MOST_PACKETS = 16;

  /// How much of a message in lent memory counts as a part.
  private static final int LENT_PART_BYTES = 1 << 16;

  private final ShmPort port;
  private final UnixSocket socket;
  private final LastingMemory memory;
  private final Channel channel;
  private final String peer;
  private final long maximumIncomingBytes;

  private final Lender lender;
  private final Borrower borrower = new Borrower();

  /// How many sends, from the first on, are written as a whole and not complete: the first one lies
  /// in lent memory, which the peer has not copied yet.
  private int handedOver;

  private final Frame frame = new Frame();
  private Stage stage = Stage.HEADER;
  private long taken;

  /// Of the message that is being taken, if that lies in lent memory.
  private Borrower.@Nullable Borrowed lent;
  private long lentOffset;

  /// Whether something was changed that the peer may sleep for.
  private boolean changed;

  private boolean peerIsGone;

  /// What the peer has said that it must not.
  private @Nullable BreachException breach;

  private boolean released;

  /// Whether the memory is gone too, which outlives the connection while messages lie there that
  /// were left in place.
  private boolean unmapped;

  /// By slot: in which loan a message lies that was left there, from 1 on; 0 where it lies in the
  /// ring.
  private final byte[] loans = new byte[Ring.SLOTS];

  /// The ring as who reads such messages sees it; null if there was none.
  private @Nullable Reading reading;

  private record Reading(Arena arena, MemorySegment ring) {}

  /// @param memory that the channel lies in: closed with the link
  ShmLink(
      ShmPort port,
      UnixSocket socket,
      LastingMemory memory,
      Channel channel,
      String peer,
      Attributes attributes,
      long peerMaximum) {
    super(attributes, peerMaximum);
    this.port = port;
    this.socket = socket;
    this.memory = memory;
    this.channel = channel;
    this.peer = peer;
    this.lender = new Lender(socket);
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

  /// Lends it, if it is shared.
  @Override
  public void register(Region region) {
    if (!released) {
      region.registered = lender.lend(region);
    }
  }

  @Override
  public void deregister(Region region) {
    if (!released && region.registered instanceof Loan loan) {
      lender.takeBack(loan);
    }
  }

  /// Hands over what is to be sent. What has arrived stays where it is until completions are taken,
  /// which is when the state may change.
  @Override
  public void ring() {
    try {
      send();
      changed |= channel.in().giveLentBack();
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
        BreachException heard = breach;
        if (heard != null) {
          throw heard;
        }
        endUnlessThereIsMore();
      }
    } catch (BreachException e) {
      failOf(e);
    }
    wakePeer();
  }

  /// Does what makes the next message faster; returns whether there is more of that.
  boolean fetch() {
    return !released && channel.out().fetch();
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
      completeTaken();
      Transfer next = sends.peek(handedOver);
      if (next == null || !write(next)) {
        return;
      }
      changed = true;
    }
  }

  /// Completes what was written and waits for lent memory to be copied.
  private void completeTaken() {
    while (handedOver > 0) {
      Transfer first = Objects.requireNonNull(sends.peek());
      if (!channel.out().hasTaken(first)) {
        return;
      }
      handedOver--;
      sent();
    }
  }

  /// Writes what can be written of the first message that is not handed over; returns whether that
  /// was anything.
  private boolean write(Transfer next) {
    Loan loan = next.bytes() < Loan.LEAST_BYTES ? null : loan(next);
    if (loan != null) {
      if (!channel.out().lend(next, loan.number())) {
        return false;
      }
      handedOver++;
      port.moving();
      return true;
    }
    if (!channel.out().write(next)) {
      return false;
    }
    if (next.bytes() >= Ring.LEAST_FETCHED_BYTES) {
      port.mayFetch();
    }
    if (next.progress < next.bytes()) {
      port.moving();
    } else if (handedOver == 0) {
      sent();
    } else {
      handedOver++;
    }
    return true;
  }

  private static @Nullable Loan loan(Transfer message) {
    return message.count() == 1 && message.region(0).registered instanceof Loan loan ? loan : null;
  }

  private void receive() {
    takeParts();
    if (!released) {
      changed |= channel.in().giveLentBack();
    }
  }

  private void takeParts() {
    for (int parts = 0; parts < MOST_PARTS; parts++) {
      Stage now = stage;
      if (now == Stage.WAITING) {
        now = arriving(frame.length, frame.tag, frame.type);
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
      if (into != null && into.isWantedInPlace() && isWhole()) {
        leave(into);
        if (released) {
          return;
        }
      } else if (channel.in().isLent()) {
        takeLent(into);
        if (released) {
          return;
        }
      } else {
        taken += channel.in().takePart(frame.length, taken, into);
        changed |= channel.in().giveBack();
      }
      if (taken < frame.length) {
        port.moving();
      } else {
        if (now == Stage.FILLING) {
          completeTaken(); // before its answer
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
    if (channel.in().isLent()) {
      findLent();
    }
    return arriving(frame.length, frame.tag, frame.type);
  }

  /// Finds the memory that a message lies in.
  private void findLent() {
    int number = channel.in().loan();
    Borrower.Borrowed loan = borrower.find(number);
    for (int i = 0; loan == null && port.hears(this) && i < Loan.MOST; i++) {
      loan = borrower.find(number); // the packet was sent before the slot was written
    }
    if (breach != null) {
      throw breach;
    }
    if (loan == null) {
      throw new BreachException("a message in loan %d, which there is not".formatted(number));
    }
    lentOffset = channel.in().loanOffset();
    if (lentOffset < 0 || lentOffset > loan.memory().byteSize() - frame.length) {
      throw new BreachException(
          "a message of %d bytes at %d of a loan of %d"
              .formatted(frame.length, lentOffset, loan.memory().byteSize()));
    }
    if (lent != loan) { // see Transfer
      lent = loan;
    }
  }

  /// Takes the next part of a message in lent memory; gives its slot back after the last one.
  private void takeLent(@Nullable Transfer into) {
    MemorySegment memory = Objects.requireNonNull(lent).memory();
    long bytes = frame.length - taken;
    if (into != null) {
      bytes = Math.min(bytes, LENT_PART_BYTES);
      copy(memory, lentOffset + taken, into, bytes);
    }
    taken += bytes;
    if (taken < frame.length) {
      return;
    }
    if (channel.in().isWithdrawn()) {
      failOfWithdrawal();
      return;
    }
    changed |= channel.in().takeLent(frame.length);
  }

  private void failOfWithdrawal() {
    fail("it has ended the connection while a message of it was copied");
  }

  /// Whether all of the message lies in one place.
  private boolean isWhole() {
    return channel.in().isLent() || frame.length <= Ring.PART_BYTES;
  }

  /// Leaves the message where it lies.
  private void leave(Transfer into) {
    RingReader in = channel.in();
    if (in.isLent()) {
      Borrower.Borrowed loan = Objects.requireNonNull(lent);
      MemorySegment place = loan.memory();
      if (in.isWithdrawn()) {
        failOfWithdrawal();
        return;
      }
      in.leaveLent();
      into.leave(place, lentOffset, in.lastTaken());
      borrower.leave(loan.index());
      loans[Ring.index(in.lastTaken())] = (byte) (loan.index() + 1);
    } else {
      Reading reader = reading;
      if (reader == null) {
        Arena arena = Arena.ofShared();
        reader = new Reading(arena, in.forReading(arena));
        reading = reader;
      }
      long at = in.leave(frame.length);
      into.leave(reader.ring, at, in.lastTaken());
    }
    taken = frame.length;
  }

  @Override
  public boolean givenBack(Transfer left) {
    if (unmapped) {
      return false;
    }
    channel.in().release(left.progress);
    int slot = Ring.index(left.progress);
    boolean intact = true;
    if (loans[slot] != 0) {
      borrower.release(loans[slot] - 1);
      loans[slot] = 0;
      intact = !channel.in().isWithdrawn();
    }
    if (released && !channel.in().hasLeft()) {
      unmap();
    }
    return intact;
  }

  /// Copies what comes next. Nobody can take pages out of lent memory: see [Borrower].
  private void copy(MemorySegment lentMemory, long at, Transfer into, long bytes) {
    if (into.count() == 1 && into.region(0).isSteady()) {
      SteadyMemory.copy(lentMemory, at, into.region(0).segment(), into.offset(0) + taken, bytes);
    } else {
      into.copyFrom(lentMemory, at, taken, bytes);
    }
  }

  /// The socket has ended: nothing more is written to the ring, and what is there can be seen,
  /// since the kernel closes a socket after its process has written its last.
  private void endUnlessThereIsMore() {
    if (stage == Stage.WAITING) {
      if (!sends.isEmpty()) {
        fail("it is gone, with messages to it under way");
      }
    } else if (!channel.in().look()) {
      fail("it is gone without a goodbye: it was killed, or has aborted");
    }
  }

  // ---- what the port calls

  /// Takes the packets that have come, up to a nudge, which says nothing but that there was one:
  /// there is one for each time that this side sleeps, so that to look for another one would be in
  /// vain.
  ///
  /// @return whether there were any
  boolean hear() {
    for (int i = 0; i < MOST_PACKETS && !released && !peerIsGone; i++) {
      switch (socket.hear()) {
        case NUDGE -> {
          return true;
        }
        case PACKET -> heard();
        case END -> peerIsGone = true;
        case NOTHING -> {
          return i > 0;
        }
      }
    }
    return !released;
  }

  private void heard() {
    try {
      borrower.hear(socket.heard());
    } catch (BreachException e) {
      breach = e;
      peerIsGone = true; // it is treated as if it were
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

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    release();
    broken(failure(what, cause));
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (!released && inOrder) {
      channel.out().writeGoodbye(); // the end of the socket wakes the peer
    }
    release();
    unmap();
  }

  /// Closes the socket, and takes the memory off unless messages in it are still to be read. What
  /// was written to it stays for the peer.
  private void release() {
    if (!released) {
      released = true;
      channel.out().withdraw();
      port.remove(this);
      socket.close();
      if (!channel.in().hasLeft()) {
        unmap();
      }
    }
  }

  private void unmap() {
    if (!unmapped) {
      unmapped = true;
      Reading reader = reading;
      if (reader == null || Borrower.close(reader.arena)) {
        memory.close(); // which lets another connection have it
      }
      borrower.close();
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
