// Over 400 lines: matching, waiting and what goes wrong have one state.
package dev.tigris.cluster.group;

import dev.tigris.cluster.Mesh;
import dev.tigris.flow.PeerLostException;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.View;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.DataType;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Moves the messages of one member: matches those that come with receives, and notices when a
/// member is lost or has called something else. It does so while the member's thread calls it.
///
/// **Different calls.** A message of a collective call carries the whole call, which is compared
/// with this member's call of that sequence number. A member that waits for a message for longer
/// than a moment tells the one it waits for in which call it is. So members that wait for each
/// other in different calls, and exchange nothing else, fail, too.
///
/// Thread rule: the member's thread.
final class Engine {
  /// Longer than a message takes where both members run.
  private static final long ASK_AFTER_NANOS = 2_000_000;

  /// As long as the queue looks before it sleeps.
  private static final long LOOK_NANOS = CompletionQueue.DEFAULT_SPIN_NANOS;

  /// Longer than a member on another processor takes. One that shares this one can go on then.
  private static final long YIELD_AFTER_NANOS = 15_000;

  /// A peer may be so many calls behind when its message is compared.
  private static final int KEPT_CALLS = 64;

  /// How many calls are made at the most before those of the program.
  private static final int SET_UP_CALLS = 2;

  private final Thread owner = Thread.currentThread();
  private final Mesh mesh;
  private final CompletionQueue queue;
  private final @Nullable Peer[] peers;

  /// Whether members of this host share processors.
  private final boolean isCrowded;

  /// Receives of the program without a message, and messages without a receive, in their order.
  private final List<Pending> receives = new ArrayList<>();

  private final List<Peer.Arrival> arrivals = new ArrayList<>();
  private final @Nullable Call[] calls = new @Nullable Call[KEPT_CALLS];

  /// Below zero while the group is set up.
  private long callCount = -SET_UP_CALLS;

  private int unfinished;
  private boolean isEnding;
  private @Nullable GroupException failure;

