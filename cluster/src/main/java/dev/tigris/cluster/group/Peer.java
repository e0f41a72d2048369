// Over 400 lines: both lanes have one state.
package dev.tigris.cluster.group;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One other member, and the two lanes to it. The first has envelopes and short messages, which go
/// into slots of the receiver. The second has long messages, which go from the sender's memory
/// into the receiver's: each is posted there before the sender is told that it may send.
///
/// Messages of the program and those of collective calls have slots of their own, so that neither
/// keeps the other waiting. For both classes:
///
/// ```
/// SLOTS = credits of the sender + under way + held by the receiver + emptied and not told
/// ```
///
/// So at least CONTROLS receives are posted at any time. Other kinds of messages are handled as
/// they come, and need no credit.
///
/// Thread rule: the member's thread.
final class Peer {
  /// Longer messages go over the second lane.
  static final int SHORT_BYTES = 8192;

  private static final int SLOTS = 16;
  private static final int CONTROLS = 4;
  private static final int RECEIVES = 2 * SLOTS + CONTROLS;
  private static final int SENDS = 24;
  private static final int SLOT_BYTES = Envelope.BYTES + SHORT_BYTES;
  private static final String OWNER = "group";
  private static final int USER = 0;
  private static final int CALLS = 1;

  /// The attributes of the two lanes.
  static final List<Attributes> LANES =
      List.of(
          Attributes.DEFAULT.withDepths(SENDS, RECEIVES).withMaximumMessageBytes(SLOT_BYTES),
          Attributes.DEFAULT);

  /// Memory for one message of the first lane.
  ///
  /// @param peer whose it is
  /// @param ticket of the memory
  /// @param bytes the memory
  record Slot(Peer peer, Ticket ticket, Bytes bytes) {}

  /// A message whose memory the receiver goes on reading.
  ///
  /// @param peer at the other end
  record Loan(Peer peer) {}

  /// A message that waits for a slot.
  ///
  /// @param envelope of the message
  /// @param pending its payload, if that goes along; and what to tell when it has gone
  private record Out(Envelope envelope, @Nullable Pending pending) {}

  /// Memory that waits for the second lane.
  private record Piece(Pending pending, long bytes, int token) {}

  final int number;
  private final VirtualInterface first;
  private final VirtualInterface second;
  private final ArrayDeque<Slot> freeSends = new ArrayDeque<>();
  private final ArrayDeque<Out> controls = new ArrayDeque<>();

  /// By class.
  private final List<ArrayDeque<Out>> waiting = List.of(new ArrayDeque<>(), new ArrayDeque<>());

  private final int[] credits = {SLOTS, SLOTS};
  private final int[] freed = {0, 0};

  /// How many slots have messages of the program that wait for receives.
  int held;

  private boolean owesCredit;
  private final ArrayDeque<Piece> longSends = new ArrayDeque<>();
  private final ArrayDeque<Piece> longReceives = new ArrayDeque<>();
  private final Map<Integer, Pending> requested = new HashMap<>();
  private int nextToken;

  /// Numbers of messages on the first lane.
  private int nextSent;

  private int nextReceived;

  /// Receives of collective calls, in their order, and messages that came before their receives.
  final ArrayDeque<Pending> callReceives = new ArrayDeque<>();

  final ArrayDeque<Arrival> callArrivals = new ArrayDeque<>();

  /// The call in which it waits for this member, that is not compared yet.
  @Nullable Call asked;

  /// How many calls its program had made when it ended; -1 while it runs.
  long callsAtEnd = -1;

  private boolean hasSaidBye;

  /// Whether something was posted since the doorbells were rung here.
  private boolean isUnrung;

  private boolean hasLent;
  private boolean hasBorrowed;
  private @Nullable MemorySegment borrowed;

  /// A message that has come before its receive.
  ///
  /// @param peer who has sent it
  /// @param envelope of the message
  /// @param bytes all of it
  /// @param slot where it lies; null if it was copied out of there
  record Arrival(Peer peer, Envelope envelope, Bytes bytes, @Nullable Slot slot) {
    Arrival(Slot slot, Envelope envelope) {
      this(slot.peer(), envelope, slot.bytes(), slot);
    }

    /// Copies it out of its slot.
    Arrival copied() {
      long length = Envelope.BYTES;
      if (envelope.kind() == Envelope.Kind.DATA) {
        length += envelope.bytes();
      }
      Bytes copy = Jbuf.allocate(length, OWNER).asBytes();
      bytes.copyTo(0, copy, 0, length);
      return new Arrival(peer, envelope, copy, null);
    }
  }

  Peer(int number, List<VirtualInterface> lanes) {
    this.number = number;
    this.first = lanes.get(0);
    this.second = lanes.get(1);
    Bytes all = Jbuf.allocate((long) (RECEIVES + SENDS) * SLOT_BYTES, OWNER).asBytes();
    for (int i = 0; i < RECEIVES + SENDS; i++) {
      long at = (long) i * SLOT_BYTES;
      Ticket ticket = first.register(all).range(at, SLOT_BYTES);
      Slot slot = new Slot(this, ticket, all.slice(at, SLOT_BYTES));
      ticket.attach(slot);
      if (i < RECEIVES) {
        post(slot);
      } else {
        freeSends.add(slot);
      }
    }
  }

