// Over 400 lines: what is asked for, what has come of it and what is taken next follow from the
// same few fields.
package dev.tigris.net.uring;

import dev.tigris.net.provider.BreachException;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.FrameReceiver;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.ReceiveQueue;
import dev.tigris.net.provider.ReceiveStage;
import dev.tigris.net.provider.Staging;
import dev.tigris.net.provider.Transfer;
import dev.tigris.os.IoUring;
import dev.tigris.os.Ranges;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The receiving half of a link: decides where what comes next is received to, and takes messages
/// out of what has arrived.
///
/// A link *listens*: whatever arrives goes into buffers of the port, which the kernel picks, and
/// one operation is enough for any number of them. After a long message it stops listening, and
/// what is missing is received to where it belongs. So are the messages that follow, until a short
/// one comes: another message like the last one is *expected*, and one operation takes its header
/// and its payload, each to its place.
///
/// ```text
///   expected     | header | memory of the receive that is posted first |
///   what comes   | header | payload            | surplus               |
/// ```
///
/// If the message is shorter than that, the surplus is what was sent behind it, and is taken out of
/// the application's memory before anything else happens to that. It is asked for as late as
/// possible, with a doorbell: a thread that is given a message likely posts a receive.
///
/// While a message waits, the link listens only until a few buffers are full: that is what holds a
/// sender back.
///
/// Where links are few in a port, each *looks* instead, whenever the port is moved: a call takes
/// what is there to where an operation would, and sooner, since that tells of it in two steps.
///
/// When the application has closed the interface this listens still, and forgets what it hears
/// ([#discard]); when the link is given up it asks for nothing more ([#close]).
final class UringReceiver extends FrameReceiver {
  /// Messages longer than this are received to where they belong: to copy one costs more than the
  /// operation of its own.
  static final int LONG_BYTES = 16 * 1024;

  /// How much is received at once after a long message if none can be expected: the header of
  /// another, and its beginning.
  private static final int AHEAD_OF_LONG_BYTES = Frame.HEADER_BYTES + 4096;

  /// How many buffers a link may keep while a message waits: then it stops listening. What has
  /// arrived until it has stopped is kept too.
  private static final int MOST_KEPT = 4;

  private final UringPort port;
  private final Operations operations;
  private final TcpSocket socket;
  private final Arrived arrived;

  /// Whether what is missing of a message is received to where it belongs: the link does not
  /// listen, or stops to.
  private boolean direct;

  /// Whether it looks: nothing is asked for, and nothing left.
  private boolean looks;

  /// How much the operation that receives may write to the application's memory; 0 if it writes to
  /// a buffer of the port.
  private long bodyBytes;

  /// Whether that operation begins with a header.
  private boolean expecting;

  /// Whether the port will call [#ask].
  private boolean asks;

  /// Whether it has found no buffer, and waits for its turn to get one.
  private boolean starves;

  /// Whether the peer has closed its direction: what it sent is on its way, or here.
  private boolean peerHasClosed;

  private boolean discards;
  private boolean closed;

  /// Whether nothing more will arrive, and why, if that is not that the peer has closed.
  private boolean endOfStream;

  private @Nullable String loss;

  /// Whether a look has seen the end of the stream, and so not how it has ended.
  private boolean hasSeenTheEnd;

  /// @param maximumBytes the longest message that this side takes
  UringReceiver(
      UringPort port,
      Operations operations,
      TcpSocket socket,
      ReceiveQueue receives,
      long maximumBytes) {
    super(receives, maximumBytes);
    this.port = port;
    this.operations = operations;
    this.socket = socket;
    this.arrived = new Arrived(port);
  }

  // ---- what the link asks

  /// Whether something that arrives, or the end of the stream, will be heard of.
  boolean isAsking() {
    return looks || operations.isReceiving();
  }

  /// Whether nothing more will arrive, and all that has was taken or is discarded, as it is with a
  /// connection that was lost.
  boolean isOver() {
    return endOfStream && (discards || loss != null || (!isWaiting() && arrived.isEmpty()));
  }

  /// Why it is over without a goodbye.
  String loss() {
    return loss == null
        ? "it ended without a goodbye: the peer was killed or aborted, or the network has failed"
        : loss;
  }

  /// Whether the kernel may write to the application's memory.
  boolean isFillingMemory() {
    return bodyBytes > 0;
  }

  /// The operation that watches says that the peer has closed, perhaps in order: what it has sent
  /// before is to be taken first.
  void peerHasClosed() {
    peerHasClosed = true;
  }

  /// From now on all that arrives is forgotten, up to the end of the stream.
  void discard() {
    discards = true;
    arrived.forget();
  }

