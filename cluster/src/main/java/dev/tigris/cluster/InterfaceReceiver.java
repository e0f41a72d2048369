// Over 400 lines: its connection, what arrives, what the module takes, and what it tells.
package dev.tigris.cluster;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.net.Attributes;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.NetException;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// The receiving end of a stream over a virtual interface.
///
/// It keeps `window + 2` receives posted, each for a header and a water of its own, so that what
/// arrives is not copied. A water that is in use holds its receive; the credit is told after the
/// next water was posted in its place. Small waters that came together are copied out, and their
/// receive is posted again at once. A water that was announced gets a receive of its size.
///
/// ```
/// slots = posted + held by waters that came alone and are not finished
/// ```
final class InterfaceReceiver extends InterfaceStream implements Requests.Receiver {
  private static final System.Logger LOG = System.getLogger(Exchange.class.getName());
  private static final int CONTROLS = 8;
  private static final long CONTROL_BYTES = (long) (2 * CONTROLS) * ControlSlot.BYTES;

  /// A module that finishes so many waters between two visits of the mover makes quick calls.
  private static final int QUICK_CALLS = 8;

  /// With fewer waters here, its module may soon want more.
  private static final int FEW_ARRIVED = 16;

  private final Requests requests;

  /// Called once, when the sender has greeted.
  private final Runnable connected;

  /// The requests to connect that came; any thread adds to it.
  private final ConcurrentLinkedQueue<Requests.Asked> asking = new ConcurrentLinkedQueue<>();

  private final BufferSpring small;
  private final BufferSpring slots;
  private final BufferSpring large;
  private final ArrayDeque<Water> arrived = new ArrayDeque<>();

  /// The slots whose waters are in use, or whose grants are over.
  private final ArrayDeque<Slot> idle = new ArrayDeque<>();

  private final ArrayDeque<Slot> idleGrants = new ArrayDeque<>();
  private final ArrayDeque<Grant> grants = new ArrayDeque<>();

  /// When the sender has to be there, and then, when it has to have greeted.
  private long deadline;

  /// Whether the last message was a batch. To tell of small waters costs as much as a batch does.
  private boolean comeInBatches;

  /// How many waters were finished when the mover came by last.
  private long seenFinished;

  /// Null until the sender has greeted.
  private @Nullable ReceiverProtocol protocol;

  /// The water that is being dropped, which was never taken.
  private @Nullable Water dropped;

  /// The visit of another program's run that this end is of; null if it is of none.
  private @Nullable Visit visit;

  /// Whether a sender that is lost before it has sent anything has ended the stream.
  private boolean mayBeMissing;

  private boolean isMissing;
  private boolean hasBegun;
  private boolean mustStop;
  private boolean hasSaidStop;
  private boolean isClosing;

  /// The answer that is due for a granted receive.
  ///
  /// @param receive the number of the receive
  /// @param finished how many waters were finished when it was posted
  private record Grant(long receive, long finished) {}

  InterfaceReceiver(
      StreamKind.Place place,
      QueueMover mover,
      Header.Identity identity,
      StreamOptions options,
      Requests requests,
      Runnable connected) {
    super(place, mover, identity, options);
    this.requests = requests;
    this.connected = connected;
    this.small = BufferSpring.byTurns(place.name()); // a helper makes waters, too
    this.slots = BufferSpring.byTurns(place.name());
    this.large = BufferSpring.byTurns(place.name());
    this.deadline = System.nanoTime() + options.patience().toNanos();
  }

  // -- Guests.

  /// Takes from the run of another program, which is asked when the module first looks for a water.
  interface Visit {
    /// Asks that run to send here.
    void begin(InterfaceReceiver here) throws IOException;

    /// Asks it to end the stream.
    void end();
  }

  void visits(Visit its) {
    visit = its;
  }

  void mayBeMissing() {
    mayBeMissing = true;
  }

  @Override
  protected void requireSender() {
    mover.enter();
    try {
      mayBeMissing = false;
    } finally {
      mover.exit();
    }
  }

