// Over 400 lines: one contract, of those who send, those who receive, and those who write kinds.
package dev.tigris.flow;

import dev.tigris.memory.Bytes;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A channel from one sender to one receiver that carries waters in order (Welsh and Culler 2000,
/// section 2.2). Modules call [#put] and [#spring]; the engine does the rest. The other public
/// methods are for those who drive a stream without a flow.
///
/// **Credits.** A stream has a window: as many waters may be sent and not yet finished by the
/// receiver. At all times, as the sender sees it,
///
/// ```
/// sent = finished + outstanding     0 <= outstanding <= window     credits = window - outstanding
/// outstanding = waiting on the stream + in the receiver's hands + credits on their way back
/// ```
///
/// **Ends.** The sender ends a stream with [#end]: what was put before still arrives, then [#get]
/// gives null. The receiver ends it with [#stop]: what is on its way is dropped, and what is put
/// afterwards is discarded and counted.
///
/// **Kinds.** To add a kind of stream, extend this class, implement the `protected` methods, and
/// run [dev.tigris.flow.testing.StreamContract] on it. `send`, `sendEnd` and `outstanding` are
/// called by the sender's thread, `receive`, `isReady`, `isDrained`, `release`, `leave` and
/// `sendStop` by the receiver's, `prepare` and `dispose` when neither uses the stream any more. A
/// kind calls [#wakeReceiver] after it has made something to receive, or the end, visible to the
/// receiver, and [#wakeSender] after it has made credit visible to the sender.
///
/// Thread rule: one thread sends and one receives at a time, and they may be the same. Counters
/// may be read by any.
public abstract class Stream {
  private final String name;
  private final int window;

  /// Only for the sender's thread, but for [#counters].
  final SenderNotes sends = new SenderNotes();

  /// Only for the receiver's thread, but for [#counters].
  final ReceiverNotes receipts = new ReceiverNotes();

  private Parker sender = new Parker();
  private Parker receiver = new Parker();
  private long source;
  private boolean checksums;
  private boolean ended;
  private boolean ofFlow;

  /// Set by the receiver before it drops what is there (jcstress: `StopTest`).
  private volatile boolean stopped;

  private final Parker.Condition anyWater =
      new Parker.Condition() {
        @Override
        public boolean isMet() {
          return isReady() || isDrained();
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
          return hasCredit() || stopped;
        }

        @Override
        public String description() {
          return "credit on stream " + name;
        }
      };

  /// A stream with a name that says where it is, and a window between 1 and 1,048,576.
  protected Stream(String name, int window) {
    this.name = name;
    this.window = StreamKind.Place.checkWindow(window);
  }

  /// A stream between two threads of this JVM, to be driven without a flow.
  public static Stream memory(int window) {
    return new MemoryStream(new StreamKind.Place("memory", window));
  }

  /// Returns the stream's name, unique in its flow, such as `map[0]->reduce[3]`.
  public final String name() {
    return name;
  }

  /// How many waters may be sent and not yet finished.
  public final int window() {
    return window;
  }

  // -- The sender's side.

  /// Where waters come from that this stream carries without a copy.
  public abstract Spring spring();

  /// Sends a water, and waits first while there is no credit. The water is no longer the caller's.
  /// It may be one that came on another stream; if this stream cannot carry it as it is, a copy is
  /// sent and counted. If the receiver has ended, the water is discarded and counted.
  ///
  /// @throws IllegalStateException if the water or the stream is not the caller's, or after [#end];
  ///     of streams, one that is an input of the calling module is always noticed, and another
  ///     module's when there is no credit
  /// @throws StreamException if the stream fails, or if the thread is interrupted while it waits
  /// @throws java.util.concurrent.CancellationException if the flow is being stopped
  public final void put(Water water) {
    water.refuseUnlessHeld();
    if (ofFlow && receiver.isOfCaller()) {
      throw new IllegalStateException(
          "put on stream %s, which is an input of this module: a module puts on the streams it is given to put on"
              .formatted(name));
    }
    if (ended) {
      throw new IllegalStateException("put on stream " + name + ", which was ended");
    }
    if (!hasCredit() && !stopped) {
      awaitCredit();
    }
    if (stopped) {
      sends.discarded++;
      water.release();
      return;
    }
    if (canCarry(water)) {
      water.leaveLender();
      depart(water);
    } else {
      depart(copy(water));
      water.release();
    }
  }

  /// Says that nothing more will be put. Ending a stream twice is the same as ending it once.
  public final void end() {
    if (!ended) {
      ended = true;
      sendEnd();
      wakeReceiver();
    }
  }

  /// How many waters were sent and are not yet finished, as far as the sender knows.
  public abstract int outstanding();

  /// How many waters may be sent now without waiting; none after the receiver has ended.
  public final int credits() {
    return stopped ? 0 : window - outstanding();
  }

  /// Whether the receiver takes nothing more.
  public final boolean isStopped() {
    return stopped;
  }

  // -- The receiver's side.

  /// The next water if one is there, else null. It is the caller's until it is put on a stream or
  /// [released][Water#release]; the engine releases a module's input after each call.
  ///
  /// @throws StreamException if the stream fails, or the water's checksum does not match its data
  /// @throws IllegalStateException if the stream is an output of the calling module
  public final @Nullable Water poll() {
    if (ofFlow && sender.isOfCaller()) {
      throw new IllegalStateException(
          "taking from stream %s, which is an output of this module: a module takes from its inputs"
              .formatted(name));
    }
    Water water = receive();
    if (water == null) {
      return null;
    }
    water.lend(this);
    if (checksums && !water.isIntact()) {
      throw new StreamException(
          "stream %s: water %d of source %d is not what was sent: its checksum does not match"
              .formatted(name, water.sequence(), water.source()));
    }
    receipts.taken++;
    water.turn = receipts.taken;
    return water;
  }

  /// The next water, waiting for it; null when the stream has ended and everything was taken. Who
  /// waits while a whole [#window] of waters is its own, neither kept nor put nor released, may do
  /// so for ever: the sender has no credit to send another.
  ///
  /// @throws StreamException as [#poll], or if the thread is interrupted while it waits
  /// @throws java.util.concurrent.CancellationException if the flow is being stopped
  public final @Nullable Water get() {
    Water water = poll();
    while (water == null && !isDrained()) {
      receiver.await(Parker.INPUT, anyWater);
      water = pollReady();
    }
    return water;
  }

  /// Whether [#poll] would give a water now, or find out that there will be none.
  public abstract boolean isReady();

  /// Whether the sender has ended the stream and everything it has sent was taken.
  public abstract boolean isDrained();

  /// Says that the receiver takes nothing more, and drops what is there.
  public final void stop() {
    if (!stopped) {
      stopped = true;
      drop();
      sendStop();
      sender.countStop();
    }
  }

  // -- Both.

  /// Returns what this stream has counted so far. Any thread; cheap.
  public final StreamCounters counters() {
    VarHandle.acquireFence(); // whoever asks again and again reads them again and again
    long settled = receipts.settled;
    long waters = sends.waters;
    return new StreamCounters(
        waters,
        Math.max(0, waters - settled),
        sends.bytes,
        sends.copies,
        sends.discarded + receipts.dropped,
        sends.creditWaits,
        sends.creditWaitNanos,
        receipts.taken,
        sends.serviceNanos);
  }

  /// Gives back what the stream holds: memory, files, connections. Whoever drives a stream without
  /// a flow calls it once, when no thread uses the stream any more; a flow closes its own.
  ///
  /// @param complete whether everything went well, so that output may appear under its name; if
  ///     not, nothing of it must be left
  /// @throws IllegalStateException if the stream is a flow's
  public final void close(boolean complete) {
    if (ofFlow) {
      throw new IllegalStateException(
          "the flow closes stream %s, when all its modules have ended: a module says with end() that it puts no more, and with stop() that it takes no more"
              .formatted(name));
    }
    dispose(complete);
  }

  // -- For kinds of streams.

  /// Does what can still fail of [#dispose], such as making data last. When all went well, a flow
  /// calls it on every stream before it disposes of one, so that outputs appear together or not at
  /// all.
  protected void prepare() {}

  /// Does what [#close] says; called once.
  protected abstract void dispose(boolean complete);

  /// Whether this water can be sent as it is. If not, a copy of it in a water of this stream's own
  /// spring is sent.
  protected abstract boolean canCarry(Water water);

  /// Whether there is credit for one more water; may answer from what it knows, where asking costs.
  protected boolean hasCredit() {
    return outstanding() < window;
  }

  /// Sends a water. There is credit, and [#canCarry] is true for the water. A kind that sends the
  /// bytes of its [#data], and not the water itself, then lets it [return home][Water#returnHome].
  protected abstract void send(Water water);

  /// Returns the data of a water on its way, which no module holds: [Water#size] bytes are valid.
  protected static Bytes data(Water water) {
    return water.data();
  }

  /// Sends the end.
  protected abstract void sendEnd();

  /// The next water if one is there, else null: one that was sent, or one of a [BufferSpring] that
  /// the data was written to.
  protected abstract @Nullable Water receive();

  /// The receiver has finished with a water that [#receive] gave: returns its credit to the sender
  /// and the water to its spring.
  protected abstract void release(Water water);

  /// A water that [#receive] gave has left this stream for good, and belongs to the receiver:
  /// returns its credit only.
  protected abstract void leave(Water water);

  /// Tells the sender that the receiver has ended, where [#isStopped] does not reach.
  protected void sendStop() {}

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

  /// Counts a water that left the flow, on a stream without a receiver.
  protected final void countFinished() {
    receipts.settled++;
  }

  // -- For the engine.

  final void sender(Parker parker) {
    ofFlow = true;
    sender = parker;
  }

  final void receiver(Parker parker) {
    ofFlow = true;
    receiver = parker;
  }

  /// The number by which waters name this stream as their source.
  final void source(long number) {
    source = number;
  }

  /// What the sender thinks of its receiver, for those who look at the counters.
  final void estimate(long serviceNanos) {
    sends.serviceNanos = serviceNanos;
  }

  final void useChecksums() {
    checksums = true;
  }

  /// How many waters were put, from the sender's thread.
  final long sent() {
    return sends.waters;
  }

  /// The water of a stream that is ready, or drained; null if it turns out to be drained.
  final @Nullable Water pollReady() {
    Water water = poll();
    if (water == null && !isDrained()) { // its receiver would ask again and again
      throw new IllegalStateException("stream " + name + " says it is ready, and has no water");
    }
    return water;
  }

  /// A module begins to work on the water that was taken last.
  final long beginTurn() {
    long turn = receipts.taken;
    receipts.turn = turn;
    return turn;
  }

  /// Whether the water of that turn is still lent: it was neither released nor kept nor put
  /// elsewhere. The water itself cannot be asked, as somebody else may have it by now.
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

  private void awaitCredit() {
    long since = System.nanoTime();
    try {
      sender.await(Parker.CREDIT, anyCredit);
    } finally {
      sends.creditWaits++;
      sends.creditWaitNanos += System.nanoTime() - since;
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