  /// From now on nothing is asked for, and nothing taken.
  void close() {
    closed = true;
    looks = false;
    arrived.forget();
  }

  // ---- asking

  /// Looks or asks for more, unless it was asked for already, or something is left: if it does not
  /// listen then with the next doorbell.
  void receive() {
    looks = port.areFew() && canAsk();
    if (looks) {
      return;
    }
    if (isToItsPlace()) {
      if (!asks) {
        asks = true;
        port.askLater(this);
      }
    } else if (canAsk()) {
      operations.listen();
    }
  }

  /// Whether what comes next is received to where it belongs.
  private boolean isToItsPlace() {
    return direct && !discards && stage() != ReceiveStage.SKIPPING;
  }

  /// Links are not few any more, or few again: goes on in the way that is right now.
  void changeWay() {
    if (looks) {
      receive();
    } else if (port.areFew() && !closed) {
      operations.stopListening(); // and then it looks
    }
  }

  /// If it looks, has an operation complete when there is something to see.
  void awaitSight() {
    if (looks) {
      operations.await();
    }
  }

  /// The kernel has a buffer for it again.
  void takeTurn() {
    starves = false;
    receive();
  }

  private boolean canAsk() {
    return !starves && !operations.isReceiving() && arrived.isEmpty() && !endOfStream && !closed;
  }

  /// What the port was told to do later.
  void ask() {
    asks = false;
    if (looks || !canAsk()) {
      return;
    }
    if (!isToItsPlace()) {
      operations.listen();
      return;
    }
    Transfer memory = receives.peek();
    if (stage() == ReceiveStage.FILLING) {
      operations.receiveAll(rest(Objects.requireNonNull(memory)));
    } else if (memory != null && isExpected(memory)) {
      operations.receive(expected(memory));
    } else {
      operations.receiveAhead(AHEAD_OF_LONG_BYTES);
    }
  }

  /// Looks whether something has arrived, if it is to, and takes it.
  ///
  /// @throws BreachException if the peer has sent what it must not
  void look() {
    if (!looks) {
      return;
    }
    Transfer memory = isToItsPlace() ? receives.peek() : null;
    if (memory != null && memory.isMapped()) {
      looks = false;
      ask(); // a call says the same where memory is gone as where nothing is there
      return;
    }
    int result;
    if (memory != null && stage() == ReceiveStage.FILLING) {
      result = socket.receive(rest(memory));
    } else if (memory != null && isExpected(memory)) {
      result = socket.receive(expected(memory));
    } else {
      result = lookAhead(isToItsPlace() ? AHEAD_OF_LONG_BYTES : Staging.BYTES);
    }
    if (result < 0) {
      bodyBytes = 0;
      expecting = false;
    } else {
      looks = false;
      hasSeenTheEnd = result == 0;
      received(result, -1);
    }
  }

  /// Receives what is there into a buffer of the port; returns how many bytes, or -1.
  private int lookAhead(int most) {
    Staging buffer = port.staging();
    int result = socket.receive(buffer.memory(), most);
    if (result > 0) {
      buffer.bytes().limit(result);
      arrived.addSurplus(buffer);
    } else {
      port.giveBack(buffer);
    }
    return result;
  }

  /// Whether this may be memory for another message like the last one, whose surplus there is a
  /// buffer for.
  private boolean isExpected(Transfer memory) {
    return stage() == ReceiveStage.HEADER
        && !arrived.hasPartOfHeader()
        && length() <= Staging.BYTES
        && memory.count() == 1
        && memory.bytes() >= length();
  }

  /// Where another message like the last one is received to.
  private Ranges expected(Transfer memory) {
    expecting = true;
    bodyBytes = length();
    Ranges ranges = port.ranges();
    ranges.add(arrived.headerMemory(), 0, Frame.HEADER_BYTES);
    ranges.add(memory.region(0).segment(), memory.offset(0), bodyBytes);
    return ranges;
  }

  /// Where the rest of a message is received to, or that of its range that is next.
  private Ranges rest(Transfer memory) {
    int i = memory.rangeAt(taken());
    long skip = taken() - memory.before(i);
    bodyBytes = Math.min(memory.length(i) - skip, length() - taken());
    Ranges ranges = port.ranges();
    ranges.add(memory.region(i).segment(), memory.offset(i) + skip, bodyBytes);
    return ranges;
  }

  // ---- what has arrived

