// Over 400 lines: one contract, of those who send, those who receive, and those who write kinds.
package dev.tigris.flow;

import dev.tigris.memory.Bytes;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A channel from one sender to one receiver that carries waters in order (Welsh and Culler, 2000,
/// section 2.2). Modules call [#put] and [#spring]; the engine does the rest. The other public
/// methods are for programs that drive a stream without a flow.
///
/// **Credits.** A stream has a window: the number of waters that may be sent and not yet finished
/// by the receiver. At all times, as the sender sees it,
///
/// ```
/// sent = finished + outstanding     0 <= outstanding <= window     credits = window - outstanding
/// outstanding = waiting on the stream + in the receiver's hands + credits on their way back
/// ```
///
/// **Ends.** The sender ends a stream with [#end]: what was put before still arrives, then [#get]
/// gives null. The receiver ends it with [#stop]: what is on its way is dropped, and what is put
/// afterwards goes to another receiver, if a policy has chosen this one, or is discarded and
/// counted. A stream one of whose ends is lost has *failed* ([#failure]): that never looks like an
/// end, and a flow fails with it.
///
/// **Kinds.** To add a kind of stream, extend this class, implement the `protected` methods, and
/// run [dev.tigris.flow.testing.StreamContract] on it. `send`, `sendEnd` and `outstanding` are
/// called by the sender's thread, `receive`, `isReady`, `isDrained`, `release`, `leave` and
/// `sendStop` by the receiver's, `detachSender` and `detachReceiver` by either as it ends,
/// `prepare` and `dispose` when neither uses the stream any more. A kind calls [#wakeReceiver]
/// after it has made something to receive, or the end, visible to the receiver, and [#wakeSender]
/// after it has made credit visible to the sender. A kind whose other end is elsewhere calls
/// [#peerStopped] when it hears that the receiver has ended, and [#fail] when the other side is
/// lost.
///
/// Thread rule: one thread sends and one receives at a time, and they may be the same. Counters may
/// be read by any.
public abstract class Stream {
  private final String name;
  private final int window;

  /// Only for the sender's thread, but for [#counters].
  final SenderSide sends = new SenderSide();

  /// Only for the receiver's thread, but for [#counters].
  final ReceiverSide receipts = new ReceiverSide();

  /// In [#shut]: the receiver has ended the stream.
  private static final int STOPPED = 1;

  /// In [#shut]: one of the ends is lost.
  private static final int FAILED = 2;

  /// Set by each end as it is attached, which the other end may do earlier or later.
  private volatile Parker sender = new Parker();

  private volatile Parker receiver = new Parker();
  private long source;
  private boolean checksums;
  private boolean ended;
  private boolean ofFlow;

  /// Chooses another stream for what is put here in vain; only for the sender's thread.
  private @Nullable Outlet outlet;

  /// Whether the outlet has taps; only for the sender's thread.
  private boolean isTapped;

  /// Why nothing can be sent any more, 0 if it can. The receiver sets [#STOPPED] before it drops
  /// what is there (jcstress: `StopTest`). Changed under this object's lock.
  private volatile int shut;

  /// Set before [#FAILED].
  private volatile @Nullable Throwable cause;

  private boolean hasSenderLeft;
  private boolean hasReceiverLeft;

  private final Parker.Condition anyWater =
      new Parker.Condition() {
        @Override
        public boolean isMet() {
          return isReady() || isDrained() || cause != null;
        }

        @Override
        public String description() {
          return "a water on stream " + name;
        }
      };

  private final Parker.Condition anyCredit =
      new Parker.Condition() {
        @Override
        public boolean isMet() {
          return hasCredit() || shut != 0;
        }

        @Override
        public String description() {
          return "credit on stream " + name;
        }
      };

  /// Makes a stream with a name that says where it is, and a window between 1 and 1,048,576.
  protected Stream(String name, int window) {
    this.name = name;
    this.window = StreamKind.Place.checkWindow(window);
  }

  /// Returns a stream between two threads of this JVM, to be driven without a flow.
  public static Stream memory(int window) {
    return new MemoryStream(new StreamKind.Place("memory", window));
  }

  /// Returns the stream's name, which is unique in its flow, such as `map[0]->reduce[3]`.
  public final String name() {
    return name;
  }

  /// Returns how many waters may be sent and not yet finished.
  public final int window() {
    return window;
  }

  // -- The sender's side.

  /// Returns the spring whose waters this stream carries without a copy.
  public abstract Spring spring();

  /// Sends a water, and waits first while there is no credit. The caller must not use the water
  /// afterwards. It may have come on another stream. If this stream cannot carry it as it is, a
  /// copy is sent and counted.
  ///
  /// If the receiver has ended, or ends while this waits, and a policy has chosen this stream for
  /// the module's call, then the policy chooses again, and the water is sent on that stream.
  /// Otherwise the water is discarded and counted.
  ///
  /// @throws IllegalStateException if the water or the stream is not the caller's, or after [#end].
  ///     An input of the calling module is always refused, a stream of another module only when
  ///     there is no credit
  /// @throws StreamException if the stream fails and no policy has another, or if the thread is
  ///     interrupted while it waits
  /// @throws java.util.concurrent.CancellationException if the flow is being stopped
  /// @throws EndOfStreamException if the module was dropped
  public final void put(Water water) {
    water.refuseUnlessHeld();
    if (ofFlow && receiver.isOfCaller()) {
      throw new IllegalStateException(
          "cannot put on stream %s, which is an input of this module: put on the streams that process, produce, finish and the context give"
              .formatted(name));
    }
    if (ended) {
      throw new IllegalStateException("cannot put on stream " + name + " after its end()");
    }
    if (!hasCredit() && shut == 0) {
      awaitCredit();
    }
    if (shut != 0) {
      putElsewhere(water);
    } else if (canCarry(water)) {
      water.leaveLender();
      depart(water);
    } else {
      depart(copy(water));
      water.release();
    }
  }

  /// Puts a water on the stream that a policy chooses instead of this one.
  private void putElsewhere(Water water) {
    Outlet chooser = outlet;
    Stream other = chooser == null ? null : chooser.insteadOf(this);
    if (other != null) {
      sends.rerouted++;
      other.put(water);
      return;
    }
    if (cause != null) {
      throw lost("receiver");
    }
    sends.discarded++;
    water.release();
  }

  /// Ends the stream: the sender puts nothing more. Ending a stream twice has no further effect.
  public final void end() {
    if (!ended) {
      ended = true;
      sendEnd();
      wakeReceiver();
    }
  }

  /// Returns how many waters were sent and are not yet finished, as far as the sender knows.
  public abstract int outstanding();

  /// Returns how many waters may be sent now without waiting; none after the receiver has ended.
  public final int credits() {
    return shut != 0 ? 0 : window - outstanding();
  }

  /// Returns whether the receiver has ended the stream, and so takes nothing more.
  public final boolean isStopped() {
    return (shut & STOPPED) != 0;
  }

  // -- The receiver's side.

  /// Returns the next water if one is there, else null. It belongs to the caller until it is put on
  /// a stream or [released][Water#release]; the engine releases a module's input after each call.
  ///
  /// @throws StreamException if the sender is lost and everything that came before was taken, if
  ///     the stream fails otherwise, or if the water's checksum does not match its data
  /// @throws IllegalStateException if the stream is an output of the calling module
  public final @Nullable Water poll() {
    if (ofFlow && sender.isOfCaller()) {
      throw new IllegalStateException(
          "cannot take from stream %s, which is an output of this module: take from the inputs that the context gives"
              .formatted(name));
    }
    Water water = receive();
    if (water == null) {
      if (cause != null && !isDrained()) {
        throw lost("sender");
      }
      return null;
    }
    water.lend(this);
    if (checksums && !water.isIntact()) {
      throw new StreamException(
          "stream %s: the checksum of water %d of source %d does not match: a module wrote to the water after it had put it, or the memory is damaged"
              .formatted(name, water.sequence(), water.source()));
    }
    receipts.taken++;
    water.turn = receipts.taken;
    return water;
  }

  /// Waits for the next water and returns it, or null when the stream has ended and everything was
  /// taken. A receiver that holds a whole [#window] of waters, neither kept nor put nor released,
  /// may wait forever: the sender has no credit to send another.
  ///
  /// @throws StreamException as [#poll], or if the thread is interrupted while it waits
  /// @throws java.util.concurrent.CancellationException if the flow is being stopped
  public final @Nullable Water get() {
    Water water = poll();
    while (water == null && !isDrained()) {
      letMove(receiver);
      receiver.await(Parker.INPUT, anyWater);
      water = pollReady();
    }
    return water;
  }

  /// Returns whether [#poll] would return a water now, or find that there will be none.
  public abstract boolean isReady();

  /// Returns whether the sender has ended the stream and everything it has sent was taken.
  public abstract boolean isDrained();

  /// Stops the stream: the receiver takes nothing more, and what is on its way is dropped.
  public final void stop() {
    if (shut(STOPPED)) {
      drop();
      sendStop();
      sender.signal();
    }
  }

  /// Sets why nothing can be sent any more. Returns whether that is new.
  private synchronized boolean shut(int why) {
    boolean isNew = (shut & why) == 0;
    shut |= why;
    return isNew;
  }

  // -- Both.

  /// Returns why the other end of this stream is lost, or null if it is not, as far as is known. A
  /// lost sender is not the end of the stream, and a lost receiver has not ended it: what was on
  /// its way may or may not have been worked on.
  public final @Nullable Throwable failure() {
    return cause;
  }

  /// Returns the counts of this stream so far. Any thread may call this, often.
  public final StreamCounters counters() {
    VarHandle.acquireFence(); // whoever asks again and again reads them again and again
    long settled = receipts.settled;
    long waters = sends.waters;
    long outstanding = Math.max(0, waters - settled);
    var discards =
        new StreamCounters.Discards(
            receipts.dropped, sends.discarded, cause == null ? 0 : outstanding);
    return new StreamCounters(
        waters,
        outstanding,
        sends.bytes,
        sends.copies,
        discards.onTheirWay() + discards.afterTheEnd() + discards.lost(),
        sends.creditWaits,
        sends.creditWaitNanos,
        receipts.taken,
        sends.serviceNanos,
        discards,
        sends.rerouted);
  }

  /// Releases what the stream holds: memory, files, connections. A program that drives a stream
  /// without a flow calls this once, when no thread uses the stream any more; a flow closes its own
  /// streams.
  ///
  /// @param complete whether the output may appear under its name; if not, nothing of it must be
  ///     left
  /// @throws IllegalStateException if the stream belongs to a flow
  public final void close(boolean complete) {
    if (ofFlow) {
      throw new IllegalStateException(
          "the flow closes stream %s itself, after all modules have ended: a module calls end() when it puts no more, and stop() when it takes no more"
              .formatted(name));
    }
    dispose(complete);
  }

  // -- For kinds of streams.

  /// Takes leave of the stream as its sender, on the sender's thread, after [#sendEnd] if the
  /// stream has a regular end. A kind waits here until what was sent is safe, and gives back what
  /// belongs to the thread. A stream that is left without an end must not look ended to its
  /// receiver.
  protected void detachSender() {}

  /// Takes leave of the stream as its receiver, on the receiver's thread.
  protected void detachReceiver() {}

  /// Tells that the receiver has ended the stream, for kinds whose receiver is elsewhere. Any
  /// thread.
  protected final void peerStopped() {
    if (shut(STOPPED)) {
      sender.signal();
    }
  }

  /// Tells that the other end is lost: no credit, no water and no end come from there any more.
  /// Only the first cause counts. Any thread.
  protected final void fail(Throwable lost) {
    synchronized (this) {
      if (cause != null) {
        return;
      }
      cause = lost;
      shut |= FAILED;
    }
    sender.signal();
    receiver.signal();
  }

  /// Returns what this stream alone may write in its flow, such as `file /a/b`; null if there is
  /// no such thing.
  protected @Nullable String output() {
    return null;
  }

  /// Returns what moves the data of this stream, on the thread of the module that has the end here;
  /// null if nothing needs to. Called by that thread as it attaches the stream.
  protected @Nullable Mover mover() {
    return null;
  }

  /// Does the part of [#dispose] that can still fail, such as forcing data to the disk. After a
  /// success, a flow calls it on every stream before it disposes of one, so that outputs appear
  /// together or not at all.
  protected void prepare() {}

  /// Prepares a stream that this one writes through: for the [#prepare] of a kind that turns waters
  /// into the bytes of a file, say.
  protected static void prepareInner(Stream inner) {
    inner.prepare();
  }

  /// Returns what a stream that this one writes through has as its [#output].
  protected static @Nullable String outputOf(Stream inner) {
    return inner.output();
  }

  /// Releases what the stream holds, as [#close] describes; called once.
  protected abstract void dispose(boolean complete);

  /// Returns whether this water can be sent as it is. If not, the stream sends a copy of it in a
  /// water of its own spring.
  protected abstract boolean canCarry(Water water);

  /// Returns whether there is credit for one more water. It may answer from the last known state
  /// where a fresh look is expensive.
  protected boolean hasCredit() {
    return outstanding() < window;
  }

  /// Sends a water. The caller has made sure that there is credit and that [#canCarry] is true for
  /// the water. A kind that sends the bytes of its [#data], and not the water itself, then lets the
  /// water [return home][Water#returnHome].
  protected abstract void send(Water water);

  /// Returns the data of a water on its way, which no module holds. The first [Water#size] bytes
  /// are valid.
  protected static Bytes data(Water water) {
    return water.data();
  }

  /// Returns the whole buffer of a water on its way: [Water#HEADER_BYTES], where a kind may write
  /// what it sends in front of the data, and the [#data]. It is the same object as long as the
  /// water
  /// has this buffer.
  protected static Bytes buffer(Water water) {
    return water.whole();
  }

  /// Says that what a kind has received before the data of a water is not the flow's own.
  protected static void clearHeader(Water water) {
    water.clearHeader();
  }

  /// Sends the end of the stream to the receiver.
  protected abstract void sendEnd();

  /// Returns the next water if one is there, else null. It is a water that was sent, or one of a
  /// [BufferSpring] into which the data was written.
  protected abstract @Nullable Water receive();

  /// Returns the credit of a water to the sender and the water to its spring. The receiver, which
  /// got the water from [#receive], has finished with it.
  protected abstract void release(Water water);

  /// Returns the credit of a water to the sender, and keeps the water out of the stream: the
  /// receiver, which got it from [#receive], owns it now.
  protected abstract void leave(Water water);

  /// Tells the sender that the receiver has ended the stream, for kinds whose sender does not see
  /// [#isStopped].
  protected void sendStop() {}

  /// Asks a sender that is elsewhere to end the stream, because this flow is to end. If it was
  /// asked, the receiver takes what was sent before, up to the end. Else the stream is stopped. It
  /// may be called again.
  ///
  /// @return whether the sender was asked
  protected boolean askEnd() {
    return false;
  }

  /// Hears that a sender elsewhere which is lost before it has sent anything is lost from now on.
  /// Until then, a kind may take that for its end.
  protected void requireSender() {}

  /// Returns whether the sender was lost before it had sent anything, and that was taken for its
  // end.
  protected boolean isWithoutSender() {
    return false;
  }

  /// Wakes the sender if it waits for credit on any of its streams.
  protected final void wakeSender() {
    sender.wake(Parker.CREDIT);
  }

  /// Wakes the receiver if it waits for a water on any of its streams.
  protected final void wakeReceiver() {
    receiver.wake(Parker.INPUT);
  }

  /// Counts a water that came from outside the flow, on a stream without a sender.
  protected final void countReceived(int bytes) {
    sends.waters++;
    sends.bytes += bytes;
  }

  /// Counts a water that has come from a sender that is elsewhere, before it is received.
  protected final void countArrived() {
    receipts.arrived++;
  }

  /// Counts a water that left the flow, on a stream without a receiver.
  protected final void countFinished() {
    receipts.settled++;
  }

  /// Counts a water that was sent, and that its receiver, which is elsewhere, has dropped.
  protected final void countDropped() {
    receipts.dropped++;
    receipts.settled++;
  }

  /// Returns whether a wait for the other end is to be given up: the flow is being stopped, or,
  /// without a flow, the thread is interrupted.
  protected final boolean isCancelled() {
    return ofFlow
        ? sender.isStopped() || receiver.isStopped()
        : Thread.currentThread().isInterrupted();
  }

  // -- For the engine.

  /// Makes it a stream of a flow, before a module has it.
  final void ofFlow() {
    ofFlow = true;
  }

  /// Attaches it to its sender, which chooses by an outlet if it puts anything.
  final void sender(Parker parker, @Nullable Outlet chooser) {
    outlet = chooser;
    sender = parker;
  }

  /// Says whether the outlet has taps. Only for the sender's thread.
  final void tapped(boolean is) {
    isTapped = is;
  }

  /// Attaches it to its receiver.
  final void receiver(Parker parker) {
    receiver = parker;
  }

  /// Ends the sender's use of it; once only.
  final void leaveSender() {
    if (!hasSenderLeft) {
      hasSenderLeft = true;
      detachSender();
    }
  }

  /// Ends the receiver's use of it; once only.
  final void leaveReceiver() {
    if (!hasReceiverLeft) {
      hasReceiverLeft = true;
      detachReceiver();
    }
  }

  /// Returns whether a sender must not choose it any more: the receiver has ended it or is lost, or
  /// the sender has left it. Only for the sender's thread.
  final boolean isShut() {
    return shut != 0 || hasSenderLeft;
  }

  /// Returns whether the sender has left it. Only for the sender's thread.
  final boolean isLeft() {
    return hasSenderLeft;
  }

  /// Returns what to throw since that end is lost.
  final StreamException lost(String end) {
    return new PeerLostException(
        "stream %s has lost its %s: %s".formatted(name, end, cause), Objects.requireNonNull(cause));
  }

  /// The number by which waters name this stream as their source.
  final void source(long number) {
    source = number;
  }

  /// What the sender thinks of its receiver, for those who look at the counters.
  final void estimate(long serviceNanos) {
    sends.serviceNanos = serviceNanos;
  }

  /// Returns how many waters were sent and are not finished, as far as is known here. Any thread.
  final int unfinished() {
    long settled = receipts.settled; // first, so that it is never too few
    return Math.clamp(sends.waters - settled, 0, window);
  }

  /// Returns how many waters have come from a sender elsewhere, and are not finished. Any thread.
  final int arrivedUnfinished() {
    long settled = receipts.settled;
    return Math.clamp(receipts.arrived - settled, 0, window);
  }

  /// Returns whether more may be sent, as far as is known. Any thread.
  final boolean isOpen() {
    return !ended && shut == 0;
  }

  final void useChecksums() {
    checksums = true;
  }

  /// Returns how many waters were put, from the sender's thread.
  final long sent() {
    return sends.waters;
  }

  /// Takes the water of a stream that is ready. Returns null if the stream turns out to be drained.
  final @Nullable Water pollReady() {
    Water water = poll();
    if (water == null && !isDrained()) { // its receiver would ask again and again
      throw new IllegalStateException(
          "stream "
              + name
              + " is ready but gave no water: correct isReady() or receive() of its kind");
    }
    return water;
  }

  /// Begins the turn of the water that was taken last, and returns the turn's number. A module
  /// works on that water now.
  final long beginTurn() {
    long turn = receipts.taken;
    receipts.turn = turn;
    return turn;
  }

  /// Returns whether the water of that turn is still lent: it was neither released nor kept nor put
  /// elsewhere. The water itself cannot say, since another module may have it by now.
  final boolean isTurn(long begun) {
    return receipts.turn == begun;
  }

  /// Drops what is on the stream: a window of waters at most, since one without a sender may have
  /// another water for ever. Only for the receiver's thread, or when no other uses it.
  final void drop() {
    for (int i = 0; i < window; i++) {
      Water water = receive();
      if (water == null) {
        return;
      }
      receipts.dropped++;
      water.lend(this);
      water.release();
    }
  }

  final void settle(Water water) {
    endTurn(water);
    release(water);
  }

  final void settleByLeaving(Water water) {
    endTurn(water);
    leave(water);
  }

  private void endTurn(Water water) {
    receipts.settled++;
    if (isTurn(water.turn)) {
      receipts.turn = 0;
    }
  }

  private void depart(Water water) {
    if (isTapped) {
      Objects.requireNonNull(outlet).copy(water);
    }
    sends.bytes += water.size();
    if (checksums) {
      water.writeHeader(source, sends.waters);
    }
    water.depart();
    send(water);
    sends.waters++;
    wakeReceiver();
  }

  private Water copy(Water water) {
    Water copy = spring().createWater(water.size());
    water.bytes().copyTo(0, copy.bytes(), 0, water.size());
    sends.copies++;
    return copy;
  }

  /// Lets a thread without a flow move the data of this stream while it waits. In a flow, the
  /// worker does so for all of its streams.
  private void letMove(Parker parker) {
    Mover moves = ofFlow ? null : mover();
    if (moves != null) {
      parker.use(moves);
    }
  }

  private void awaitCredit() {
    awaitChoice(anyCredit);
  }

  /// Waits at the sender's, and counts that.
  final void awaitChoice(Parker.Condition condition) {
    long since = System.nanoTime();
    Outlet chooser = outlet;
    Parker waits = sender;
    letMove(waits);
    if (chooser != null) {
      chooser.beginWait(waits);
    }
    try {
      waits.await(Parker.CREDIT, condition);
    } finally {
      if (chooser != null) {
        chooser.endWait(waits);
      }
      sends.creditWaits++;
      sends.creditWaitNanos += System.nanoTime() - since;
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
