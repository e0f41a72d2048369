package dev.tigris.cluster;

import dev.tigris.flow.Mover;
import dev.tigris.flow.PeerLostException;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One end of a stream over a virtual interface, the papers' *ViaStream* (Welsh and Culler, 2000,
/// section 2.2). It has one interface, whose queue is that of the thread's [QueueMover].
///
/// Thread rule: as for [Stream]; what moves messages is called by the mover's thread, which is that
/// of this end.
abstract sealed class InterfaceStream extends Stream permits InterfaceSender, InterfaceReceiver {
  /// The most bytes that follow the header of a greeting or a refusal.
  static final int MOST_TEXT_BYTES = 448;

  final QueueMover mover;
  final Header.Identity identity;
  final StreamOptions options;

  private @Nullable VirtualInterface link;
  private @Nullable Jbuf memory;
  private @Nullable Bytes control;
  private final ArrayDeque<ControlSlot> freeControls = new ArrayDeque<>();
  private int controlsUnderWay;
  private boolean isOver;
  private boolean isLeaving;
  private boolean isUsed = true;
  private boolean wasLeftInOrder;

  /// Runs when this end is disposed of.
  private Runnable afterwards = () -> {};

  InterfaceStream(
      StreamKind.Place place, QueueMover mover, Header.Identity identity, StreamOptions options) {
    super(place.name(), place.window());
    this.mover = mover;
    this.identity = identity;
    this.options = options;
  }

  /// Has this run when this end is disposed of. Before it is used.
  final void afterwards(Runnable action) {
    afterwards = action;
  }

  // -- What the mover asks for.

  /// Posts what waits to be sent.
  ///
  /// @param mayConnect whether the caller is the thread of the module, which accepts connections
  abstract void advance(boolean mayConnect);

  /// Returns whether the connection is to be looked at now, after [#advance]: something was posted,
  /// or is missed.
  abstract boolean isInHurry();

  /// Notes that all that was posted leaves now: the mover rings.
  abstract void rung();

  /// Posts what was held back: the thread is about to park.
  abstract void letGo();

  /// Hands over what was posted, for a mover that does not poll next.
  final void ring() {
    VirtualInterface its = link;
    if (its != null && !isOver) {
      its.ring();
    }
  }

  /// Takes the control message of `length` bytes that has arrived in a slot.
  abstract void receiveControl(ControlSlot slot, long length);

  /// The connection has ended, in which way ever.
  abstract void disconnected(VirtualInterface ended);

  /// Notes an end of the connection that no completion tells of. All receives may be in use by what
  /// came just before it: those that are posted afterwards are refused.
  final void noticeEnd() {
    VirtualInterface its = link;
    if (its != null
        && !isOver
        && its.state() != InterfaceState.CONNECTED
        && its.outstanding() == 0) {
      disconnected(its);
    }
  }

  /// Returns whether nothing is left to be done for this end.
  final boolean isOver() {
    return isOver;
  }

  /// Returns whether it is not worth while any more to wait for the other end.
  final boolean isGivenUp() {
    return !wasLeftInOrder || isCancelled();
  }

  /// Returns what was lost since this end has left, if that is a failure.
  final @Nullable StreamException lossAfterLeaving() {
    Throwable cause = failure();
    if (cause == null || !wasLeftInOrder || isCancelled()) {
      return null;
    }
    return cause instanceof StreamException known && !(known instanceof ProtocolException)
        ? known
        : new StreamException("stream %s is lost: %s".formatted(name(), cause), cause);
  }

  /// Breaks the connection off: the other end sees that this one is lost.
  final void abort() {
    VirtualInterface its = link;
    beOver();
    if (its != null) {
      its.abort();
    }
  }

  /// Notes that the other end is lost, and breaks off what is left.
  final void lose(Throwable cause) {
    if (!isOver) {
      abort();
      if (!isMissed(cause)) {
        fail(cause);
      }
    }
  }

  /// Returns whether the loss of the other end is no more than its end, and notes that.
  boolean isMissed(Throwable cause) {
    return false;
  }

  /// Ends the connection in order.
  final void closeLink() {
    VirtualInterface its = link;
    beOver();
    if (its != null) {
      its.close();
    }
  }

  /// Notes that this end is over.
  final void beOver() {
    isOver = true;
  }

  // -- The connection.

  final @Nullable VirtualInterface link() {
    return link;
  }

  final VirtualInterface connected() {
    return Objects.requireNonNull(link);
  }

  final Bytes control() {
    return Objects.requireNonNull(control);
  }