  @Override
  boolean isMissed(Throwable cause) {
    ReceiverProtocol its = protocol;
    isMissing = mayBeMissing && (its == null || its.isUnused());
    if (isMissing) {
      LOG.log(
          System.Logger.Level.WARNING,
          "a guest has sent nothing, and does not any more: {0}",
          cause.getMessage());
      wakeReceiver();
    }
    return isMissing;
  }

  /// That run does not send here, and why. Any thread.
  void refused(Throwable why) {
    fail(why);
  }

  /// The module looks for a water for the first time.
  private void begin() {
    hasBegun = true;
    if (mayBeMissing) { // it takes part from now on, and its sender is told so
      deadline = System.nanoTime() + ExchangePart.FOR_A_GUEST.toNanos();
    }
    Visit its = visit;
    try {
      if (its != null) {
        its.begin(this);
      }
    } catch (IOException e) {
      throw new StreamException("stream %s: %s".formatted(name(), e.getMessage()), e);
    }
  }

  @Override
  protected boolean isWithoutSender() {
    mover.enter();
    try {
      return isMissing;
    } finally {
      mover.exit();
    }
  }

  @Override
  protected boolean askEnd() {
    Visit its = visit;
    if (its == null || !hasBegun) {
      return false;
    }
    its.end();
    return true;
  }

  // -- Connecting.

  @Override
  public Header.Identity identity() {
    return identity;
  }

  /// Takes a request of the sender. Any thread.
  @Override
  public void ask(Requests.Asked request) {
    asking.add(request);
    mover.wake();
  }

  private void connect() {
    Requests.Asked asked = asking.poll();
    if (asked == null) {
      if (isLate()) {
        lose(
            new StreamException(
                "no sender of stream %s has connected within %s: check that its process runs, and has this address"
                    .formatted(
                        identity.name(),
                        mayBeMissing ? ExchangePart.FOR_A_GUEST : options.patience())));
      }
      return;
    }
    int depth = ReceiverProtocol.slots(window()) + window() + 2 * CONTROLS;
    VirtualInterface made;
    try (ConnectionRequest request = asked.request()) {
      made = request.accept(mover.queue(asked.fabric()), attributes(depth));
    } catch (NetException gone) {
      return; // it asks again
    }
    connect(made, CONTROL_BYTES, 2 * CONTROLS);
    takeControl().postReceive(); // for the greeting, and never again
    deadline = System.nanoTime() + options.patience().toNanos();
  }

  private boolean isLate() {
    return System.nanoTime() - deadline > 0;
  }

  /// A sender whose host has died, or that is no sender, may never greet.
  private void requireGreeting() {
    if (isLate() && !isClosing) {
      lose(
          new StreamException(
              "the sender of stream %s has connected, and has not greeted within %s: check its host and the network"
                  .formatted(identity.name(), options.patience())));
    }
  }

  private Attributes attributes(int depth) {
    return Attributes.DEFAULT.withDepths(2 * CONTROLS, depth).withSilence(options.silence());
  }

  /// Takes the greeting.
  @Override
  void receiveControl(ControlSlot from, long length) {
    Bytes bytes = control();
    long at = from.at;
    if (protocol != null) {
      throw new ProtocolException("a second greeting came");
    }
    Header.Read read;
    try {
      read = read(bytes, at, length, bytes, at + Header.BYTES);
      refuseUnlike(read, bytes, at);
    } catch (ProtocolException e) {
      refuse(e);
      return;
    }
    ReceiverProtocol made = new ReceiverProtocol(window(), options.slotBytes());
    protocol = made;
    Tickets tickets = new Tickets(connected(), InterfaceSender.tickets(window()));
    int count = ReceiverProtocol.slots(window());
    for (int i = 0; i < count + window(); i++) {
      Slot slot = new Slot(connected(), tickets, i >= count);
      (i < count ? idle : idleGrants).add(slot);
    }
    postIdle(count);
    if (mustStop) {
      made.stop();
    }
    connected.run();
  }

