package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import dev.tigris.net.Counters;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.NetException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/// A provider's half of an interface: where the connection is, and the two queues of posted
/// transfers, which a provider works off.
///
/// Conserved: transfers posted = in [#sends] + in [#receives] + completed.
public abstract class Link {
  /// The posted sends that are not complete.
  protected final SendQueue sends;

  /// The posted receives that are not complete.
  protected final ReceiveQueue receives;

  private final Attributes attributes;
  private final long maximumMessageBytes;

  /// Read by any thread.
  private volatile InterfaceState state = InterfaceState.CONNECTED;

  /// Written before `state` becomes `BROKEN`.
  private volatile @Nullable NetException failure;

  /// Told of an end that completes nothing.
  private Runnable silentEnd = () -> {};

  private boolean lingering;
  private long lingersSince;

  /// Makes a connected link.
  ///
  /// @param peerMaximumMessageBytes the longest message that the peer takes
  protected Link(Attributes attributes, long peerMaximumMessageBytes) {
    this.attributes = attributes;
    this.maximumMessageBytes = Math.min(attributes.maximumMessageBytes(), peerMaximumMessageBytes);
    this.sends = new SendQueue(attributes.sendDepth());
    this.receives = new ReceiveQueue(attributes);
  }

  // ---- what the provider does

  /// The name of the peer, for messages.
  public abstract String peer();

  /// The authenticated identity of the peer; null without authentication.
  public @Nullable Principal principal() {
    return null;
  }

  /// The doorbell: transfers were added to the queues, or sent at once. Moves what can be moved
  /// without waiting, and wakes the peer.
  public abstract void ring();

  /// Whether regions may be arrays on the heap.
  public boolean takesArrays() {
    return false;
  }

  /// Sends a message before which none waits, if that can be done at once: without waiting,
  /// and without anything that is left to the doorbell, which follows. The state stays the same.
  ///
  /// @return whether it has, and has completed it by [SendQueue#sent(Transfer)]
  protected boolean sendAtOnce(Transfer message) {
    return false;
  }

  /// Prepares the memory of a region for this link, and sets [Region#registration(Object)] if it
  /// needs to. Most links need nothing of the kind.
  public void register(Region region) {}

  /// Undoes [#register]: no posted transfer names the region.
  public void deregister(Region region) {}

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

  /// Breaks the connection without an exception as the cause.
  public final void fail(String what) {
    fail(what, null);
  }

  /// The application no longer reads the message that was left in place ([Transfer#leave]).
  ///
  /// @return whether it was the message all the time
  public boolean givenBack(Transfer left) {
    throw new IllegalStateException("this provider leaves no message where it was");
  }

  // ---- what the interface calls

  /// Gives the memory back in which a message was left, if it was; returns as [#givenBack], also
  /// when it is asked once more.
  public final boolean giveBack(Transfer received) {
    if (received.isLeft()) {
      received.taken();
      received.spoiled(!givenBack(received));
    }
    return !received.isSpoiled();
  }

  /// Throws if what the provider counts does not add up. For tests.
  public void checkInvariants() {}

  /// Whether another send can be posted.
  public final boolean hasRoomToSend() {
    return sends.size() < attributes.sendDepth();
  }

  /// Whether a send is posted that is not complete.
  public final boolean isSending() {
    return !sends.isEmpty();
  }

  /// Takes a send: there is room for it in the queue, since the interface has counted. Where none
  /// waits before it, it may be complete when this returns.
  ///
  /// @throws IllegalArgumentException if an array is in it, and the provider takes none
  public final void postSend(Transfer message) {
    requireMemory(message);
    if (!sends.isEmpty() || !sendAtOnce(message)) {
      sends.add(message);
    }
  }

  /// Takes a receive: there is room for it. As for [#postSend].
  public final void postReceive(Transfer memory) {
    requireMemory(memory);
    receives.add(memory);
  }

  private void requireMemory(Transfer posted) {
    if (posted.hasArrays() && !takesArrays()) {
      throw new IllegalArgumentException("this provider takes no arrays: register a view");
    }
  }

  /// Closes it: in order if no posted send is left, else abruptly. Flushes both queues.
  public final void close(boolean abruptly) {
    if (state == InterfaceState.CLOSED) {
      return;
    }
    boolean inOrder = !abruptly && sends.isEmpty() && state != InterfaceState.BROKEN;
    boolean letGo = false;
    try {
      disconnect(inOrder);
      letGo = true;
    } finally {
      state = InterfaceState.CLOSED;
      if (letGo) { // else the provider may still touch memory: none is given back
        flush();
      }
    }
  }

  /// Names what is told of an end of the connection that completes no transfer, since none is
  /// posted. It is called by the owner of the queue, in a call that moves messages.
  public final void onSilentEnd(Runnable told) {
    silentEnd = told;
  }

  /// Where it is.
  public final InterfaceState state() {
    return state;
  }

  /// Why it is broken.
  public final @Nullable NetException failure() {
    return failure;
  }

  /// The attributes of this side.
  public final Attributes attributes() {
    return attributes;
  }

  /// The longest message that may be sent.
  public final long maximumMessageBytes() {
    return maximumMessageBytes;
  }

  /// The counters of this link.
  public Counters counters(long registeredBuffers, long registeredBytes) {
    return new Counters(
        sends.messages(),
        sends.bytes(),
        receives.messages(),
        receives.bytes(),
        receives.dropped(),
        receives.refused(),
        registeredBuffers,
        registeredBytes);
  }

  // ---- what the provider calls

  /// Whether messages can be moved.
  protected final boolean isConnected() {
    return state == InterfaceState.CONNECTED;
  }

  /// Notes that the application has closed the link in order, and that it stays until the peer has
  /// closed, too: see [LinkList#linger].
  protected final void startLingering() {
    lingering = true;
    lingersSince = System.nanoTime();
  }

  /// Whether it stays although the application has closed it.
  protected final boolean isLingering() {
    return lingering;
  }

  /// Whether the application has closed it so long ago that the peer is given up.
  protected final boolean isOverdue() {
    return lingering && System.nanoTime() - lingersSince > Port.LINGER_NANOS;
  }

  /// The peer has sent what it must not, or memory of a message is gone: ends the connection.
  protected final void failOf(BreakingException why) {
    fail(String.valueOf(why.getMessage()), why);
  }

  /// The exception that has broken the connection, with the peer's name.
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
      boolean isSilent = sends.isEmpty() && receives.isEmpty();
      state = next;
      flush();
      if (isSilent) {
        silentEnd.run();
      }
    }
  }

  private void flush() {
    sends.flush();
    receives.flush();
  }
}