  /// Begins to use an interface, with memory of its own for headers and control messages.
  ///
  /// @param bytes how much memory; the control slots are its beginning
  final void connect(VirtualInterface made, long bytes, int controlSlots) {
    link = made;
    Bytes view = control;
    if (view == null) {
      Jbuf allocated = Jbuf.allocate(bytes, name());
      memory = allocated;
      view = allocated.asBytes();
      control = view;
    }
    freeControls.clear();
    for (int i = 0; i < controlSlots; i++) {
      freeControls.add(new ControlSlot(made, view, (long) i * ControlSlot.BYTES));
    }
  }

  /// Forgets an interface that has never carried this stream.
  final void disconnect() {
    VirtualInterface its = link;
    link = null;
    if (its != null) {
      its.close();
    }
  }

  /// Memory for one control message.
  final class ControlSlot implements Completion {
    static final int BYTES = Header.BYTES + MOST_TEXT_BYTES;

    final VirtualInterface of;
    final long at;
    final Ticket ticket;

    private ControlSlot(VirtualInterface of, Bytes view, long at) {
      this.of = of;
      this.at = at;
      this.ticket = of.register(view).range(at, BYTES).attach(this);
    }

    @Override
    public InterfaceStream stream() {
      return InterfaceStream.this;
    }

    @Override
    public void completed(Descriptor descriptor) {
      if (isOver || link != of) {
        return;
      }
      switch (descriptor.status()) {
        case DONE -> {
          if (descriptor.isSend()) {
            controlsUnderWay--;
            freeControls.add(this);
            sentControl();
          } else {
            receiveControl(this, descriptor.transferredBytes());
          }
        }
        case FLUSHED -> disconnected(of);
        default ->
            throw new ProtocolException(
                "a control message is too long: it came as " + descriptor.status());
      }
    }

    /// Posts it as a receive, unless the connection has ended meanwhile, which a completion tells.
    void postReceive() {
      if (!isOver && link == of) {
        Posting _ = of.postReceive(ticket.range(at, BYTES));
      }
    }
  }

  /// A control message has left its memory.
  void sentControl() {}

  /// Returns how many control messages have not left their memory.
  final int controlsUnderWay() {
    return controlsUnderWay;
  }

  final boolean hasControl() {
    return !freeControls.isEmpty();
  }

  /// Takes memory for a control message. The caller has asked whether there is some.
  final ControlSlot takeControl() {
    return freeControls.removeFirst();
  }

  /// Posts a control message. Returns whether it was posted; otherwise the connection has ended,
  /// which a completion tells.
  final boolean postControl(
      ControlSlot slot, Kind kind, int length, long message, long water, long operand, long flags) {
    Bytes bytes = control();
    Header.write(bytes, slot.at, identity, kind, 0, length, message, water, operand);
    Header.flags(bytes, slot.at, flags);
    if (options.checksums() || kind == Kind.HELLO) {
      Header.seal(bytes, slot.at, bytes, slot.at + Header.BYTES, length);
    }
    if (slot.of.postSend(slot.ticket.range(slot.at, Header.BYTES + length)) != Posting.POSTED) {
      return false;
    }
    controlsUnderWay++;
    return true;
  }

  /// Returns the buffer of a water, with room for a header in front of its data.
  static Bytes bufferOf(Water water) {
    return buffer(water);
  }

  /// Reads the header of a message that came, and checks it.
  final Header.Read read(Bytes header, long at, long arrived, Bytes payload, long payloadAt) {
    Header.Read read = Header.read(header, at, arrived, identity);
    if (options.checksums() || read.kind() == Kind.HELLO) {
      Header.requireIntact(header, at, payload, payloadAt, read.length());
    }
    return read;
  }

  /// Returns the reason to fail with when the connection has ended too early.
  final StreamException lossOf(VirtualInterface ended, String peer) {
    Throwable why = ended.failure();
    return new PeerLostException(
        "stream %s has lost its %s %s: %s"
            .formatted(
                name(),
                peer,
                ended.peer(),
                why == null ? "it has closed the connection before the end" : why.getMessage()),
        why == null ? new StreamException("closed before the end") : why);
  }

  // -- What the flow asks for.

  @Override
  protected final Mover mover() {
    return mover;
  }

  /// Leaves the stream; once.
  ///
  /// @param inOrder whether the other end is to be told, and waited for
  final void leave(boolean inOrder) {
    if (isLeaving) {
      return;
    }
    isLeaving = true;
    wasLeftInOrder = inOrder;
    if (!inOrder && !isOver) {
      abort();
    }
    mover.leave(this);
  }

  /// Frees the memory. Its leases are held by nothing then.
  final void freeMemory() {
    if (isUsed) {
      isUsed = false;
      freeControls.clear();
      control = null;
      link = null;
      Jbuf allocated = memory;
      memory = null;
      if (allocated != null) {
        allocated.unreference(Jbuf::free);
      }
      afterwards.run();
    }
  }
}
