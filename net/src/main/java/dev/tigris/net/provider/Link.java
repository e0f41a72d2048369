package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import dev.tigris.net.Counters;
import dev.tigris.net.DataType;
import dev.tigris.net.Delivery;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/// A provider's half of an interface: the two queues of posted transfers, and the rules for what
/// arrives, which are the same for every provider.
///
/// A provider takes sends from the head of [#sends], moves them in order, and calls [#sent] when
/// the memory may be used again and the message cannot get lost unless the link breaks. For a
/// message that arrives it asks [#arriving], and goes on as that says.
///
/// Conserved: transfers posted = in [#sends] + in [#receives] + completed.
public abstract class Link {
  /// The posted sends that are not complete.
  protected final TransferQueue sends;

  /// The posted receives that are not complete.
  protected final TransferQueue receives;

  private final Attributes attributes;
  private final long maximumMessageBytes;
  private final Tally tally = new Tally();

  /// Read by any thread.
  private volatile InterfaceState state = InterfaceState.CONNECTED;

  /// Written before `state` becomes `BROKEN`.
  private volatile @Nullable NetException failure;

  /// Makes a connected link.
  ///
  /// @param peerMaximumMessageBytes the longest message that the peer takes
  protected Link(Attributes attributes, long peerMaximumMessageBytes) {
    this.attributes = attributes;
    this.maximumMessageBytes = Math.min(attributes.maximumMessageBytes(), peerMaximumMessageBytes);
    this.sends = new TransferQueue(attributes.sendDepth());
    this.receives = new TransferQueue(attributes.receiveDepth());
  }

  // ---- what the provider does

  /// Who is at the other end, for people.
  public abstract String peer();

  /// Who has proved to be the peer; null without authentication.
  public @Nullable Principal principal() {
    return null;
  }

  /// The doorbell: transfers were added to the queues. Moves what can be moved without waiting.
  public abstract void ring();

  /// Whether regions may be arrays on the heap.
  public boolean takesArrays() {
    return false;
  }

  /// Prepares the memory of a region for this link, and sets [Region#registered] if it needs to.
  public abstract void register(Region region);

  /// Undoes [#register]: no posted transfer names the region.
  public abstract void deregister(Region region);

  /// Ends the connection: in order if `inOrder`, so that the peer sees [InterfaceState#ENDED],
  /// else such that the peer sees [InterfaceState#BROKEN]. When it returns, nothing touches the
  /// memory of posted transfers any more. Called once, in any state but `CLOSED`; what was
  /// connected before may be broken already.
  protected abstract void disconnect(boolean inOrder);

  /// Ends the connection as broken, unless it has ended already: whatever the provider holds of it
  /// is let go, and then [#broken] called. That may take until later calls of the port, where a
  /// kernel or library is still at work on memory, and what the peer has sent in full may still be
  /// received before.
  protected abstract void fail(String what, @Nullable Throwable cause);

  /// As [#fail(String, Throwable)], where there is no exception behind it.
  public final void fail(String what) {
    fail(what, null);
  }

  /// Nobody reads any longer what was left where it was ([Transfer#leave]).
  ///
  /// @return whether it was the message all the time
  public boolean givenBack(Transfer left) {
    throw new IllegalStateException("this provider leaves no message where it was");
  }

  // ---- what the interface calls

  /// Gives the memory back in which a message was left, if it was; returns as [#givenBack].
  public final boolean giveBack(Transfer received) {
    if (!received.isLeft()) {
      return true;
    }
    received.taken();
    return givenBack(received);
  }

  /// Adds a send or a receive. There is room: the interface has counted.
  public final void post(Transfer transfer) {
    (transfer.isSend() ? sends : receives).add(transfer);
  }

  /// Closes it: in order if no posted send is left, else abruptly. Flushes both queues.
  public final void close(boolean abruptly) {
    if (state == InterfaceState.CLOSED) {
      return;
    }
    boolean inOrder = !abruptly && sends.isEmpty() && state != InterfaceState.BROKEN;
    disconnect(inOrder);
    state = InterfaceState.CLOSED;
    flush();
  }