  Engine(Mesh mesh) {
    this.mesh = mesh;
    this.queue = mesh.queue();
    this.peers = new @Nullable Peer[mesh.size()];
    this.isCrowded = mesh.size() > Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < peers.length; i++) {
      if (i != mesh.self()) {
        peers[i] = new Peer(i, mesh.lanes().get(i));
      }
    }
  }

  int self() {
    return mesh.self();
  }

  int size() {
    return peers.length;
  }

  private Peer peer(int number) {
    return Objects.requireNonNull(peers[number]);
  }

  // -- Starting.

  /// The calls of the program begin.
  void isSetUp() {
    callCount = 0;
  }

  /// Begins a collective call.
  Call begin(Call.Kind kind, int root, long bytes, DataType type, @Nullable Reduction reduction) {
    requireFine();
    Call call = new Call(kind, callCount++, root, bytes, type, reduction);
    calls[slot(call.sequence())] = call;
    for (Peer peer : peers) {
      if (peer != null) {
        if (peer.asked != null) {
          compare(peer, peer.asked);
        }
        if (!peer.callArrivals.isEmpty()) {
          compare(peer, peer.callArrivals.peek().envelope().call());
        }
      }
    }
    return call;
  }

  private static int slot(long sequence) {
    return (int) (sequence & (KEPT_CALLS - 1));
  }

  Pending send(@Nullable Call call, View view, long offset, long bytes, int to, int tag) {
    requireFine();
    Pending pending = new Pending(this, true, call, view, offset, bytes, to, tag);
    unfinished++;
    Peer peer = peer(to);
    peer.send(pending);
    peer.flush();
    if (call == null) { // a call awaits all of its messages, which rings
      peer.ring();
    }
    return pending;
  }

  Pending receive(@Nullable Call call, View view, long offset, long bytes, int from, int tag) {
    requireFine();
    Pending pending = new Pending(this, false, call, view, offset, bytes, from, tag);
    unfinished++;
    if (call == null) {
      for (Iterator<Peer.Arrival> all = arrivals.iterator(); all.hasNext(); ) {
        Peer.Arrival next = all.next();
        if (pending.takes(next.peer().number, next.envelope().tag())) {
          all.remove();
          if (next.slot() != null) {
            next.peer().held--;
          }
          deliver(next, pending);
          next.peer().ring();
          return pending;
        }
      }
      receives.add(pending);
    } else {
      Peer peer = peer(from);
      Peer.Arrival next = peer.callArrivals.poll();
      if (next == null) {
        peer.callReceives.add(pending);
      } else {
        deliver(next, pending);
      }
    }
    return pending;
  }

  /// A send or receive is done.
  void finished() {
    unfinished--;
  }

  // -- Waiting.

  void await(Pending pending) throws InterruptedException {
    boolean hasAsked = false;
    flush();
    while (!pending.isOver()) {
      requireFine();
      refuseEnded(pending);
      makeRoom(pending);
      boolean mayAsk = pending.call() != null && !hasAsked && !pending.moves();
      if (step(mayAsk ? ASK_AFTER_NANOS : Long.MAX_VALUE)) {
        continue;
      }
      if (mayAsk && !pending.isOver()) {
        hasAsked = true;
        peer(pending.from()).ask(Objects.requireNonNull(pending.call()));
        flush();
      }
    }
    ring();
  }

  /// Lets all go that was posted, since the program may not come back for long.
  private void ring() {
    for (Peer peer : peers) {
      if (peer != null) {
        peer.ring();
      }
    }
  }

  /// Moves messages, without waiting.
  void advance(Pending pending) {
    requireFine();
    makeRoom(pending);
    poll();
    if (!pending.isOver()) {
      refuseEnded(pending);
    }
  }

  private void poll() {
    flush();
    Descriptor done = queue.poll();
    if (done != null) {
      takeAll(done);
    }
    ring();
    requireFine();
    requireNoneLost();
  }

  // -- Shared memory.

  /// Returns whether a member that waits may keep another one from its processor.
  boolean isCrowded() {
    return isCrowded;
  }

  /// Returns whether the members can share memory.
  boolean sharesMemory() {
    return mesh.sharesMemory();
  }

  /// Lends memory to all others, and borrows as much from each.
  ///
  /// @return what each other member has lent, by its number, and null for this one; null if one
  ///     could not lend it
  @Nullable MemorySegment @Nullable [] share(Bytes own, Bytes room) throws InterruptedException {
    for (Peer peer : peers) {
      if (peer != null) {
        peer.lend(own, room);
      }
    }
    @Nullable MemorySegment[] all = new @Nullable MemorySegment[peers.length];
    boolean areAll = true;
    for (Peer peer : peers) {
      if (peer != null) {
        while (!peer.hasShared()) {
          boolean _ = step(Long.MAX_VALUE);
        }
        all[peer.number] = peer.borrowed();
        areAll &= all[peer.number] != null;
      }
    }
    return areAll ? all : null;
  }

  /// Something that another member does to the memory that it has lent.
  interface Event {
    /// Returns whether it has happened.
    ///
    /// @param sleeps whether this member sleeps next if it has not, and has to be woken
    boolean hasHappened(boolean sleeps);
  }

  /// Waits for something that a member does in a call: looks and moves messages for a while, and
  /// sleeps then. The member wakes this one.
  void await(int member, Call call, Event event) throws InterruptedException {
    Peer peer = peer(member);
    long begun = System.nanoTime();
    boolean hasAsked = false;
    while (true) {
      requireNoneLost();
      boolean hasEnded = peer.callsAtEnd >= 0;
      long waited = System.nanoTime() - begun;
      boolean sleeps = waited >= LOOK_NANOS;
      if (event.hasHappened(sleeps)) {
        ring();
        return;
      }
      if (hasEnded) {
        throw fail(ended(member, peer.callsAtEnd, self(), call.toString()), null);
      }
      if (!sleeps) {
        poll();
        pause(waited);
      } else if (!step(hasAsked ? Long.MAX_VALUE : ASK_AFTER_NANOS) && !hasAsked) {
        hasAsked = true;
        peer.ask(call);
        flush();
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // the other member may need this processor
  private void pause(long waitedNanos) {
    if (isCrowded || waitedNanos >= YIELD_AFTER_NANOS) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
  }

  /// Wakes a member that sleeps in [#await].
  void wake(int member) {
    peer(member).wake();
    poll(); // rings, and takes what was sent back
  }

  /// Refuses what a member has published.
  ///
  /// @param its the call that it says; null if it says none
  GroupException refused(int member, @Nullable Call its, Call own) {
    return its == null || its.equals(own)
        ? broken(peer(member))
        : different(peer(member), its, own);
  }

  // -- Making room.

  /// Lets a peer go on whose messages fill its slots, where the program waits for another one of
  /// it: they are copied. Elsewhere they stay, so that a peer does not run ahead.
  private void makeRoom(Pending pending) {
    if (pending.isSend() || pending.call() != null || pending.moves() || pending.isOver()) {
      return;
    }
    for (Peer peer : peers) {
      if (peer != null && pending.mayCome(peer.number) && peer.isFull()) {
        for (ListIterator<Peer.Arrival> all = arrivals.listIterator(); all.hasNext(); ) {
          Peer.Arrival next = all.next();
          Peer.Slot slot = next.slot();
          if (slot != null && slot.peer().number == peer.number) {
            all.set(next.copied());
            peer.held--;
            peer.taken(slot, false);
          }
        }
        peer.flush();
      }
    }
  }

  /// Waits for something to happen, and returns whether it did.
  private boolean step(long nanos) throws InterruptedException {
    Descriptor done = queue.awaitOrEnd(nanos);
    if (done != null) {
      takeAll(done);
      return true;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedException("member %d was interrupted while it waited".formatted(self()));
    }
    requireNoneLost();
    return false;
  }

  private void takeAll(Descriptor first) {
    for (Descriptor done = first; done != null; done = queue.pollFound()) {
      take(done);
    }
    flush();
  }

  private void flush() {
    for (Peer peer : peers) {
      if (peer != null) {
        peer.flush();
      }
    }
  }

  /// Refuses to wait for a member whose program has ended, and has sent all that it ever does.
  private void refuseEnded(Pending pending) {
    if (pending.moves()) {
      return;
    }
    if (pending.from() == Group.ANY) {
      for (Peer peer : peers) {
        if (peer != null && peer.callsAtEnd < 0) {
          return;
        }
      }
      throw fail(
          "the programs of all others have ended, while member %d waits in %s"
              .formatted(self(), pending),
          null);
    }
    Peer peer = peer(pending.from());
    if (peer.callsAtEnd >= 0) {
      throw fail(ended(peer.number, peer.callsAtEnd, self(), pending.toString()), null);
    }
  }

  private static String ended(int member, long calls, int waiting, String what) {
    return "the program of member %d has ended, after %d collective calls, while member %d waits for it in %s"
        .formatted(member, calls, waiting, what);
  }

  // -- Arrivals.

  private void take(Descriptor done) {
    switch (done.attachment()) {
      case Peer.Slot slot -> {
        if (done.isSend()) {
          slot.peer().sent(slot);
        } else if (done.status() == Status.DONE) {
          received(slot, done.transferredBytes());
        } else if (done.status() != Status.FLUSHED) {
          throw broken(slot.peer());
        } else if (slot.peer().callsAtEnd < 0) {
          throw lost(slot.peer());
        }
      }
      case Pending pending -> {
        Peer peer = peer(pending.from());
        if (done.status() == Status.FLUSHED) {
          throw lost(peer);
        }
        if (!done.isSend() && done.status() == Status.DONE && done.tag() != pending.token()) {
          throw disordered(peer);
        }
        if (done.status() != Status.DONE || done.transferredBytes() != done.bytes()) {
          throw broken(peer);
        }
        long bytes = done.transferredBytes();
        peer.movedLong((Ticket) done);
        pending.done(bytes);
      }
      case Peer.Loan loan -> {
        if (done.status() == Status.FLUSHED) {
          throw lost(loan.peer());
        }
        if (done.status() != Status.DONE || done.transferredBytes() != done.bytes()) {
          throw broken(loan.peer());
        }
        loan.peer().lent((Ticket) done);
      }
      case null, default -> throw new IllegalStateException("not the group's: " + done);
    }
  }

  private void received(Peer.Slot slot, long length) {
    Peer peer = slot.peer();
    Envelope envelope = Envelope.read(slot.bytes(), length);
    if (envelope == null) {
      throw broken(peer);
    }
    if (!peer.isNext(slot.bytes())) {
      throw disordered(peer);
    }
    if (!peer.credit(slot.bytes())) {
      throw broken(peer);
    }
    switch (envelope.kind()) {
      case DATA, REQUEST -> {
        boolean isData = envelope.kind() == Envelope.Kind.DATA;
        if (isData != envelope.bytes() <= Peer.SHORT_BYTES
            || length != Envelope.BYTES + (isData ? envelope.bytes() : 0)) {
          throw broken(peer);
        }
        match(slot, envelope);
      }
      case CLEAR -> {
        if (!peer.clear(envelope.token())) {
          throw broken(peer);
        }
        peer.handled(slot);
      }
      case CREDIT, WAKE -> peer.handled(slot);
      case ASK -> {
        Call call = envelope.call();
        if (call == null) {
          throw broken(peer);
        }
        peer.handled(slot);
        compare(peer, call);
      }
      case BYE -> {
        peer.callsAtEnd = envelope.bytes();
        peer.handled(slot);
      }
    }
  }

  private void match(Peer.Slot slot, Envelope envelope) {
    Peer peer = slot.peer();
    Call call = envelope.call();
    if (call != null) {
      compare(peer, call);
      Pending pending = peer.callReceives.poll();
      if (pending == null) {
        peer.callArrivals.add(new Peer.Arrival(slot, envelope));
      } else {
        deliver(new Peer.Arrival(slot, envelope), pending);
      }
      return;
    }
    for (int i = 0; i < receives.size(); i++) {
      Pending pending = receives.get(i);
      if (pending.takes(peer.number, envelope.tag())) {
        receives.remove(i);
        deliver(new Peer.Arrival(slot, envelope), pending);
        return;
      }
    }
    peer.held++;
    arrivals.add(new Peer.Arrival(slot, envelope));
  }

  private void deliver(Peer.Arrival arrival, Pending pending) {
    Peer peer = arrival.peer();
    Envelope envelope = arrival.envelope();
    Call call = envelope.call();
    if (call == null) {
      requireFit(peer, envelope, pending);
    } else if (!call.equals(pending.call())) {
      throw different(peer, call, Objects.requireNonNull(pending.call()));
    } else if (envelope.bytes() != pending.room()) {
      throw broken(peer);
    }
    pending.match(peer.number, envelope.tag());
    if (envelope.kind() == Envelope.Kind.REQUEST) {
      peer.receiveLong(pending, envelope.bytes(), envelope.token());
      taken(arrival);
      peer.flush();
    } else {
      long bytes = envelope.bytes();
      Copies.in(arrival.bytes(), Envelope.BYTES, pending.view(), pending.offset(), bytes);
      taken(arrival);
      pending.done(bytes);
    }
  }

  private static void taken(Peer.Arrival arrival) {
    Peer.Slot slot = arrival.slot();
    if (slot != null) {
      arrival.peer().taken(slot, arrival.envelope().call() != null);
    }
  }

  private void requireFit(Peer peer, Envelope envelope, Pending pending) {
    DataType type = DataType.of(pending.view());
    if (envelope.type() != type) {
      throw fail(
          "member %d has sent a message of %s with tag %d, and member %d receives %s"
              .formatted(peer.number, envelope.type(), envelope.tag(), self(), type),
          null);
    }
    if (envelope.bytes() > pending.room()) {
      throw fail(
          "member %d has sent a message of %,d bytes with tag %d, and member %d has given memory of %,d for it"
              .formatted(peer.number, envelope.bytes(), envelope.tag(), self(), pending.room()),
          null);
    }
  }

  // -- Failures.

  /// Compares a call of a peer with the one that this member has made, or will make.
  private void compare(Peer peer, @Nullable Call its) {
    if (its == null) {
      return;
    }
    if (its.sequence() >= callCount) {
      if (isEnding) {
        throw fail(ended(self(), callCount, peer.number, its.toString()), null);
      }
      peer.asked = its;
      return;
    }
    if (peer.asked != null && peer.asked.sequence() <= its.sequence()) {
      peer.asked = null;
    }
    Call own = calls[slot(its.sequence())];
    if (own != null && own.sequence() == its.sequence() && !own.equals(its)) {
      throw different(peer, its, own);
    }
  }

  private GroupException different(Peer peer, Call its, Call own) {
    return fail(
        "member %d has called %s, and member %d has called %s: all members have to make the same calls in the same order"
            .formatted(peer.number, its, self(), own),
        null);
  }

  private GroupException broken(Peer peer) {
    return fail(
        "member %d has sent what is no message of a group: run one version of Tigris in all"
            .formatted(peer.number),
        null);
  }

  private GroupException disordered(Peer peer) {
    return fail(
        "messages of member %d to member %d were lost, doubled or reordered: use a provider that keeps their order"
            .formatted(peer.number, self()),
        null);
  }

  private void requireNoneLost() {
    for (Peer peer : peers) {
      if (peer != null && peer.isLost()) {
        throw lost(peer);
      }
    }
  }

  private GroupException lost(Peer peer) {
    Throwable cause = peer.cause();
    String message =
        "member %d of the group is lost, as member %d has noticed%s"
            .formatted(peer.number, self(), cause == null ? "" : ": " + cause.getMessage());
    return fail(
        message, new PeerLostException(message, cause == null ? new IOException(message) : cause));
  }

  private GroupException fail(String message, @Nullable Throwable cause) {
    GroupException made = new GroupException(message, cause);
    failure = made;
    return made;
  }

  private void requireFine() {
    if (!owner.equals(Thread.currentThread())) {
      throw new WrongThreadException(
          "member %d of a group is used by %s: it belongs to %s"
              .formatted(self(), Thread.currentThread(), owner));
    }
    if (failure != null) {
      throw failure;
    }
  }

  // -- The end.

  /// Waits until the programs of all have ended.
  ///
  /// @throws IllegalStateException if the program has left something undone
  void end() throws InterruptedException {
    requireFine();
    if (unfinished > 0) {
      throw new IllegalStateException(
          "member %d has ended with %d sends or receives under way: await() each that was started"
              .formatted(self(), unfinished));
    }
    isEnding = true;
    for (Peer peer : peers) {
      if (peer != null) {
        if (peer.asked != null) {
          compare(peer, peer.asked);
        }
        peer.bye(callCount);
      }
    }
    flush();
    while (!areAllAtEnd()) {
      boolean _ = step(Long.MAX_VALUE);
    }
    requireNothingLeft();
  }

  private boolean areAllAtEnd() {
    for (Peer peer : peers) {
      if (peer != null && (peer.callsAtEnd < 0 || !peer.hasSentAll())) {
        return false;
      }
    }
    return true;
  }

  private void requireNothingLeft() {
    for (Peer peer : peers) {
      if (peer != null && !peer.callArrivals.isEmpty()) {
        Call its = Objects.requireNonNull(peer.callArrivals.peek().envelope().call());
        throw fail(ended(self(), callCount, peer.number, its.toString()), null);
      }
    }
    if (!arrivals.isEmpty()) {
      Peer.Arrival first = arrivals.getFirst();
      throw fail(
          "member %d has ended without %d messages, the first from member %d with tag %d: receive each that is sent"
              .formatted(self(), arrivals.size(), first.peer().number, first.envelope().tag()),
          null);
    }
  }

  /// Throws if what is counted does not add up: for tests.
  void checkInvariants() {
    if (unfinished < 0 || unfinished < receives.size()) {
      throw new IllegalStateException(
          "%d are under way, of which %d wait for a message"
              .formatted(unfinished, receives.size()));
    }
    for (Peer peer : peers) {
      if (peer != null) {
        peer.checkInvariants();
      }
    }
  }
}
