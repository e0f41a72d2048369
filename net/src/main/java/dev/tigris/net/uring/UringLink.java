// Over 400 lines: what a socket's operations do to its link has one place, because each of them may
// end it, and it ends only when the kernel is done with all of them.
package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.linux.IoUring;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.linux.TcpSocket;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Stage;
import dev.tigris.net.provider.Transfer;
import dev.tigris.net.tcp.Staging;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One socket. At most one operation to send and one to receive are in flight.
///
/// *Sending*: headers and short messages are copied into a buffer of the port; longer ones are
/// gathered from their own memory by the same operation.
///
/// *Receiving*: a link *listens*: whatever arrives goes into buffers of the port, which the kernel
/// picks, and one operation is enough for any number of them. After a long message it stops
/// listening, and what is missing is received to where it belongs. So are the messages that follow,
/// until a short one comes: another message like the last one is *expected*, and one operation
/// takes its header and its payload, each to its place.
///
/// ```text
///   expected     | header | memory of the receive that is posted first |
///   what comes   | header | payload            | surplus               |
/// ```
///
/// If the message is shorter than that, the surplus is what was sent behind it, and is taken out of
/// the application's memory before anything else happens to that. It is asked for as late as
/// possible, with a doorbell: whoever is given a message is likely to post a receive first.
///
/// While a message waits, the link listens only until a few buffers are full: that is what holds a
/// sender back.
///
/// *Lifetime of memory.* An operation in flight names either a buffer of the port, or memory of
/// transfers at the head of `sends` or `receives`, which hold its registration and with it its
/// lease. Those queues are emptied in [#finish] only, when nothing is in flight: a link that is
/// lost cancels its operations first, and ends when the last of them has completed. The port holds
/// the link until then, and itself until it is closed.
///
/// Conserved: operations in flight = `inFlight` = sending + receiving + listening + watching +
/// those that cancel others.
final class UringLink extends Link {
  /// The longest message that is copied to be sent: the copy costs less than another range.
  static final int COPIED_BYTES = 4096;

  /// Messages longer than this are received to where they belong: to copy one costs more than the
  /// operation of its own.
  static final int LONG_BYTES = 16 * 1024;

  /// How much is received at once after a long message if none can be expected: the header of
  /// another, and its beginning.
  private static final int AHEAD_OF_LONG_BYTES = Frame.HEADER_BYTES + 4096;

  /// How much is put into one operation, as long as that is whole messages: they complete together.
  private static final long MOST_SENT_BYTES = 256 * 1024;

  /// How many buffers a link may keep while a message waits: then it stops listening. What has
  /// arrived until it has stopped is kept too, which is bounded by the buffers that the port lends.
  private static final int MOST_KEPT = 4;

  private static final int SEND = 0;
  private static final int RECEIVE = 1;
  private static final int LISTEN = 2;
  private static final int WATCH = 3;
  private static final int CANCEL = 4;
  private static final int KIND_BITS = 3;

  /// How it ends, decided when it is given up.
  private enum Ending {
    NOT_YET,
    QUIETLY,
    IN_ORDER,
    BROKEN
  }

  private final UringPort port;
  private final IoUring ring;
  private final int slot;
  private final TcpSocket socket;
  private final int fd;
  private final String peer;
  private final long maximumIncomingBytes;

  private int inFlight;
  private boolean sending;
  private boolean receiving;
  private boolean listening;
  private boolean stopping;
  private boolean watching;

  private @Nullable Staging out;
  private int framed;
  private int sentBytes;
  private int outSequence;
  private @Nullable NetException sendFailure;

  /// Buffers of the port with what has arrived, in order.
  private final Numbers kept = new Numbers();

  /// Messages that came behind one that was shorter than expected; null if there are none.
  private @Nullable Staging surplus;

