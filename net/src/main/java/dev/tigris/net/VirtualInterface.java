package dev.tigris.net;

import dev.tigris.memory.View;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.RemoteLink;
import dev.tigris.net.provider.Transfer;
import dev.tigris.net.provider.Transfer.Remote;
import dev.tigris.os.CheckReturnValue;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One end of a connection: a send queue and a receive queue of posted descriptors (Welsh,
/// *Jaguar*, section 4; Chang and von Eicken, *Interfacing Java with the Virtual Interface
/// Architecture*). [InterfaceState] shows its states.
///
/// Messages have boundaries, arrive in the order they were sent, and go into the receives in the
/// order those were posted. What a message does that finds no posted receive is [Delivery].
///
/// An interface with nothing posted gets no completion when the connection ends. Look at
/// [#state], and wait by [CompletionQueue#awaitOrEnd], which such an end ends.
///
/// Thread rule: the thread that owns the completion queue; [#state], [#failure], [#peer],
/// [#principal], [#attributes] and [#maximumMessageBytes] may be called by any, and tell what was
/// so a moment ago.
public final class VirtualInterface implements AutoCloseable {
  private final Link link;
  private final CompletionQueue queue;
  private final @Nullable RemoteAccess remoteAccess;

  /// The link's, for every post.
  private final long maximumMessageBytes;
  private final int sendDepth;
  private final int receiveDepth;

  private final Registrations registrations;

  private int sendsOut;
  private int receivesOut;
  private boolean unrung;

  VirtualInterface(Link link, CompletionQueue queue) {
    this.link = link;
    this.queue = queue;
    this.registrations = new Registrations(this, link);
    this.maximumMessageBytes = link.maximumMessageBytes();
    this.sendDepth = link.attributes().sendDepth();
    this.receiveDepth = link.attributes().receiveDepth();
    this.remoteAccess = link instanceof RemoteLink remote ? new RemoteAccess(this, remote) : null;
    queue.attach(this);
    link.onSilentEnd(queue::endedSilently);
  }

  /// Prepares the memory of a view for messages on this interface: it cannot be freed or used as
  /// another type until the ticket is given back. Memory may be registered several times, here and
  /// with other interfaces. Where it lies in a file that somebody has cut, a message out of it or
  /// into it breaks the connection.
  ///
  /// @throws dev.tigris.memory.ReferencedException if the view's buffer is to be unreferenced
  /// @throws IllegalStateException if the interface is closed
  public Ticket register(View view) {
    queue.requireOwner();
    view.requireReferenced();
    requireOpen();
    return registrations.add(view, () -> new Region(view));
  }

  /// Whether this provider can send from arrays on the heap and receive into them.
  public boolean takesArrays() {
    return link.takesArrays();
  }

  /// Registers an array on the heap: level I without a copy of its own (Chang and von Eicken,
  /// section 3, where the array is pinned). The provider takes messages out of it and puts them
  /// into it in the calls that move messages, so the collector may move the array between these.
  /// While the ticket is posted the array is the interface's, which nothing enforces.
  ///
  /// @throws UnsupportedOperationException if this provider takes no arrays, or those of booleans
  /// @throws IllegalStateException if the interface is closed
  public <A> Ticket register(ArrayType<A> type, A array) {
    queue.requireOwner();
    if (!link.takesArrays()) {
      throw new UnsupportedOperationException(
          "this provider takes no arrays: copy them, as ArrayInterface does");
    }
    requireOpen();
    return registrations.add(array, () -> new Region(type.segment(array), type.dataType()));
  }

  private void requireOpen() {
    if (link.state() == InterfaceState.CLOSED) {
      throw new IllegalStateException("the interface is closed");
    }
  }

  /// Gives a ticket back. With the last one of a view, its memory is no longer held.
  ///
  /// @throws IllegalStateException if it is posted, alone or in a descriptor, or exposed to the
  ///     peer ([RemoteAccess#expose]), or was given back already
  public void deregister(Ticket ticket) {
    queue.requireOwner();
    requireOurs(ticket);
    if (ticket.isHeld()) {
      throw new IllegalStateException(ticket.whyHeld());
    }
    if (!ticket.isRegistered()) {
      throw new IllegalStateException("the ticket was given back already");
    }
    boolean _ = giveBack(ticket);
    ticket.deregistered();
    if (link.state() == InterfaceState.CLOSED) {
      return; // closing has deregistered everything
    }
    registrations.remove(ticket);
  }

  /// Posts a message. It is handed over by the next doorbell: [#ring], or any call that takes
  /// completions. The peer may see a short one sooner (over `shm`), but is not woken for it.
  ///
  /// @throws IllegalArgumentException if it is longer than [#maximumMessageBytes], or if the
  ///     descriptor is another interface's
  /// @throws IllegalStateException if the descriptor is posted, or its memory no longer registered
  /// @throws dev.tigris.memory.ReferencedException if its memory is to be unreferenced
  @CheckReturnValue
  public Posting postSend(Descriptor descriptor) {
    if (descriptor.bytes() > maximumMessageBytes) {
      throw new IllegalArgumentException(
          "the message has %d bytes, and at most %d are taken"
              .formatted(descriptor.bytes(), maximumMessageBytes));
    }
    Posting answer = prepare(descriptor, sendsOut == sendDepth);
    if (answer == Posting.POSTED) {
      sendsOut++;
      Transfer message = descriptor.transfer();
      message.startSending();
      link.postSend(message);
    }
    return answer;
  }

  /// Posts memory for a message. Errors and doorbell as for [#postSend].
  ///
  /// Until the descriptor completes, all of its memory is the provider's, and what lies there
  /// behind the message afterwards is arbitrary.
  @CheckReturnValue
  public Posting postReceive(Descriptor descriptor) {
    Posting answer = prepare(descriptor, receivesOut == receiveDepth);
    if (answer == Posting.POSTED) {
      receivesOut++;
      Transfer memory = descriptor.transfer();
      memory.startReceiving();
      link.postReceive(memory);
    }
    return answer;
  }

  /// Posts what is done with memory of the peer, as a send.
  ///
  /// @param address of that memory
  /// @param key to it
  Posting postRemote(Descriptor descriptor, Remote how, long address, long key) {
    Posting answer = prepare(descriptor, sendsOut == sendDepth);
    if (answer == Posting.POSTED) {
      sendsOut++;
      Transfer transfer = descriptor.transfer();
      transfer.startSending();
      transfer.remote(how, address, key);
      link.postSend(transfer);
    }
    return answer;
  }

  /// Refuses a descriptor, or makes it the interface's.
  ///
  /// @param full whether the queue has no room for it
  /// @return [Posting#POSTED] if it is to be started and given to the link
  private Posting prepare(Descriptor descriptor, boolean full) {
    queue.requireOwner();
    requireOurs(descriptor);
    descriptor.refuseWhilePosted();
    if (link.state() != InterfaceState.CONNECTED) {
      return Posting.NOT_CONNECTED;
    }
    if (full) {
      return Posting.QUEUE_FULL;
    }
    if (!unrung && remember() && link.state() != InterfaceState.CONNECTED) {
      return Posting.NOT_CONNECTED;
    }
    descriptor.prepare();
    if (descriptor.isInPlace()) {
      boolean _ = link.giveBack(descriptor.transfer());
    }
    descriptor.posted();
    return Posting.POSTED;
  }

  /// Remembers that the doorbell is to be rung. That may ring those of others now, so it comes
  /// before a transfer can be on its way.
  ///
  /// @return whether it has, by which this link may have ended, too
  private boolean remember() {
    boolean rang = queue.unrung(this);
    unrung = true;
    return rang;
  }

  boolean giveBack(Descriptor descriptor) {
    if (descriptor.isInPlace() && link.state() == InterfaceState.CONNECTED && !unrung) {
      boolean _ = remember();
    }
    return link.giveBack(descriptor.transfer());
  }

  void requireOurs(Descriptor descriptor) {
    if (descriptor.virtualInterface() != this) {
      throw new IllegalArgumentException(
          "the descriptor belongs to another interface: register its memory here");
    }
  }

  void requireConnected() {
    queue.requireOwner();
    if (link.state() != InterfaceState.CONNECTED) {
      throw new IllegalStateException("the interface is not connected: look at its state()");
    }
  }

  /// Access to memory of the peer; empty where the network has no such thing.
  public Optional<RemoteAccess> remoteAccess() {
    return Optional.ofNullable(remoteAccess);
  }

  /// Rings the doorbell: hands over all that was posted since the last time. To post several
  /// descriptors and then ring once is cheaper than to ring for each.
  public void ring() {
    queue.requireOwner();
    rung();
    queue.port().flush();
    queue.remind();
  }

  /// Hands over what was posted. The queue may hold this interface for ringing still, which is
  /// then without effect.
  void rung() {
    if (unrung) {
      unrung = false;
      if (link.state() == InterfaceState.CONNECTED) {
        link.ring();
      }
    }
  }

  /// Called by the queue for each descriptor that it returns.
  void returned(Descriptor descriptor) {
    descriptor.returned();
    if (descriptor.isSend()) {
      sendsOut--;
    } else {
      receivesOut--;
    }
    if (sendsOut + receivesOut == 0 && link.state() == InterfaceState.CLOSED) {
      queue.closed(this);
    }
  }

  /// Returns the state of this interface. What the peer does is noticed while completions are
  /// taken.
  public InterfaceState state() {
    return link.state();
  }

  /// Why it is [InterfaceState#BROKEN]; null if it was not.
  public @Nullable NetException failure() {
    return link.failure();
  }

  /// Returns the name of the peer, for people.
  public String peer() {
    return link.peer();
  }

  /// Returns the identity that the peer has proved; null without [Tls]. Any thread.
  public @Nullable Principal principal() {
    return link.principal();
  }

  /// Returns the length of the longest message that may be sent: the smaller one of both sides'
  /// attributes.
  public long maximumMessageBytes() {
    return maximumMessageBytes;
  }

  /// Returns the attributes that this side was connected with.
  public Attributes attributes() {
    return link.attributes();
  }

  /// Returns the counts of messages and memory so far.
  public Counters counters() {
    queue.requireOwner();
    return link.counters(registrations.count(), registrations.bytes());
  }

  /// The queue that its descriptors complete on.
  public CompletionQueue completionQueue() {
    return queue;
  }

  /// Ends the connection: in order, so that the peer sees [InterfaceState#ENDED], if every send has
  /// completed; else abruptly, because a message may be cut off. What is posted completes with
  /// [Status#FLUSHED]; all memory is deregistered, so that a program need not give its tickets back
  /// first.
  @Override
  public void close() {
    close(false);
  }

  /// Ends the connection such that the peer sees [InterfaceState#BROKEN].
  public void abort() {
    close(true);
  }

  private void close(boolean abruptly) {
    queue.requireOwner();
    if (link.state() == InterfaceState.CLOSED) {
      return;
    }
    Closing closing = new Closing();
    closing.attempt(this::rung);
    closing.attempt(() -> link.close(abruptly));
    closing.attempt(queue::remind); // meanwhile something may have completed
    if (remoteAccess != null) {
      closing.attempt(remoteAccess::close);
    }
    closing.attempt(registrations::clear);
    queue.closed(this);
    closing.finish();
  }

  /// Returns how many posted descriptors the queue has not returned yet.
  public int outstanding() {
    return sendsOut + receivesOut;
  }

  /// Throws if what this interface and its provider count does not add up: for tests, after each
  /// step.
  ///
  /// @throws IllegalStateException with what does not
  public void checkInvariants() {
    if (sendsOut < 0 || sendsOut > sendDepth) {
      throw new IllegalStateException(sendsOut + " sends are out");
    }
    if (receivesOut < 0 || receivesOut > receiveDepth) {
      throw new IllegalStateException(receivesOut + " receives are out");
    }
    if (link.state() == InterfaceState.CONNECTED) {
      link.checkInvariants();
    }
  }

  @Override
  public String toString() {
    return "VirtualInterface[%s, %s]".formatted(peer(), state());
  }
}
