package dev.tigris.net.shm;

import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.ReceiveQueue;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.LastingMemory;
import dev.tigris.os.MemoryCopy;
import dev.tigris.os.UnixSocket;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The receiving half of a link: takes messages out of the ring, part by part, or copies them from
/// memory that the peer has lent; and leaves those in place that the application wants to read
/// there.
///
/// A message stays in the ring until a receive is posted for it: the ring fills up, and the sender
/// waits. A message that was left in place keeps its slot, or its loan, until it is given back.
///
/// Of loans the peer tells in packets of the socket, which this takes too: they may come later than
/// a message that lies in one.
final class ShmReceiver {
  /// How many parts to take before others get their turn: half a ring.
  private static final int MOST_PARTS = Ring.SLOTS / 2;

  private static final int MOST_PACKETS = 16;

  /// How much of a message in lent memory counts as a part.
  private static final int LENT_PART_BYTES = 1 << 16;

  /// What has ended the messages.
  enum End {
    NOT_YET,
    /// The peer has said goodbye.
    GOODBYE,
    /// The peer has broken off while a message in memory of its own was copied.
    WITHDRAWN
  }

  private final ShmPort port;
  private final UnixSocket socket;
  private final RingReader ring;
  private final ReceiveQueue receives;
  private final ShmSender outgoing;
  private final long maximumBytes;

  private final Frame frame = new Frame();
  private ReceiveStage stage = ReceiveStage.HEADER;
  private long taken;
  private End end = End.NOT_YET;

  private final Borrower borrower = new Borrower();

  /// Of the message that is being taken, if that lies in lent memory.
  private Borrower.@Nullable Borrowed lent;

  private long lentOffset;

  /// By slot: in which loan a message lies that was left there, from 1 on; 0 where it lies in the
  /// ring.
  private final byte[] loans = new byte[Ring.SLOTS];

  /// The ring as who reads such messages sees it; null if there was none.
  private @Nullable Reading reading;

  private record Reading(Arena arena, MemorySegment ring) {}

  private boolean peerIsGone;

  /// What was wrong with a packet of the peer, or with taking it.
  private @Nullable RuntimeException refusal;

  /// @param outgoing whose sends complete before the peer's answer to them does
  /// @param maximumBytes the longest message that this side takes
  ShmReceiver(
      ShmPort port,
      UnixSocket socket,
      RingReader ring,
      ReceiveQueue receives,
      ShmSender outgoing,
      long maximumBytes) {
    this.port = port;
    this.socket = socket;
    this.ring = ring;
    this.receives = receives;
    this.outgoing = outgoing;
    this.maximumBytes = maximumBytes;
  }

  // ---- what the link asks

  /// Whether [#take], or the end of the peer, may give the link something to do.
  boolean mayHaveMore() {
    return ring.seesMore() || stage == ReceiveStage.WAITING || peerIsGone;
  }

  /// Looks again and again whether something has arrived, up to so many times.
  boolean seesMoreSoon(int looks) {
    return ring.seesMoreSoon(looks);
  }

  /// Whether there is something that can be taken. Any thread, as of the ring.
  boolean hasWork() {
    return stage != ReceiveStage.WAITING && ring.seesMore();
  }

  /// Whether a message waits for a receive.
  boolean isWaiting() {
    return stage == ReceiveStage.WAITING;
  }

  /// What has ended the messages, if [#take] has come to that.
  End end() {
    return end;
  }

  /// Whether the socket has ended: nothing more is written to the ring, and what is there can be
  /// seen, since the kernel closes a socket after its process has written its last.
  boolean isPeerGone() {
    return peerIsGone;
  }

  /// Whether the ring has something that was not taken.
  boolean hasMore() {
    return ring.look();
  }

  // ---- taking

  /// Takes what has arrived as far as receives are posted.
  ///
  /// @return whether something was given back, which the peer may wait for
  /// @throws BreachException if the peer does not keep to the protocol
  boolean take() {
    boolean freed = takeParts();
    return (end == End.NOT_YET && ring.giveLentBack()) || freed;
  }

  private boolean takeParts() {
    boolean freed = false;
    for (int parts = 0; parts < MOST_PARTS; parts++) {
      ReceiveStage now = stage;
      if (now == ReceiveStage.WAITING) {
        now = receives.arriving(frame.length, frame.tag, frame.type);
      } else if (!ring.look()) {
        return freed;
      } else if (now == ReceiveStage.HEADER) {
        now = begun();
      }
      if (now == ReceiveStage.WAITING || end != End.NOT_YET) {
        stage = now;
        return freed;
      }
      Transfer into = now == ReceiveStage.FILLING ? receives.peek() : null;
      if (into != null && into.isWantedInPlace() && isWhole()) {
        leave(into);
      } else if (ring.isLent()) {
        freed |= takeLent(into);
      } else {
        taken += ring.takePart(frame.length, taken, into);
        freed |= ring.giveBack();
      }
      if (taken < frame.length) {
        port.moving();
      } else {
        if (end != End.NOT_YET) {
          return freed;
        }
        if (now == ReceiveStage.FILLING) {
          outgoing.completeTaken(); // before its answer
          receives.received(frame.length, frame.tag, frame.type);
        }
        now = ReceiveStage.HEADER;
      }
      if (stage != now) { // see Transfer
        stage = now;
      }
    }
    return freed;
  }