  private void post(Slot slot) {
    isUnrung = true;
    Posting answer = first.postReceive(slot.ticket.range(slot.ticket.offset(), SLOT_BYTES));
    if (answer == Posting.QUEUE_FULL) {
      throw new IllegalStateException("more slots than receives");
    }
  }

  /// Returns whether a lane has ended, though the program there has not, or its memory is read.
  boolean isLost() {
    return (callsAtEnd < 0 || (borrowed != null && !hasSaidBye))
        && (first.state() != InterfaceState.CONNECTED
            || second.state() != InterfaceState.CONNECTED);
  }

  @Nullable Throwable cause() {
    return first.failure() == null ? second.failure() : first.failure();
  }

  // -- Sending.

  /// Sends a message.
  void send(Pending pending) {
    Call call = pending.call();
    boolean isShort = pending.room() <= SHORT_BYTES;
    int token = 0;
    if (!isShort) {
      token = nextToken++;
      requested.put(token, pending);
    }
    Envelope envelope =
        new Envelope(
            isShort ? Envelope.Kind.DATA : Envelope.Kind.REQUEST,
            call != null,
            DataType.of(pending.view()),
            pending.wanted(),
            pending.room(),
            token,
            call);
    int kind = call == null ? USER : CALLS;
    Pending payload = isShort ? pending : null;
    if (controls.isEmpty() && waiting.get(kind).isEmpty() && mayGo(kind)) {
      credits[kind]--;
      send(envelope, payload);
    } else {
      waiting.get(kind).add(new Out(envelope, payload));
    }
  }

  /// Tells the peer in which call this member waits for it.
  void ask(Call call) {
    control(new Envelope(Envelope.Kind.ASK, true, call.type(), 0, 0, 0, call));
  }

  /// Wakes the peer, which waits for what lies in shared memory.
  void wake() {
    control(new Envelope(Envelope.Kind.WAKE, false, DataType.BYTES, 0, 0, 0, null));
  }

  /// Tells the peer that nothing follows.
  void bye(long calls) {
    owesCredit = false;
    hasSaidBye = true;
    control(new Envelope(Envelope.Kind.BYE, false, DataType.BYTES, 0, calls, 0, null));
  }

  private void control(Envelope envelope) {
    controls.add(new Out(envelope, null));
  }

  /// Sends what waits, as far as there are slots and credits.
  void flush() {
    if (owesCredit && controls.isEmpty() && !hasSaidBye && callsAtEnd < 0) {
      control(new Envelope(Envelope.Kind.CREDIT, false, DataType.BYTES, 0, 0, 0, null));
    }
    while (!controls.isEmpty() && !freeSends.isEmpty()) {
      send(controls.remove());
    }
    for (int kind = CALLS; kind >= USER; kind--) {
      ArrayDeque<Out> its = waiting.get(kind);
      while (!its.isEmpty() && mayGo(kind)) {
        credits[kind]--;
        send(its.remove());
      }
    }
    while (!longReceives.isEmpty() && receiveLong(longReceives.peek())) {
      Piece posted = longReceives.remove();
      control(new Envelope(Envelope.Kind.CLEAR, false, DataType.BYTES, 0, 0, posted.token, null));
      while (!controls.isEmpty() && !freeSends.isEmpty()) {
        send(controls.remove());
      }
    }
    while (!longSends.isEmpty() && sendLong(longSends.peek())) {
      Piece _ = longSends.remove();
    }
  }

  /// Lets go what was posted. A member that leaves the group's calls for long calls this before, so
  /// that its peers do not wait.
  void ring() {
    if (isUnrung) {
      isUnrung = false;
      first.ring();
      second.ring();
    }
  }

  private boolean mayGo(int kind) {
    return credits[kind] > 0 && !freeSends.isEmpty();
  }

  private void send(Out out) {
    send(out.envelope, out.pending);
  }

  private void send(Envelope envelope, @Nullable Pending pending) {
    Slot slot = freeSends.remove();
    Bytes bytes = slot.bytes;
    envelope.write(bytes, nextSent++, freed[USER], freed[CALLS]);
    freed[USER] = 0;
    freed[CALLS] = 0;
    owesCredit = false;
    long length = Envelope.BYTES;
    if (pending != null) {
      Copies.out(pending.view(), pending.offset(), bytes, Envelope.BYTES, pending.room());
      length += pending.room();
    }
    isUnrung = true;
    Posting answer = first.postSend(slot.ticket.range(slot.ticket.offset(), length));
    if (answer == Posting.QUEUE_FULL) {
      throw new IllegalStateException("more slots than sends");
    }
    if (answer == Posting.NOT_CONNECTED) {
      freeSends.add(slot); // the end of the lane is noticed by its receives
    }
    if (pending != null) {
      pending.done(pending.room());
    }
  }