  private final ByteBuffer splitHeader =
      ByteBuffer.allocateDirect(Frame.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private final MemorySegment headerMemory = MemorySegment.ofBuffer(splitHeader);
  private final Frame frame = new Frame();
  private Stage stage = Stage.HEADER;
  private int inSequence;
  private long taken;

  /// Whether what is missing of a message is received to where it belongs: the link does not
  /// listen, or stops to.
  private boolean direct;

  /// How much the operation that receives may write to the application's memory; 0 if it writes to
  /// a buffer of the port.
  private long bodyBytes;

  /// Whether that operation begins with a header.
  private boolean expecting;

  /// Whether the port will call [#ask].
  private boolean asks;

  private boolean endOfStream;
  private @Nullable String loss;
  private boolean lingering;
  private long lingersSince;
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
    this.ring = port.ring();
    this.slot = slot;
    this.socket = socket;
    this.fd = socket.file().number();
    this.peer = peer;
    this.maximumIncomingBytes = attributes.maximumMessageBytes();
  }

  int slot() {
    return slot;
  }

  static int slotOf(long user) {
    return (int) (user >>> KIND_BITS);
  }

  private long user(int kind) {
    return (long) slot << KIND_BITS | kind;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void register(Region region) {}

  @Override
  public void deregister(Region region) {}

  @Override
  public void ring() {
    if (sending && framed < sends.size()) {
      port.takeCompletions(); // what was sent before may have left, and then this may, too
    }
    if (ending == Ending.NOT_YET) {
      send();
      if (stage == Stage.WAITING) {
        take();
      }
    }
  }

  /// An operation has completed, or has come so far.
  ///
  /// @param result how many bytes, or the negative number of an error
  /// @param buffer the number of the buffer that was filled, or -1
  /// @param goesOn whether the operation is in flight still
  void completed(long user, int result, int buffer, boolean goesOn) {
    if (!goesOn) {
      inFlight--;
    }
    switch ((int) user & (1 << KIND_BITS) - 1) {
      case SEND -> sendCompleted(result);
      case RECEIVE -> receiveCompleted(result, buffer);
      case LISTEN -> heard(result, buffer, goesOn);
      case WATCH -> {
        watching = false;
        if (!isReceiving()) { // else that will tell, after what arrived before
          fail("the connection is lost");
        }
      }
      default -> {
        stopping &= result >= 0; // if it came too late, there may be another attempt
        if (ending != Ending.NOT_YET && inFlight > 0) {
          socket.shutdown(); // whatever escaped the cancellation ends by this
        }
      }
    }
    if (ending != Ending.NOT_YET && inFlight == 0) {
      finish();
    }
  }

  private boolean isReceiving() {
    return receiving || listening;
  }

  // ---- sending

  /// Frames what is posted, and asks for it to be sent, unless that was asked for already.
  private void send() {
    if (sending || sendFailure != null || sends.isEmpty()) {
      return;
    }
    Staging buffer = port.staging();
    out = buffer;
    ByteBuffer bytes = buffer.bytes();
    ring.startGathering();
    int copied = 0; // up to here the buffer is named by a range
    long total = 0;
    for (boolean fits = true; fits && framed < sends.size() && total < MOST_SENT_BYTES; ) {
      Transfer next = Objects.requireNonNull(sends.peek(framed));
      boolean copies = next.bytes() <= COPIED_BYTES;
      fits =
          bytes.remaining() >= Frame.HEADER_BYTES + (copies ? next.bytes() : 0)
              && ring.rangesLeft() >= 2 + (copies ? 0 : next.count());
      if (fits) {
        Frame.put(bytes, next, outSequence++);
        if (copies) {
          buffer.append(next, 0, next.bytes());
        } else {
          ring.gather(buffer.memory(), copied, bytes.position() - copied);
          copied = bytes.position();
          gather(next);
        }
        framed++;
        total += Frame.HEADER_BYTES + next.bytes();
      }
    }
    if (bytes.position() > copied) {
      ring.gather(buffer.memory(), copied, bytes.position() - copied);
    }
    startSending(total);
  }

  private void gather(Transfer message) {
    for (int i = 0; i < message.count(); i++) {
      if (message.length(i) > 0) {
        ring.gather(message.region(i).segment(), message.offset(i), message.length(i));
      }
    }
  }

  private void startSending(long total) {
    sentBytes = Math.toIntExact(total);
    sending = true;
    inFlight++;
    ring.send(user(SEND), fd);
  }

  private void sendCompleted(int result) {
    sending = false;
    port.giveBack(Objects.requireNonNull(out));
    out = null;
    if (ending != Ending.NOT_YET) {
      return;
    }
    if (result != sentBytes) {
      sendFailed(result);
      return;
    }
    if (lingering) {
      socket.shutdownOutput();
      return;
    }
    for (; framed > 0; framed--) {
      sent();
    }
    send();
  }

  /// What the peer has sent before it closed, in order perhaps, may be there still: if something is
  /// asked for, that will tell.
  private void sendFailed(int result) {
    String what = result < 0 ? SystemException.describe(-result) : "a message was cut off";
    sendFailure = failure("the connection is lost: " + what, null);
    if (!isReceiving() || lingering) {
      giveUp(Ending.BROKEN, sendFailure);
    }
  }

  // ---- receiving

  /// Asks for more, unless it was asked for already, or something is left: if it does not listen
  /// then with the next doorbell.
  void receive() {
    if (direct && !lingering && stage != Stage.SKIPPING) {
      if (!asks) {
        asks = true;
        port.askLater(this);
      }
    } else if (canAsk()) {
      listen();
    }
  }

  private boolean canAsk() {
    return !isReceiving() && !isLeft() && !endOfStream && ending == Ending.NOT_YET;
  }

  /// Whether something has arrived that was not taken.
  private boolean isLeft() {
    return surplus != null || !kept.isEmpty();
  }

  private void listen() {
    inFlight++;
    listening = true;
    ring.receiveAlways(user(LISTEN), fd);
  }

  /// What the port was told to do later.
  void ask() {
    asks = false;
    if (!canAsk()) {
      return;
    }
    if (!direct || lingering || stage == Stage.SKIPPING) {
      listen();
      return;
    }
    inFlight++;
    receiving = true;
    Transfer memory = receives.peek();
    if (stage == Stage.FILLING) {
      receiveBody(Objects.requireNonNull(memory));
    } else if (memory != null && isExpected(memory)) {
      expect(memory);
    } else {
      ring.receiveAhead(user(RECEIVE), fd, AHEAD_OF_LONG_BYTES);
    }
  }

  /// Whether this may be memory for another message like the last one, whose surplus there is a
  /// buffer for.
  private boolean isExpected(Transfer memory) {
    return stage == Stage.HEADER
        && splitHeader.position() == 0
        && frame.length <= Staging.BYTES
        && memory.count() == 1
        && memory.bytes() >= frame.length;
  }

  private void expect(Transfer memory) {
    expecting = true;
    bodyBytes = frame.length;
    ring.startGathering();
    ring.gather(headerMemory, 0, Frame.HEADER_BYTES);
    ring.gather(memory.region(0).segment(), memory.offset(0), bodyBytes);
    ring.receiveScattered(user(RECEIVE), fd);
  }

  /// Asks for the rest of a message, or of the range that is next.
  private void receiveBody(Transfer memory) {
    int i = memory.rangeAt(taken);
    long skip = taken - memory.before(i);
    long offset = memory.offset(i) + skip;
    bodyBytes = Math.min(memory.length(i) - skip, frame.length - taken);
    ring.receive(user(RECEIVE), fd, memory.region(i).segment(), offset, bodyBytes);
  }

  private void stopListening() {
    if (listening && !stopping) {
      stopping = true;
      inFlight++;
      ring.cancel(user(CANCEL), user(LISTEN));
    }
  }

  private void receiveCompleted(int result, int buffer) {
    receiving = false;
    long most = bodyBytes + (expecting ? Frame.HEADER_BYTES : 0);
    boolean toItsPlace = bodyBytes > 0 && result > 0;
    boolean withHeader = expecting;
    bodyBytes = 0;
    expecting = false;
    if (toItsPlace && result > most) {
      throw new IllegalStateException(result + " bytes received into " + most);
    }
    if (toItsPlace && !lingering && ending == Ending.NOT_YET) {
      if (withHeader) {
        takeExpected(result);
      } else {
        taken += result;
      }
    }
    arrived(result, buffer);
  }

  /// What was expected has come, or something else: so many bytes.
  private void takeExpected(int bytes) {
    splitHeader.position(Math.min(bytes, Frame.HEADER_BYTES));
    if (splitHeader.hasRemaining()) {
      return;
    }
    takeApart(splitHeader.flip());
    splitHeader.clear();
    if (ending != Ending.NOT_YET) {
      return;
    }
    int payload = bytes - Frame.HEADER_BYTES;
    taken = Math.min(payload, frame.length);
    if (payload > frame.length) {
      Staging rest = port.staging();
      rest.bytes().limit(payload - frame.length);
      Objects.requireNonNull(receives.peek())
          .copyTo(rest.memory(), 0, frame.length, rest.bytes().limit());
      surplus = rest;
    }
  }

  private void heard(int result, int buffer, boolean goesOn) {
    if (!goesOn) {
      listening = false;
      stopping = false;
    }
    arrived(result, buffer);
  }

  private void arrived(int result, int buffer) {
    if (buffer >= 0) {
      port.filled(buffer, Math.max(0, result));
      kept.add(buffer);
    }
    if (result == IoUring.NO_BUFFERS && kept.isEmpty()) {
      port.starve(this);
      return;
    }
    boolean over = result <= 0 && result != IoUring.NO_BUFFERS && result != IoUring.CANCELED;
    if (ending != Ending.NOT_YET || lingering) {
      forgetBuffers();
      if (over) {
        giveUp();
      }
      receive();
      return;
    }
    endOfStream |= over;
    if (over && result < 0) {
      loss = "the connection is lost: " + SystemException.describe(-result);
    }
    take();
  }

  private void forgetBuffers() {
    forgetSurplus();
    while (!kept.isEmpty()) {
      port.provide(kept.remove());
    }
  }

  private void forgetSurplus() {
    if (surplus != null) {
      port.giveBack(surplus);
      surplus = null;
    }
  }

  /// What can be taken from; null if nothing has arrived that was not.
  private @Nullable Staging available() {
    if (surplus != null && surplus.bytes().hasRemaining()) {
      return surplus;
    }
    forgetSurplus();
    while (!kept.isEmpty()) {
      Staging first = port.buffer(kept.first());
      if (first.bytes().hasRemaining()) {
        return first;
      }
      port.provide(kept.remove());
    }
    return null;
  }

  /// Takes what has arrived, as far as that is possible.
  private void take() {
    while (ending == Ending.NOT_YET && takeStage()) {
      // and the next one
    }
    if (ending != Ending.NOT_YET) {
      return;
    }
    boolean isLeft = available() != null;
    if (stage == Stage.WAITING) {
      holdBack();
    } else if (endOfStream && !isLeft) {
      String ended = "it ended without a goodbye: the peer was killed, or has aborted";
      fail(loss == null ? ended : loss, sendFailure);
    } else if (stage == Stage.HEADER
        ? frame.length > LONG_BYTES
        : stage == Stage.FILLING && frame.length - taken > LONG_BYTES) {
      direct = true;
      stopListening();
    }
    receive();
  }

  /// A message waits.
  private void holdBack() {
    if (kept.size() >= MOST_KEPT) {
      stopListening();
    }
    if (!isReceiving() && !watching && isLeft()) {
      watching = true; // while nothing is asked for, who else would notice that it is lost?
      inFlight++;
      ring.watch(user(WATCH), fd);
    }
  }

  /// Returns whether it got to the next stage.
  private boolean takeStage() {
    switch (stage) {
      case HEADER -> {
        return takeHeader();
      }
      case WAITING -> {
        Stage next = arriving(frame.length, frame.tag, frame.type);
        if (next == Stage.WAITING) {
          return false;
        }
        stage = next;
      }
      case FILLING, SKIPPING -> {
        if (!takePayload()) {
          return false;
        }
        if (stage == Stage.FILLING) {
          received(frame.length, frame.tag, frame.type);
        }
        stage = Stage.HEADER;
      }
    }
    return true;
  }

  /// Returns whether that was all of it.
  private boolean takePayload() {
    while (taken < frame.length) {
      Staging buffer = available();
      if (buffer == null) {
        return false;
      }
      int n = (int) Math.min(buffer.bytes().remaining(), frame.length - taken);
      if (stage == Stage.SKIPPING) {
        buffer.bytes().position(buffer.bytes().position() + n);
      } else {
        buffer.moveTo(Objects.requireNonNull(receives.peek()), taken, n);
      }
      taken += n;
    }
    return true;
  }

  private boolean takeHeader() {
    Staging buffer = available();
    if (buffer != null
        && splitHeader.position() == 0
        && buffer.bytes().remaining() >= Frame.HEADER_BYTES) {
      takeApart(buffer.bytes());
      return true;
    }
    for (; buffer != null && splitHeader.hasRemaining(); buffer = available()) {
      while (splitHeader.hasRemaining() && buffer.bytes().hasRemaining()) {
        splitHeader.put(buffer.bytes().get());
      }
    }
    if (splitHeader.hasRemaining()) {
      return false;
    }
    takeApart(splitHeader.flip());
    splitHeader.clear();
    return true;
  }

  private void takeApart(ByteBuffer header) {
    String wrong = frame.take(header, maximumIncomingBytes, inSequence++);
    if (wrong != null) {
      failOfBreach(wrong);
    } else if (frame.goodbye) {
      giveUp(Ending.IN_ORDER, null);
    } else {
      stage = Stage.WAITING;
      taken = 0;
      direct &= frame.length > LONG_BYTES;
    }
  }

  // ---- ending

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
    forgetBuffers();
    if (inFlight > 0) {
      inFlight++;
      ring.cancelAll(user(CANCEL), fd);
    } else {
      finish();
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
      lingering = true;
      stopReceivingBody();
    } else if (ending == Ending.NOT_YET) {
      resetOnClose();
      giveUp();
    }
    if (ending != Ending.NOT_YET) {
      awaitEnd();
      return;
    }
    lingersSince = System.nanoTime();
    forgetBuffers();
    sayGoodbye();
    receive();
    port.linger(this);
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
  private void stopReceivingBody() {
    if (bodyBytes > 0) {
      inFlight++;
      ring.cancel(user(CANCEL), user(RECEIVE));
      while (bodyBytes > 0 && ending == Ending.NOT_YET) {
        port.takeWaiting();
      }
    }
  }

  private void sayGoodbye() {
    Staging buffer = port.staging();
    out = buffer;
    Frame.putGoodbye(buffer.bytes(), outSequence++);
    ring.startGathering();
    ring.gather(buffer.memory(), 0, Frame.HEADER_BYTES);
    startSending(Frame.HEADER_BYTES);
  }

  /// Whether it was closed so long ago that the peer is given up. It reads on until the peer has
  /// closed: a socket that is closed with something unread takes back what the peer has not read.
  boolean isOverdue() {
    return System.nanoTime() - lingersSince > Port.LINGER_NANOS;
  }

  void checkInvariants() {
    int known = (sending ? 1 : 0) + (receiving ? 1 : 0) + (listening ? 1 : 0) + (watching ? 1 : 0);
    if (inFlight < known) {
      throw new IllegalStateException(
          inFlight + " operations are in flight, and " + known + " are known");
    }
    if (framed > sends.size()) {
      throw new IllegalStateException("more framed than posted");
    }
    if (receiving && isLeft()) {
      throw new IllegalStateException("more is asked for while something is left");
    }
    if (taken > frame.length) {
      throw new IllegalStateException("more taken than was sent");
    }
  }
}