  /// The operation that receives has completed, or a look has.
  ///
  /// @param result how many bytes, or the negative number of an error
  /// @param buffer the number of the buffer that was filled, or -1
  /// @throws BreachException if the peer has sent what it must not
  /// @throws LostMemoryException if there is no memory any more for what it has sent
  void received(int result, int buffer) {
    long most = bodyBytes + (expecting ? Frame.HEADER_BYTES : 0);
    boolean toItsPlace = bodyBytes > 0 && result > 0;
    boolean withHeader = expecting;
    bodyBytes = 0;
    expecting = false;
    if (toItsPlace && result > most) {
      throw new IllegalStateException(result + " bytes received into " + most);
    }
    if (result == -SystemException.BAD_ADDRESS && !discards && !closed) {
      throw new LostMemoryException(null);
    }
    if (toItsPlace && !discards && !closed) {
      if (withHeader) {
        takeExpected(result);
      } else {
        taken(result);
      }
    }
    heard(result, buffer);
  }

  /// What was expected has come, or something else: so many bytes.
  private void takeExpected(int bytes) {
    arrived.addHeader(Math.min(bytes, Frame.HEADER_BYTES));
    if (!takeHeader() || saidGoodbye()) {
      return;
    }
    int payload = bytes - Frame.HEADER_BYTES;
    taken(Math.min(payload, length()));
    if (payload > length()) {
      Staging surplus = port.staging();
      surplus.bytes().limit(payload - length());
      Objects.requireNonNull(receives.peek())
          .copyTo(surplus.memory(), 0, length(), surplus.bytes().limit());
      arrived.addSurplus(surplus);
    }
  }

  /// As [#received], of the operation that listens.
  void heard(int result, int buffer) {
    if (buffer >= 0) {
      // Or else some hundred links that wait for receives would have all that the kernel may have.
      boolean waits = isWaiting() && !arrived.isEmpty();
      arrived.add(buffer, Math.max(0, result), waits);
    }
    if (result == IoUring.NO_BUFFERS && arrived.buffers() == 0) {
      starves = true;
      port.starve(this);
      return;
    }
    if (result <= 0 && result != IoUring.NO_BUFFERS && result != IoUring.CANCELED) {
      endOfStream = true;
      loss = result < 0 ? "the connection is lost: " + SystemException.describe(-result) : loss;
    }
    if (discards || closed) {
      arrived.forget();
      receive();
    } else {
      take();
    }
  }

  // ---- taking

  /// Takes what has arrived, as far as that is possible, and asks for more.
  ///
  /// @throws BreachException if the peer has sent what it must not
  void take() {
    takeFrames();
    if (saidGoodbye()) {
      return;
    }
    Staging _ = arrived.next(); // gives back what is empty
    if (isWaiting()) {
      holdBack();
    } else if (isLong()) {
      direct = true;
      operations.stopListening();
    }
    receive();
  }

  /// Whether the last message was long, or much is missing of the one that is arriving.
  private boolean isLong() {
    return stage() == ReceiveStage.HEADER
        ? length() > LONG_BYTES
        : stage() == ReceiveStage.FILLING && length() - taken() > LONG_BYTES;
  }

  /// A message waits.
  private void holdBack() {
    if (arrived.buffers() >= MOST_KEPT) {
      operations.stopListening();
    }
    // While nothing is asked for, nothing else would notice that the connection is lost.
    boolean mayBeLost = hasSeenTheEnd || (!endOfStream && !isAsking() && !arrived.isEmpty());
    if (mayBeLost && !peerHasClosed && !operations.isWatching()) {
      operations.watch();
    }
  }

  @Override
  protected long payload(@Nullable Transfer into, long from, long most) {
    Staging buffer = arrived.next();
    if (buffer == null) {
      return 0;
    }
    int count = (int) Math.min(buffer.bytes().remaining(), most);
    if (into == null) {
      buffer.bytes().position(buffer.bytes().position() + count);
    } else {
      buffer.moveTo(into, from, count);
    }
    return count;
  }

  @Override
  protected @Nullable ByteBuffer header() {
    return arrived.header();
  }

  @Override
  protected void begun() {
    direct &= length() > LONG_BYTES;
  }

  @Override
  public void checkInvariants() {
    super.checkInvariants();
    if (looks && (operations.isReceiving() || !arrived.isEmpty())) {
      throw new IllegalStateException("it looks while something is asked for, or left");
    }
    if (bodyBytes > 0 && !arrived.isEmpty()) {
      throw new IllegalStateException("more is asked for while something is left");
    }
    if (bodyBytes > 0 && !operations.isReceiving()) {
      throw new IllegalStateException("memory is to be filled, and nothing is asked for");
    }
    if (expecting && bodyBytes != length()) {
      throw new IllegalStateException("another message is expected than one like the last");
    }
  }
}