  private boolean receiveLong(Piece memory) {
    Pending pending = memory.pending;
    Ticket ticket = second.register(pending.view()).range(pending.offset(), memory.bytes);
    ticket.attach(pending);
    return isPosted(ticket, second.postReceive(ticket));
  }

  private boolean sendLong(Piece memory) {
    Pending pending = memory.pending;
    Ticket ticket = second.register(pending.view()).range(pending.offset(), memory.bytes);
    ticket.attach(pending);
    return isPosted(ticket, second.postSend(ticket.tag(memory.token)));
  }

  private boolean isPosted(Ticket ticket, Posting answer) {
    isUnrung = true;
    if (answer == Posting.QUEUE_FULL) {
      second.deregister(ticket);
    }
    return answer != Posting.QUEUE_FULL;
  }

  /// A slot that was sent is free again.
  void sent(Slot slot) {
    freeSends.add(slot);
  }

  /// A long message has left its memory, or has arrived.
  void movedLong(Ticket ticket) {
    second.deregister(ticket);
  }

  /// Returns whether all that was to be sent has left.
  boolean hasSentAll() {
    return controls.isEmpty()
        && waiting.get(USER).isEmpty()
        && waiting.get(CALLS).isEmpty()
        && longSends.isEmpty()
        && freeSends.size() == SENDS;
  }

  // -- Receiving.

  /// Returns whether a message is the next one that was sent.
  boolean isNext(Bytes slot) {
    return Envelope.number(slot) == nextReceived++;
  }

  /// Takes what an envelope says of slots. False if it cannot be.
  boolean credit(Bytes slot) {
    return credit(USER, Envelope.freedUser(slot)) && credit(CALLS, Envelope.freedCalls(slot));
  }

  private boolean credit(int kind, int more) {
    if (more < 0 || more > SLOTS - credits[kind]) {
      return false;
    }
    credits[kind] += more;
    return true;
  }

  /// Posts a slot again whose message needed no credit.
  void handled(Slot slot) {
    post(slot);
  }

  /// Posts a slot again whose message was taken.
  void taken(Slot slot, boolean isCall) {
    post(slot);
    int kind = isCall ? CALLS : USER;
    freed[kind]++;
    if (freed[kind] >= SLOTS / 2) {
      owesCredit = true;
    }
  }

  /// Returns whether it can send no message of its program: all slots for such have messages that
  /// wait for receives, but for those it does not know of that are free.
  boolean isFull() {
    return held > 0 && held + freed[USER] >= SLOTS;
  }

  /// Names memory for a long message.
  void receiveLong(Pending pending, long bytes, int token) {
    pending.move(token);
    longReceives.add(new Piece(pending, bytes, token));
  }

  /// The peer has named memory for a long message. False if it was asked for none.
  boolean clear(int token) {
    Pending pending = requested.remove(token);
    if (pending == null) {
      return false;
    }
    pending.move(token);
    longSends.add(new Piece(pending, pending.room(), token));
    return true;
  }

  // -- Shared memory.

  /// Lends the peer memory as long as the lane is there, and borrows some that is as long: each
  /// sends all of its own as a message that is left in place.
  ///
  /// @param room for the peer's, where it cannot be lent
  void lend(Bytes own, Bytes room) {
    Ticket in = second.register(room).inPlace(true);
    in.attach(new Loan(this));
    Ticket out = second.register(own);
    out.attach(new Loan(this));
    if (second.postReceive(in) == Posting.QUEUE_FULL
        || second.postSend(out) == Posting.QUEUE_FULL) {
      throw new IllegalStateException("the second lane is in use");
    }
  }

  /// The peer's memory has come, or this member's has gone there.
  void lent(Ticket ticket) {
    if (ticket.isSend()) {
      hasLent = true;
      return;
    }
    if (ticket.isInPlace()) {
      borrowed = ticket.memory().asSlice(ticket.memoryOffset(), ticket.transferredBytes());
      boolean _ = ticket.giveBack(); // lent memory stays readable, as long as it is lent
    }
    second.deregister(ticket);
    hasBorrowed = true;
  }

  /// Returns whether both are done.
  boolean hasShared() {
    return hasLent && hasBorrowed;
  }

  /// Returns what the peer has lent; null if it could not be.
  @Nullable MemorySegment borrowed() {
    return borrowed;
  }

  /// Throws if what is counted does not add up: for tests.
  void checkInvariants() {
    for (int kind = USER; kind <= CALLS; kind++) {
      if (credits[kind] < 0 || credits[kind] > SLOTS || freed[kind] < 0 || freed[kind] > SLOTS) {
        throw new IllegalStateException(
            "%d credits, %d emptied, of %d slots".formatted(credits[kind], freed[kind], SLOTS));
      }
    }
    if (held < 0 || held > SLOTS) {
      throw new IllegalStateException(held + " slots wait for receives");
    }
    if (freeSends.size() > SENDS) {
      throw new IllegalStateException(freeSends.size() + " slots are free");
    }
  }
}