  /// Where it is.
  public final InterfaceState state() {
    return state;
  }

  /// Why it is broken.
  public final @Nullable NetException failure() {
    return failure;
  }

  /// What was agreed about this side.
  public final Attributes attributes() {
    return attributes;
  }

  /// The longest message that may be sent.
  public final long maximumMessageBytes() {
    return maximumMessageBytes;
  }

  /// What it has done so far.
  public Counters counters(long registeredBuffers, long registeredBytes) {
    return new Counters(
        tally.messagesSent,
        tally.bytesSent,
        tally.messagesReceived,
        tally.bytesReceived,
        tally.dropped,
        tally.refused,
        registeredBuffers,
        registeredBytes);
  }

  // ---- what the provider calls

  /// Whether messages can be moved.
  protected final boolean isConnected() {
    return state == InterfaceState.CONNECTED;
  }

  /// The message at the head of [#sends] is sent, or what else is there was done.
  protected final void sent() {
    Transfer first = take(sends);
    if (first.remote() == Transfer.Remote.NONE) {
      tally.messagesSent++;
      tally.bytesSent += first.bytes();
    }
    first.complete(Status.DONE, first.bytes());
  }

  /// Says what becomes of a message whose header has arrived. A receive that it does not fit is
  /// completed with the refusal.
  ///
  /// @param bytes its length, which is within what this side takes: more is a breach of protocol
  /// @return the stage behind [Stage#HEADER]
  protected final Stage arriving(long bytes, int tag, DataType type) {
    Transfer first = receives.peek();
    if (first == null) {
      if (attributes.delivery() == Delivery.RELIABLE) {
        return Stage.WAITING;
      }
      tally.dropped++;
      return Stage.SKIPPING;
    }
    if (attributes.checkTypes() && first.memoryType() != type) {
      return refuse(Status.OTHER_TYPE, tag, type);
    }
    return bytes > first.bytes() ? refuse(Status.TOO_LONG, tag, type) : Stage.FILLING;
  }

  private Stage refuse(Status reason, int tag, DataType type) {
    Transfer first = take(receives);
    tally.refused++;
    first.arrived(tag, type);
    first.complete(reason, 0);
    return Stage.SKIPPING;
  }

  /// The transfer at the head of [#receives] was filled.
  protected final void received(long bytes, int tag, DataType type) {
    Transfer first = take(receives);
    tally.messagesReceived++;
    tally.bytesReceived += bytes;
    first.arrived(tag, type);
    first.complete(Status.DONE, bytes);
  }

  /// The peer has sent what it must not: ends the connection.
  protected final void failOfBreach(String wrong) {
    fail("the peer does not keep to the protocol: " + wrong);
  }

  /// What has broken the connection, with the peer's name.
  protected final NetException failure(String what, @Nullable Throwable cause) {
    return new NetException("exchange messages with", peer(), what, cause);
  }

  /// The peer has closed in order. Nothing touches the memory of posted transfers any more.
  protected final void ended() {
    leaveConnected(InterfaceState.ENDED);
  }

  /// The connection has ended in any other way. As for [#ended].
  protected final void broken(NetException why) {
    if (isConnected()) {
      failure = why;
      leaveConnected(InterfaceState.BROKEN);
    }
  }

  private void leaveConnected(InterfaceState next) {
    if (isConnected()) {
      state = next;
      flush();
    }
  }

  private void flush() {
    for (Transfer next = sends.poll(); next != null; next = sends.poll()) {
      next.complete(Status.FLUSHED, 0);
    }
    for (Transfer next = receives.poll(); next != null; next = receives.poll()) {
      next.complete(Status.FLUSHED, 0);
    }
  }

  private static Transfer take(TransferQueue queue) {
    Transfer first = queue.poll();
    if (first == null) {
      throw new IllegalStateException("nothing is posted that could be complete");
    }
    return first;
  }
}
