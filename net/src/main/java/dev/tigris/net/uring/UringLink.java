package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.BreakingException;
import dev.tigris.net.provider.Link;
import dev.tigris.net.socket.HostWatch;
import dev.tigris.os.IoUring;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpPeer;
import dev.tigris.os.TcpSocket;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One socket, and how its connection ends. [UringSender] is how messages leave, [UringReceiver]
/// how they arrive, and [Operations] what both have asked of the kernel.
///
/// *Lifetime of memory.* An operation in flight names either a buffer of the port, or memory of
/// transfers at the head of `sends` or `receives`, which hold its registration and with it its
/// lease. Those queues are emptied in [#finish] only, when nothing is in flight: a link that is
/// lost cancels its operations first, and ends when the last of them has completed. The port holds
/// the link until then, and itself until it is closed.
final class UringLink extends Link {
  /// How it ends, decided when it is given up.
  private enum Ending {
    NOT_YET,
    QUIETLY,
    IN_ORDER,
    BROKEN
  }

  private final UringPort port;
  private final int slot;
  private final TcpSocket socket;
  private final String peer;
  private final HostWatch watch;
  private final Operations operations;
  private final UringSender outgoing;
  private final UringReceiver incoming;

  private Ending ending = Ending.NOT_YET;
  private @Nullable NetException why;
  private boolean finished;

  UringLink(
      UringPort port,
      int slot,
      TcpSocket socket,
      String peer,
      Attributes attributes,
      long peerMaximum) {
    super(attributes, peerMaximum);
    this.port = port;
    this.slot = slot;
    this.socket = socket;
    this.peer = peer;
    this.watch = new HostWatch(this, TcpPeer.of(socket));
    this.operations = new Operations(port.ring(), slot, socket.file().number());
    this.outgoing = new UringSender(port, operations, socket, sends);
    this.incoming =
        new UringReceiver(port, operations, socket, receives, attributes.maximumMessageBytes());
  }

  int slot() {
    return slot;
  }

  HostWatch watch() {
    return watch;
  }

  UringReceiver incoming() {
    return incoming;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void ring() {
    if (outgoing.isHeldUp()) {
      port.takeCompletions(); // what was sent before may have left, and then this may, too
    }
    if (ending == Ending.NOT_YET) {
      try {
        outgoing.send();
        if (incoming.isWaiting()) {
          incoming.take();
          endIfOver();
        }
      } catch (BreakingException e) {
        failOf(e);
      }
    }
  }

  /// Looks for what has arrived, where the port is to.
  void look() {
    if (ending == Ending.NOT_YET) {
      try {
        incoming.look();
        endIfOver();
      } catch (BreakingException e) {
        failOf(e);
      }
    }
  }

  /// An operation has completed, or has come so far.
  ///
  /// @param result how many bytes, or the negative number of an error
  /// @param buffer the number of the buffer that was filled, or -1
  /// @param goesOn whether the operation is in flight still
  void completed(long user, int result, int buffer, boolean goesOn) {
    try {
      switch (operations.completed(user, result, goesOn)) {
        case SEND -> sendCompleted(result);
        case RECEIVE -> {
          incoming.received(result, buffer);
          endIfOver();
        }
        case LISTEN -> {
          incoming.heard(result, buffer);
          endIfOver();
        }
        case WATCH -> {
          if (!IoUring.isLoss(result)) {
            incoming.peerHasClosed();
          } else if (!incoming.isAsking()) { // that would tell, after what arrived before
            fail("the connection is lost");
          }
        }
        case AWAIT, CANCEL -> {} // the port looks next, or what was cancelled completes
        case CANCEL_ALL -> {
          // What was cancelled completes after this. To shut down for that would end the stream in
          // order, when it is to end abruptly.
          if (operations.areMoreThan(Math.max(0, result))) {
            socket.shutdown(); // whatever escaped the cancellation ends by this
          }
        }
      }
    } catch (BreakingException e) {
      failOf(e);
    }
    if (ending != Ending.NOT_YET && operations.areNone()) {
      finish();
    }
  }

  private void sendCompleted(int result) {
    boolean isSent = outgoing.completed(result);
    if (ending != Ending.NOT_YET) {
      return;
    }
    if (!isSent) {
      sendFailed(result);
    } else if (isLingering()) {
      socket.shutdownOutput();
    } else {
      outgoing.completeSent();
      outgoing.send();
    }
  }

  // ---- ending

  /// What the peer has sent before it closed, in order perhaps, may be there still: if something is
  /// asked for, that will tell.
  private void sendFailed(int result) {
    if (outgoing.mayHaveLostMemory(result) || !incoming.isAsking() || isLingering()) {
      giveUp(Ending.BROKEN, sendFailure());
    }
  }

  private @Nullable NetException sendFailure() {
    String what = outgoing.failure();
    return what == null ? null : failure(what, null);
  }

  /// Something has arrived: it may have been the last.
  private void endIfOver() {
    if (incoming.saidGoodbye()) {
      giveUp(Ending.IN_ORDER, null);
    } else if (incoming.isOver() && isLingering()) {
      giveUp();
    } else if (incoming.isOver()) {
      fail(incoming.loss(), sendFailure());
    }
  }

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    giveUp(Ending.BROKEN, failure(what, cause));
  }

  /// Ends the link without a word to the application, which has closed it.
  void giveUp() {
    giveUp(Ending.QUIETLY, null);
  }

  private void giveUp(Ending how, @Nullable NetException reason) {
    if (ending != Ending.NOT_YET) {
      return;
    }
    ending = how;
    why = reason;
    incoming.close();
    if (operations.areNone()) {
      finish();
    } else {
      operations.stopAll();
    }
  }

  /// Nothing is in flight: the socket and the memory can be let go.
  private void finish() {
    if (finished) {
      return;
    }
    finished = true;
    socket.close();
    port.remove(this);
    if (ending == Ending.IN_ORDER) {
      ended();
    } else if (ending == Ending.BROKEN) {
      broken(Objects.requireNonNull(why));
    }
  }

  /// Waits until nothing is in flight; it was given up.
  void awaitEnd() {
    while (!finished) {
      port.takeWaiting();
    }
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (finished) {
      return;
    }
    if (inOrder) {
      port.linger(this);
      incoming.discard();
      stopFillingMemory();
    } else if (ending == Ending.NOT_YET) {
      resetOnClose();
      giveUp();
    }
    if (ending != Ending.NOT_YET) {
      awaitEnd();
      return;
    }
    outgoing.sayGoodbye();
    // It reads on until the peer has closed: a socket that is closed with something unread takes
    // back what the peer has not read.
    incoming.receive();
    port.progress(); // the goodbye is sent by now, if there is room, and the peer can close
  }

  private void resetOnClose() {
    try {
      socket.resetOnClose();
    } catch (SystemException alreadyLost) {
      // the peer knows
    }
  }

  /// Gets the application's memory back from the kernel. Its sends are complete.
  private void stopFillingMemory() {
    if (incoming.isFillingMemory()) {
      operations.stopReceiving();
      while (incoming.isFillingMemory() && ending == Ending.NOT_YET) {
        port.takeWaiting();
      }
    }
  }

  @Override
  public void checkInvariants() {
    operations.checkInvariants();
    outgoing.checkInvariants();
    incoming.checkInvariants();
  }
}