  private void refuseUnlike(Header.Read read, Bytes bytes, long at) {
    byte[] text = new byte[Math.min(read.length(), MOST_TEXT_BYTES)];
    bytes.copyTo(at + Header.BYTES, text, 0, text.length);
    String asked = new String(text, StandardCharsets.UTF_8);
    if (read.kind() != Kind.HELLO || read.message() != 0 || !asked.equals(identity.name())) {
      throw new ProtocolException(
          "a message of kind %s for stream '%s' came as a greeting of stream '%s'"
              .formatted(read.kind(), asked, identity.name()));
    }
    long window = read.operand() >>> Integer.SIZE;
    int slotBytes = (int) read.operand();
    boolean checksums = read.flags() != 0;
    if (window != window()
        || slotBytes != options.slotBytes()
        || checksums != options.checksums()) {
      throw new ProtocolException(
          "the sender of stream %s has a window of %d, slots of %d bytes and checksums: %s, the receiver %d, %d and %s: give both ends the same"
              .formatted(
                  identity.name(),
                  window,
                  slotBytes,
                  checksums,
                  window(),
                  options.slotBytes(),
                  options.checksums()));
    }
  }

  /// Tells the sender why, and fails.
  private void refuse(ProtocolException why) {
    byte[] text = String.valueOf(why.getMessage()).getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MOST_TEXT_BYTES);
    ControlSlot slot = takeControl();
    control().copyFrom(slot.at + Header.BYTES, text, 0, length);
    boolean _ = postControl(slot, Kind.REFUSAL, length, 0, 0, 0, 0);
    connected().ring();
    isClosing = true;
    if (!isMissed(why)) {
      fail(why);
    }
  }

  // -- Receiving.

  /// A posted receive: a water, and the header in front of its data.
  private final class Slot implements Completion {
    final VirtualInterface of;
    final boolean isGrant;
    private final Tickets tickets;
    private @Nullable Water water;
    private int size;

    Slot(VirtualInterface of, Tickets tickets, boolean isGrant) {
      this.of = of;
      this.tickets = tickets;
      this.isGrant = isGrant;
    }

    @Override
    public InterfaceStream stream() {
      return InterfaceReceiver.this;
    }

    void fill(Water with, int most) {
      water = with;
      size = most;
    }

    /// Returns whether it was posted. If it was not, the connection has ended.
    boolean post() {
      Ticket ticket = tickets.of(buffer()).range(0, (long) Header.BYTES + size).attach(this);
      return of.postReceive(ticket) == Posting.POSTED;
    }

    Bytes buffer() {
      return InterfaceStream.bufferOf(filled());
    }

    private Water filled() {
      Water its = water;
      if (its == null) {
        throw new IllegalStateException("an empty slot is in use");
      }
      return its;
    }

    /// Takes the water out.
    Water take() {
      Water its = filled();
      water = null;
      clearHeader(its);
      return its;
    }

    @Override
    public void completed(Descriptor descriptor) {
      if (isOver()) {
        return;
      }
      if (descriptor.status() == Status.FLUSHED) {
        disconnected(of);
      } else if (descriptor.status() == Status.DONE) {
        takeMessage(this, descriptor.transferredBytes());
      } else {
        throw new ProtocolException("a message is longer than what was agreed");
      }
    }
  }

  private ReceiverProtocol greeted() {
    ReceiverProtocol its = protocol;
    if (its == null) {
      throw new IllegalStateException("the sender has not greeted");
    }
    return its;
  }

  private void takeMessage(Slot slot, long length) {
    ReceiverProtocol its = greeted();
    Bytes message = slot.buffer();
    Header.Read read = read(message, 0, length, message, Header.BYTES);
    long before = its.arrived();
    its.receive(
        read.kind(), read.message(), read.water(), read.count(), read.length(), read.operand());
    comeInBatches = read.kind() == Kind.BATCH;
    switch (read.kind()) {
      case WATER, GRANTED -> {
        Water water = slot.take();
        water.setSize(read.length());
        (slot.isGrant ? idleGrants : idle).add(slot);
        arrive(water);
      }
      case BATCH -> {
        takeBatch(message, read.count(), read.length());
        post(slot);
      }
      case ANNOUNCE -> {
        post(slot);
        grant(its, read.water(), (int) read.operand());
      }
      default -> post(slot);
    }
    if (its.arrived() > before || its.hasEnded()) {
      wakeReceiver();
    }
  }

  private void post(Slot slot) {
    if (slot.isGrant) {
      slot.take().release();
      idleGrants.add(slot);
    } else if (slot.post()) {
      greeted().postedSlot();
    }
  }

  private void grant(ReceiverProtocol its, long number, int size) {
    Slot slot = idleGrants.removeFirst();
    slot.fill(large.createWater(size), size);
    if (slot.post()) {
      grants.addLast(new Grant(its.postedGrant(number, size), its.finished()));
    }
  }

  private void takeBatch(Bytes message, int count, int length) {
    int at = 0;
    for (int i = 0; i < count; i++) {
      long size =
          length - at < InterfaceSender.SIZE_BYTES ? -1 : message.getLong(Header.BYTES + at);
      int dataAt = at + InterfaceSender.SIZE_BYTES;
      if (size < 0 || size > length - dataAt) {
        throw new ProtocolException(
            "water %d of a batch of %d claims %d bytes, of %d that came"
                .formatted(i, count, size, length));
      }
      Water water = small.createWater((int) size);
      message.copyTo(Header.BYTES + dataAt, water.bytes(), 0, size);
      at = dataAt + InterfaceSender.roundedUp((int) size);
      arrive(water);
    }
    if (at != length) {
      throw new ProtocolException(
          "a batch of %d waters has %d bytes, and %d came".formatted(count, at, length));
    }
  }

  private void arrive(Water water) {
    if (isStopped()) {
      boolean holdsASlot = slots.owns(water);
      water.release();
      if (holdsASlot) {
        postIdle(1);
      }
    } else {
      arrived.addLast(water);
      countArrived();
    }
  }

  /// Posts slots whose waters are out of use, each with another water.
  private void postIdle(int count) {
    for (int i = 0; i < count && !isOver(); i++) {
      Slot slot = idle.removeFirst();
      slot.fill(slots.createWater(options.slotBytes()), options.slotBytes());
      if (slot.post()) {
        greeted().postedSlot();
      }
    }
  }

  @Override
  void disconnected(VirtualInterface ended) {
    ReceiverProtocol its = protocol;
    if (isOver()) {
      return;
    }
    if (its == null && !isClosing) {
      disconnect(); // the sender has given up before it greeted, and asks again
    } else if (its == null || its.hasEnded() || its.isStopped()) {
      closeLink();
    } else {
      lose(lossOf(ended, "sender"));
    }
  }

  // -- What the module takes.

  @Override
  public boolean isReady() {
    if (!hasBegun) {
      begin();
    }
    mover.enter();
    try {
      return !arrived.isEmpty();
    } finally {
      mover.exit();
    }
  }

  @Override
  public boolean isDrained() {
    mover.enter();
    try {
      ReceiverProtocol its = protocol;
      return arrived.isEmpty() && (isMissing || (its != null && its.hasEnded()));
    } finally {
      mover.exit();
    }
  }

  @Override
  protected @Nullable Water receive() {
    mover.enter();
    try {
      return receiveNow();
    } finally {
      mover.exit();
    }
  }

  private @Nullable Water receiveNow() {
    Water water = arrived.pollFirst();
    if (isStopped()) {
      dropped = water;
    } else if (water != null) {
      greeted().take();
    }
    return water;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very water is meant
  protected void release(Water water) {
    boolean holdsASlot = slots.owns(water);
    boolean wasTaken = water != dropped;
    dropped = null;
    water.returnHome();
    finish(wasTaken, holdsASlot);
  }

  @Override
  protected void leave(Water water) {
    finish(true, slots.owns(water));
  }

  private void finish(boolean wasTaken, boolean holdsASlot) {
    mover.enter();
    try {
      finishNow(wasTaken, holdsASlot);
    } finally {
      mover.exit();
    }
  }

  private void finishNow(boolean wasTaken, boolean holdsASlot) {
    ReceiverProtocol its = greeted();
    if (wasTaken) {
      its.finish();
    }
    if (isOver()) {
      return;
    }
    if (holdsASlot) {
      postIdle(1);
    }
    if (its.unacknowledged() >= mostUntold()) {
      tell();
      VirtualInterface link = link();
      if (link != null) {
        link.ring();
      }
    }
  }

  // -- What it says.

  @Override
  void advance(boolean mayConnect) {
    if (isOver()) {
      return;
    }
    if (mayConnect && link() == null) {
      connect();
    } else if (protocol == null) {
      requireGreeting();
    }
    ReceiverProtocol its = protocol;
    if (its != null) {
      boolean isQuick = its.finished() - seenFinished >= QUICK_CALLS;
      seenFinished = its.finished();
      if (!mayConnect || !isQuick || !mayWait(its)) {
        tell();
      }
    }
  }

  /// Whether the sender need not hear of the waters that are finished yet: more of them are here.
  private boolean mayWait(ReceiverProtocol its) {
    return mover.isHelped()
        && its.unacknowledged() < mostUntold()
        && !arrived.isEmpty()
        && grants.isEmpty()
        && !mustStop;
  }

  /// So many waters that are finished are told of at once.
  private int mostUntold() {
    return Math.max(1, window() >> (comeInBatches ? 1 : 2));
  }

  @Override
  boolean isInHurry() {
    return isOver() || protocol == null || arrived.size() < FEW_ARRIVED || controlsUnderWay() > 0;
  }

  @Override
  void rung() {}

  @Override
  void letGo() {}

  /// Says what there is to say, as far as there is memory for it.
  private void tell() {
    ReceiverProtocol its = greeted();
    while (!grants.isEmpty() && hasControl()) {
      Grant grant = grants.removeFirst();
      say(its, Kind.GRANT, grant.finished(), grant.receive());
    }
    if (mustStop && !hasSaidStop && hasControl()) {
      hasSaidStop = true;
      say(its, Kind.STOP, its.finished(), its.taken());
    }
    if (!grants.isEmpty() || !hasControl()) {
      return;
    }
    if (its.isFinal() && (!mustStop || hasSaidStop)) {
      say(its, Kind.FINAL, its.finished(), its.taken());
      isClosing = true;
    } else if (its.unacknowledged() > 0) {
      say(its, Kind.ACK, its.finished(), its.taken());
    }
  }

  private void say(ReceiverProtocol its, Kind kind, long finished, long operand) {
    boolean _ =
        postControl(takeControl(), kind, 0, its.message(kind, finished), finished, operand, 0);
  }

  @Override
  void sentControl() {
    if (isClosing && controlsUnderWay() == 0) {
      closeLink(); // the last message has left
    }
  }

  @Override
  protected void sendStop() {
    mover.enter();
    try {
      mustStop = true;
      ReceiverProtocol its = protocol;
      if (its != null) {
        its.stop();
      }
      if (its != null && !isOver()) {
        tell();
        connected().ring();
      }
    } finally {
      mover.exit();
    }
  }

  // -- The end.

  @Override
  protected void detachReceiver() {
    boolean isAsked = visit == null || hasBegun; // else no sender will ever come
    leave(isAsked && (isStopped() || isDrained()));
  }

  @Override
  protected void dispose(boolean complete) {
    requests.remove(this);
    leave(complete && (isStopped() || isDrained()));
    for (Requests.Asked left = asking.poll(); left != null; left = asking.poll()) {
      left.request().close();
    }
    arrived.clear();
    idle.clear();
    idleGrants.clear();
    freeMemory();
    small.close();
    slots.close();
    large.close();
  }

  // -- A receiving end puts nothing.

  @Override
  public Spring spring() {
    return small;
  }

  @Override
  public int outstanding() {
    return 0;
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    water.returnHome();
    throw new IllegalStateException("stream %s has its sender elsewhere".formatted(name()));
  }

  @Override
  protected void sendEnd() {
    throw new IllegalStateException("stream %s has its sender elsewhere".formatted(name()));
  }
}
