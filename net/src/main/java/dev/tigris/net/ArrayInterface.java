// Over 400 lines: what is posted, and what is waited for, need the same slots and counts.
package dev.tigris.net;

import dev.tigris.os.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Level I: messages that are arrays on the heap (Chang and von Eicken, *Interfacing Java with the
/// Virtual Interface Architecture*, section 3, Javia-I). The registered buffers are hidden, and
/// each message is copied out of an array, and into one.
///
/// ```text
///   sends      [ ticket | ticket | ... ]  ring      array --copy--> buffer ----> the peer
///   receives   [ ticket | ticket | ... ]  ring      array <--copy-- buffer <---- the peer
/// ```
///
/// Blocking receives allocate an array for each message. The asynchronous ones take the caller's,
/// and allocate nothing: the tickets of each direction are a ring, and one is used again after as
/// many posts as the ring is long. Where that copy is too much, [VirtualInterface#register] takes
/// arrays themselves, with some providers.
///
/// *The doorbell.* An asynchronous send is copied and posted. It leaves by the next call that
/// waits or could wait, whatever for: [#send], [#receive], [#await], and a post that finds no free
/// buffer. It leaves at once with what was posted before when [#BATCH_BYTES] have come together,
/// so that the peer works while the next messages are copied. Who does something else after the
/// last post, be it waiting for another queue, calls [#ring] first.
///
/// It owns the interface, takes all completions of its queue, and has the queue's thread rule.
public final class ArrayInterface implements AutoCloseable {
  /// How much is posted before the doorbell rings by itself: the copies cost more than it then.
  static final long BATCH_BYTES = 32 * 1024;

  private final VirtualInterface link;
  private final CompletionQueue queue;
  private final int slotBytes;
  private final SlotRing sends;
  private final SlotRing receives;

  /// Messages that have arrived, and how many of them were copied to where they belong.
  private long arrived;
  private long delivered;

  /// Whether sends are posted that no doorbell was rung for, and how long they are.
  private boolean closed;
  private boolean unrung;
  private long unrungBytes;

  /// An array that was posted.
  public static final class Posted {
    private @Nullable Object array;
    private @Nullable ArrayType<?> type;
    private int from;
    private int count;
    private int tag;
    private Status status = Status.IDLE;

    Posted() {}

    /// Whether the operation is over. A send is when the message has left the buffer; the array
    /// could be used again from the start, because it was copied.
    public boolean isComplete() {
      return status != Status.POSTED;
    }

    /// How it ended. [Status#TOO_LONG] and [Status#OTHER_TYPE] are of receives; the message is
    /// lost.
    public Status status() {
      return status;
    }

    /// How many elements were sent, or have arrived.
    public int count() {
      return count;
    }

    /// The tag that the sender gave the message.
    public int tag() {
      return tag;
    }

    private void post(ArrayType<?> itsType, Object itsArray, int start, int length, int itsTag) {
      type = itsType;
      array = itsArray;
      from = start;
      count = length;
      tag = itsTag;
      status = Status.POSTED;
    }

    private void complete(Status how) {
      status = how;
      array = null;
    }
  }

  /// A message that was received by blocking.
  ///
  /// @param array a new one, with exactly the elements that were sent
  /// @param tag what the sender gave it
  public record Message<A>(A array, int tag) {}

  /// Takes an interface over, and posts the buffers for what it receives. Both sides choose the
  /// same `slotBytes`: a longer message completes the peer's receive with [Status#TOO_LONG]. If the
  /// connection has ended already, that is told by the first call that needs it.
  ///
  /// @param slotBytes the longest message
  /// @param slots how many sends, and how many receives, can be under way
  /// @throws IllegalArgumentException if the interface checks types, which is done here; if its
  ///     queues are in use or have less than `slots` places; or if others complete where it does
  public ArrayInterface(VirtualInterface link, int slotBytes, int slots) {
    Attributes attributes = link.attributes();
    if (attributes.checkTypes()) {
      throw new IllegalArgumentException("arrays are checked here: connect without checkTypes");
    }
    if (slots < 1 || slots > Math.min(attributes.sendDepth(), attributes.receiveDepth())) {
      throw new IllegalArgumentException(
          "%d slots: the interface has room for %d sends and %d receives"
              .formatted(slots, attributes.sendDepth(), attributes.receiveDepth()));
    }
    this.link = link;
    this.queue = link.completionQueue();
    queue.requireOnly(link);
    this.slotBytes = slotBytes;
    this.sends = new SlotRing(link, slots, slotBytes);
    SlotRing second = null;
    try {
      second = new SlotRing(link, slots, slotBytes);
      this.receives = second;
    } finally {
      if (second == null) {
        sends.free(link);
      }
    }
    for (int i = 0; i < slots && link.state() == InterfaceState.CONNECTED; i++) {
      link.postReceive(receives.tickets[i]).orThrow();
    }
    link.ring();
  }

  /// The interface below: for its state, its peer and its counters.
  public VirtualInterface virtualInterface() {
    return link;
  }

  /// Sends `count` elements of an array: [#send(ArrayType, Object, int, int, int, long)] with a
  /// duration.
  @CheckReturnValue
  public <A> boolean send(
      ArrayType<A> type, A array, int from, int count, int tag, Duration timeout) {
    return send(type, array, from, count, tag, Fabric.nanos(timeout));
  }

  /// Sends `count` elements of an array, from `from` on: copies them, and waits only as long as all
  /// buffers are under way.
  ///
  /// @return false if none became free in time
  /// @throws IllegalArgumentException if the message is longer than a slot
  /// @throws NetException if the interface is no longer connected
  @CheckReturnValue
  public <A> boolean send(
      ArrayType<A> type, A array, int from, int count, int tag, long timeoutNanos) {
    long start = System.nanoTime();
    while (postSend(type, array, from, count, tag) == null) {
      long left = timeoutNanos - (System.nanoTime() - start);
      if (left <= 0 || !step(left)) {
        return false;
      }
    }
    ring();
    return true;
  }

  /// Posts `count` elements of an array like [#send], but neither waits nor rings the doorbell.
  ///
  /// @return null if all buffers are under way
  @CheckReturnValue
  public <A> @Nullable Posted postSend(ArrayType<A> type, A array, int from, int count, int tag) {
    queue.requireOwner();
    Objects.checkFromIndexSize(from, count, type.length(array));
    long bytes = (long) count * type.elementBytes();
    long longest = Math.min(slotBytes, link.maximumMessageBytes());
    if (bytes > longest) {
      throw new IllegalArgumentException(
          "%d bytes: a message has at most %d".formatted(bytes, longest));
    }
    if (sends.isFull()) {
      takeAll();
    }
    requireConnected("send an array to");
    if (sends.isFull()) {
      return null;
    }
    int slot = sends.slot(sends.posts);
    type.write(array, from, count, sends.memory[slot]);
    Ticket ticket = sends.tickets[slot].range(0, bytes).tag(tag);
    ticket.transfer().sendAs(type.dataType());
    link.postSend(ticket).orThrow();
    sends.posts++; // only now: a slot that is not posted never completes
    Posted posted = sends.posted[slot];
    posted.post(type, array, from, count, tag);
    unrung = true;
    unrungBytes += bytes;
    if (unrungBytes >= BATCH_BYTES) {
      ring();
    }
    return posted;
  }

  /// Rings the doorbell for all that was posted: it is on its way without another call.
  public void ring() {
    queue.requireOwner();
    if (unrung) {
      link.ring();
      unrung = false;
      unrungBytes = 0;
    }
  }

  /// Receives a message: [#receive(ArrayType, long)] with a duration.
  @CheckReturnValue
  public <A> @Nullable Message<A> receive(ArrayType<A> type, Duration timeout) {
    return receive(type, Fabric.nanos(timeout));
  }

  /// Waits for the next message, and makes an array of it. Receives that were posted before get
  /// theirs first.
  ///
  /// @return null if none came in time
  /// @throws NetException if the interface is no longer connected, or if the message is of another
  ///     type or too long, and lost
  @CheckReturnValue
  public <A> @Nullable Message<A> receive(ArrayType<A> type, long timeoutNanos) {
    long start = System.nanoTime();
    takeAll();
    while (!hasArrived()) {
      long left = timeoutNanos - (System.nanoTime() - start);
      if (left <= 0 || !step(left)) {
        return null;
      }
    }
    int slot = receives.slot(delivered);
    Ticket ticket = receives.tickets[slot];
    int tag = ticket.tag();
    Status status = verdict(ticket, type);
    if (status != Status.DONE) {
      String why =
          status == Status.TOO_LONG
              ? "a message is longer than %d bytes: have both sides choose larger slots"
                  .formatted(slotBytes)
              : "a message of %s is no %s".formatted(ticket.type(), type);
      repost();
      throw new NetException("receive an array from", link.peer(), why, null);
    }
    int count = (int) (ticket.transferredBytes() / type.elementBytes());
    A array = type.make(count);
    type.read(receives.memory[slot], array, 0, count);
    repost();
    return new Message<>(array, tag);
  }

  /// How a message has arrived, for who wants a type: the peer may have sent part of an element.
  private static Status verdict(Ticket ticket, ArrayType<?> type) {
    if (ticket.status() != Status.DONE) {
      return ticket.status();
    }
    return ticket.type() == type.dataType() && ticket.transferredBytes() % type.elementBytes() == 0
        ? Status.DONE
        : Status.OTHER_TYPE;
  }

  /// Posts room for the next message that is not waited for yet: up to `count` elements of an
  /// array, from `from` on.
  ///
  /// @return null if as many are posted as there are slots
  /// @throws NetException if the interface is no longer connected, and nothing is left that came
  ///     before
  @CheckReturnValue
  public <A> @Nullable Posted postReceive(ArrayType<A> type, A array, int from, int count) {
    queue.requireOwner();
    Objects.checkFromIndexSize(from, count, type.length(array));
    boolean _ = hasArrived();
    if (receives.isFull()) {
      return null;
    }
    Posted posted = receives.posted[receives.slot(receives.posts++)];
    posted.post(type, array, from, count, 0);
    deliver();
    return posted;
  }

  /// Waits for a posted message: [#await(Posted, long)] with a duration.
  @CheckReturnValue
  public boolean await(Posted posted, Duration timeout) {
    return await(posted, Fabric.nanos(timeout));
  }

  /// Waits until a posted send or receive is complete. The doorbell is rung even if it is already.
  ///
  /// @return whether it is
  @CheckReturnValue
  public boolean await(Posted posted, long timeoutNanos) {
    long start = System.nanoTime();
    ring();
    while (!posted.isComplete()) {
      takeAll();
      long left = timeoutNanos - (System.nanoTime() - start);
      if (posted.isComplete() || left <= 0 || !step(left)) {
        return posted.isComplete();
      }
    }
    return true;
  }

  /// Whether there is a message that nobody was given.
  ///
  /// @throws NetException if there is none, and none can come
  private boolean hasArrived() {
    if (delivered == arrived && link.state() != InterfaceState.CONNECTED) {
      takeAll(); // what has come before the end
      if (delivered == arrived) {
        requireConnected("receive an array from");
      }
    }
    return delivered < arrived;
  }

  private void requireConnected(String operation) {
    if (link.state() != InterfaceState.CONNECTED) {
      NetException why = link.failure();
      String what = why == null ? "the interface is " + link.state() : why.what();
      throw new NetException(operation, link.peer(), what, why);
    }
  }

  /// Waits for one completion, and takes it; returns whether there was one.
  private boolean step(long timeoutNanos) {
    Descriptor next = queue.await(timeoutNanos);
    if (next != null) {
      taken(next);
    }
    return next != null;
  }

  /// Takes what is complete. The last poll, which finds nothing, has rung the doorbell.
  private void takeAll() {
    if (closed) { // the queue may be another interface's by now
      return;
    }
    for (Descriptor next = queue.poll(); next != null; next = queue.poll()) {
      taken(next);
    }
    unrung = false;
    unrungBytes = 0;
  }

  private void taken(Descriptor next) {
    if (next.isSend()) {
      sends.posted[sends.slot(sends.completed++)].complete(next.status());
    } else if (next.status() == Status.DONE || next.status() == Status.TOO_LONG) {
      arrived++;
      deliver();
    } else if (link.outstanding() == 0) {
      while (receives.completed < receives.posts) {
        receives.posted[receives.slot(receives.completed++)].complete(Status.FLUSHED);
      }
    }
  }

  /// Copies messages that have arrived to the arrays that wait for them.
  private void deliver() {
    while (delivered < arrived && receives.completed < receives.posts) {
      Posted posted = receives.posted[receives.slot(receives.completed++)];
      int slot = receives.slot(delivered);
      posted.complete(
          deliver(posted, Objects.requireNonNull(posted.type), receives.tickets[slot], slot));
      repost();
    }
  }

  @SuppressWarnings("unchecked") // the type was posted with its array
  private <A> Status deliver(Posted posted, ArrayType<A> type, Ticket ticket, int slot) {
    posted.tag = ticket.tag();
    Status status = verdict(ticket, type);
    if (status != Status.DONE) {
      return status;
    }
    int count = (int) (ticket.transferredBytes() / type.elementBytes());
    if (count > posted.count) {
      return Status.TOO_LONG;
    }
    posted.count = count;
    type.read(receives.memory[slot], (A) Objects.requireNonNull(posted.array), posted.from, count);
    return Status.DONE;
  }

  /// Posts the buffer of the message that was just delivered again.
  private void repost() {
    Ticket ticket = receives.tickets[receives.slot(delivered++)];
    if (link.state() == InterfaceState.CONNECTED) {
      link.postReceive(ticket).orThrow();
    }
  }

  /// Closes the interface, and gives the buffers back. What has arrived unreceived is lost.
  @Override
  public void close() {
    takeAll();
    delivered = arrived;
    sends.free(link);
    receives.free(link);
    link.close();
    takeAll();
    closed = true;
    delivered = arrived;
    sends.free(link);
    receives.free(link);
  }
}