  /// Takes the header; returns what comes of it, unless it is a goodbye.
  private ReceiveStage begun() {
    ring.takeHeader(frame, maximumBytes);
    taken = 0;
    if (frame.goodbye) {
      end = End.GOODBYE;
      return ReceiveStage.HEADER;
    }
    if (ring.isLent()) {
      findLent();
    }
    return receives.arriving(frame.length, frame.tag, frame.type);
  }

  /// Finds the memory that a message lies in.
  private void findLent() {
    int number = ring.loan();
    Borrower.Borrowed loan = borrower.find(number);
    for (int i = 0; loan == null && port.hears(this) && i < Loan.MOST; i++) {
      loan = borrower.find(number); // the packet was sent before the slot was written
    }
    refuseBadPacket();
    if (loan == null) {
      throw new BreachException("a message in loan %d, which there is not".formatted(number));
    }
    lentOffset = ring.loanOffset();
    if (lentOffset < 0 || lentOffset > loan.memory().byteSize() - frame.length) {
      throw new BreachException(
          "a message of %d bytes at %d of a loan of %d"
              .formatted(frame.length, lentOffset, loan.memory().byteSize()));
    }
    if (lent != loan) { // see Transfer
      lent = loan;
    }
  }

  /// Takes the next part of a message in lent memory, and its slot after the last one; returns
  /// whether that and others were given back.
  private boolean takeLent(@Nullable Transfer into) {
    MemorySegment memory = Objects.requireNonNull(lent).memory();
    long bytes = frame.length - taken;
    if (into != null) {
      bytes = Math.min(bytes, LENT_PART_BYTES);
      copy(memory, lentOffset + taken, into, bytes);
    }
    taken += bytes;
    if (taken < frame.length) {
      return false;
    }
    if (ring.isWithdrawn()) {
      end = End.WITHDRAWN;
      return false;
    }
    return ring.takeLent(frame.length);
  }

  /// Copies what comes next. No process can take pages out of lent memory: see [Borrower].
  private void copy(MemorySegment lentMemory, long at, Transfer into, long bytes) {
    if (into.count() == 1 && into.region(0).isSteady()) {
      MemoryCopy.copy(lentMemory, at, into.region(0).segment(), into.offset(0) + taken, bytes);
    } else {
      into.copyFrom(lentMemory, at, taken, bytes);
    }
  }

  // ---- in place

  /// Whether all of the message lies in one place.
  private boolean isWhole() {
    return ring.isLent() || frame.length <= Ring.PART_BYTES;
  }

  /// Leaves the message where it lies.
  private void leave(Transfer into) {
    if (ring.isLent()) {
      leaveLent(into, Objects.requireNonNull(lent));
    } else {
      Reading reader = reading;
      if (reader == null) {
        Arena arena = Arena.ofShared();
        reader = new Reading(arena, ring.forReading(arena));
        reading = reader;
      }
      long at = ring.leave(frame.length);
      into.leave(reader.ring, at, ring.lastTaken());
    }
    taken = frame.length;
  }

  private void leaveLent(Transfer into, Borrower.Borrowed loan) {
    MemorySegment place = loan.memory();
    if (ring.isWithdrawn()) {
      end = End.WITHDRAWN;
      return;
    }
    ring.leaveLent();
    into.leave(place, lentOffset, ring.lastTaken());
    borrower.leave(loan.index());
    loans[Ring.index(ring.lastTaken())] = (byte) (loan.index() + 1);
  }

  /// Nobody reads any longer what was left in place; returns whether it was the message all the
  /// time. The peer is told by [#giveBack].
  boolean givenBack(Transfer left) {
    ring.release(left.progress());
    int slot = Ring.index(left.progress());
    if (loans[slot] == 0) {
      return true;
    }
    borrower.release(loans[slot] - 1);
    loans[slot] = 0;
    return !ring.isWithdrawn();
  }

  /// Gives back what is read no longer; returns whether that was anything.
  boolean giveBack() {
    return ring.giveLentBack();
  }

  /// Whether messages that were left in place are read still.
  boolean isRead() {
    return ring.hasLeft();
  }

  // ---- packets of the socket

  /// Takes the packets that have come, up to a nudge, which says nothing but that there was one:
  /// there is one for each time that this side sleeps, so that to look for another one would be in
  /// vain.
  ///
  /// @return whether there were any
  boolean hear() {
    for (int i = 0; i < MOST_PACKETS && !peerIsGone; i++) {
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
    return true;
  }

  private void heard() {
    try {
      borrower.hear(socket.heard());
    } catch (BreachException | UncheckedIOException e) {
      refusal = e;
      peerIsGone = true; // it is treated as if it were
    }
  }

  /// Refuses to go on after a packet that the peer must not send, or that was lost here.
  ///
  /// @throws BreachException if there was one that it must not send
  /// @throws UncheckedIOException if this process had no room for what came with one
  void refuseBadPacket() {
    RuntimeException heard = refusal;
    if (heard != null) {
      throw heard;
    }
  }

  // ---- the end

  /// Takes off what was lent, and ends the reading of the ring: messages that are left in place are
  /// gone.
  ///
  /// @param memory that the ring lies in: closed too, which lets another connection have it, unless
  ///     a thread is in a call of the system with it
  void close(LastingMemory memory) {
    Reading reader = reading;
    if (reader == null || Borrower.close(reader.arena)) {
      memory.close();
    }
    borrower.close();
  }

  void checkInvariants() {
    ring.checkInvariants();
    if (taken > frame.length) {
      throw new IllegalStateException("more taken than was sent");
    }
  }
}
