// Over 400 lines: what is put, how it is packed and sent, and what the receiver tells.
package dev.tigris.cluster;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The sending end of a stream over a virtual interface.
///
/// A small water is copied into a batch. A larger one is sent out of its own memory, and goes home
/// when it has left that. What was put leaves at once if the receiver has nothing else, or if it is
/// much, and else when the thread comes by the mover.
///
/// ```
/// accepted = pending + in an open batch + in messages under way + sent
/// ```
///
/// Its memory: `window + 8` control slots, as many receives of control messages, and batches.
final class InterfaceSender extends InterfaceStream {
  private static final int BATCHES = 4;
  private static final int BATCH_BYTES = 1 << 14;

  /// A water of no more bytes is copied: to register its memory would cost more.
  private static final int SMALL_BYTES = 1 << 11;

  /// A water with room for so many bytes is in pages that the receiver can read, if it is on this
  /// host. To copy shorter ones through the ring takes less.
  private static final int LEAST_SHARED_BYTES = 1 << 14;

  /// So many bytes leave at once.
  private static final int MUCH_UNRUNG_BYTES = 1 << 16;

  /// A batch waits for no more after the mover has come by so often since something was put: its
  /// thread waits, then.
  private static final int MOST_IN_VAIN = 8;

  /// Each water of a batch begins with its size, in 8 bytes.
  static final int SIZE_BYTES = 8;

  private final SenderProtocol protocol;
  private final BufferSpring spring;
  private final ArrayDeque<Water> pending = new ArrayDeque<>();
  private final ArrayDeque<Batch> freeBatches = new ArrayDeque<>();
  private final Tickets tickets;
  private final int batchBytes;
  private @Nullable Batch open;

  /// The waters that were posted since the last doorbell.
  private int unrung;

  /// Their bytes, and much for what is no water: so it is 0 if nothing was posted.
  private int unrungBytes;

  private boolean hasEnded;

  /// How many waters are being sent out of their own memory.
  private int passages;

  /// How many waters were put. Of the module's thread.
  private long put;

  /// How many waters are finished. The module's thread reads this while a helper may write it.
  private volatile long finished;

  /// How many waters had been put when the mover came by last.
  private long seenPut;

  /// How often it has come by since then.
  private int looksInVain;

  InterfaceSender(
      StreamKind.Place place,
      QueueMover mover,
      Header.Identity identity,
      StreamOptions options,
      VirtualInterface made,
      PageKind pages) {
    super(place, mover, identity, options);
    protocol = new SenderProtocol(place.window(), options.slotBytes());
    spring = new BufferSpring(place.name(), pages, LEAST_SHARED_BYTES);
    tickets = new Tickets(made, tickets(place.window()));
    batchBytes = Math.min(BATCH_BYTES, options.slotBytes());
    int controls = controls(place.window());
    long batchesAt = 2L * controls * ControlSlot.BYTES;
    int batchSize = Header.BYTES + batchBytes;
    connect(made, batchesAt + (long) BATCHES * batchSize, 2 * controls);
    for (int i = 0; i < BATCHES; i++) {
      freeBatches.add(new Batch(made, batchesAt + (long) i * batchSize));
    }
    for (int i = 0; i < controls; i++) {
      takeControl().postReceive();
    }
    greet();
  }

  /// Returns how many buffers of waters stay registered.
  static int tickets(int window) {
    return 2 * window + 8;
  }

  private static int controls(int window) {
    return window + 8;
  }

  static Attributes attributes(int window, StreamOptions options) {
    return Attributes.DEFAULT
        .withDepths(2 * controls(window), 2 * controls(window))
        .withSilence(options.silence());
  }

  private void greet() {
    byte[] name = identity.name().getBytes(StandardCharsets.UTF_8);
    ControlSlot slot = takeControl();
    control().copyFrom(slot.at + Header.BYTES, name, 0, name.length);
    long sizes = (long) window() << Integer.SIZE | options.slotBytes();
    boolean _ =
        postControl(
            slot,
            Kind.HELLO,
            name.length,
            protocol.message(),
            0,
            sizes,
            options.checksums() ? 1 : 0);
    ringNow(); // the module's first call may be long, and nobody may help meanwhile
  }

  /// Memory for one batch of small waters.
  private final class Batch implements Completion {
    final long at;
    final Ticket ticket;
    long first;
    int count;

    /// The length of the payload, and how much of it is data of waters.
    int bytes;

    int data;

    Batch(VirtualInterface of, long at) {
      this.at = at;
      this.ticket = of.register(control()).range(at, 0).attach(this);
    }

    @Override
    public InterfaceStream stream() {
      return InterfaceSender.this;
    }

    @Override
    public void completed(Descriptor descriptor) {
      mover.unsent(-data);
      freeBatches.add(this);
      loseIfFlushed(descriptor);
    }
  }

  /// The buffer of a water that is sent out of its own memory: the header of its message lies where
  /// the flow has the water's own. It is the attachment of the buffer's ticket.
  private final class Passage implements Completion {
    private @Nullable Water water;

    void begin(Water sent) {
      water = sent;
    }

    /// Lets the water go home, whose bytes have left.
    void end() {
      Water sent = water;
      water = null;
      if (sent != null) {
        mover.unsent(-sent.size());
        sent.returnHome();
      }
    }

    @Override
    public InterfaceStream stream() {
      return InterfaceSender.this;
    }

    @Override
    public void completed(Descriptor descriptor) {
      passages--;
      end();
      loseIfFlushed(descriptor);
    }
  }

  private void loseIfFlushed(Descriptor descriptor) {
    if (descriptor.status() != Status.DONE) {
      disconnected(descriptor.virtualInterface());
    }
  }

  // -- Sending.

  @Override
  public Spring spring() {
    return spring;
  }

  /// Does not take the queue back from a helper: a module asks for each water that it puts.
  @Override
  public int outstanding() {
    return (int) (put - finished);
  }

  @Override
  protected boolean canCarry(Water water) {
    return true;
  }

  @Override
  protected void send(Water water) {
    mover.enter();
    try {
      sendNow(water);
    } finally {
      mover.exit();
    }
  }

  private void sendNow(Water water) {
    long most = connected().maximumMessageBytes() - Header.BYTES;
    if (water.size() > most) {
      int size = water.size();
      water.returnHome();
      throw new StreamException(
          "stream %s cannot carry a water of %d bytes: put waters of at most %d bytes"
              .formatted(name(), size, most));
    }
    protocol.accept(water.size());
    put++;
    pending.addLast(water);
    mover.unsent(water.size());
    pump();
    Batch batch = open;
    if (batch != null && protocol.outstanding() == batch.count) {
      postBatch(); // the receiver has nothing to do but to wait for it
    }
    if (unrungBytes > 0 && leaves()) {
      ringNow();
    }
  }

  /// Whether what was posted is to leave now, and not when the thread comes by the mover: the
  /// receiver has nothing else, or it is much. A doorbell may take a system call.
  private boolean leaves() {
    int inBatch = open == null ? 0 : open.count;
    return unrungBytes >= MUCH_UNRUNG_BYTES
        || protocol.outstanding() - inBatch <= unrung
        || !mover.isHelped();
  }

  private void ringNow() {
    rung();
    connected().ring();
  }

  @Override
  protected void sendEnd() {
    hasEnded = true;
    mover.enter();
    try {
      if (!isOver()) {
        protocol.end();
        pump();
        if (unrungBytes > 0) {
          ringNow();
        }
      }
    } finally {
      mover.exit();
    }
  }

  @Override
  void advance(boolean mayConnect) {
    if (isOver()) {
      return;
    }
    looksInVain = put == seenPut ? looksInVain + 1 : 0;
    seenPut = put;
    pump();
    if (!mayWait(mayConnect)) {
      postBatch();
    }
  }

  /// Whether an open batch may wait for more: the receiver has enough to do meanwhile, and the
  /// module's thread has put something not long ago.
  private boolean mayWait(boolean isOfModule) {
    Batch batch = open;
    return batch != null
        && isOfModule
        && mover.isHelped()
        && looksInVain < MOST_IN_VAIN
        && protocol.outstanding() - batch.count > window() / 4;
  }

  /// The module's thread has credit for a while, and puts.
  @Override
  boolean isInHurry() {
    return isOver()
        || looksInVain > 0
        || unrungBytes > 0
        || passages > 0 // parts of them may have to follow
        || !pending.isEmpty()
        || protocol.outstanding() > window() / 2;
  }

  @Override
  void rung() {
    unrung = 0;
    unrungBytes = 0;
  }

  @Override
  void letGo() {
    postBatch();
    rung(); // the wait begins with that
  }

  /// Posts what may be sent, as far as there is memory for it.
  private void pump() {
    boolean goesOn = !isOver();
    while (goesOn) {
      goesOn =
          switch (protocol.next()) {
            case NOTHING -> false;
            case WATER -> sendHead();
            case GRANTED -> sendAlone(Kind.GRANTED);
            case ANNOUNCE -> announce();
            case FILLER -> say(Kind.FILLER, 0, 0);
            case END -> sayEnd();
          };
    }
  }

  private boolean announce() {
    long water = protocol.announced();
    if (!say(Kind.ANNOUNCE, water, protocol.size(water))) {
      return false;
    }
    protocol.tookAnnouncement();
    return true;
  }

  private boolean sayEnd() {
    if (!say(Kind.END, protocol.head(), 0)) {
      return false;
    }
    protocol.tookEnd();
    return true;
  }

  private boolean say(Kind kind, long water, long operand) {
    if (!hasControl()) {
      return false;
    }
    postBatch();
    if (!postControl(takeControl(), kind, 0, protocol.message(), water, operand, 0)) {
      return false;
    }
    posted(0, MUCH_UNRUNG_BYTES); // the receiver has to answer
    return true;
  }

  private boolean sendHead() {
    int size = protocol.size(protocol.head());
    if (size > SMALL_BYTES) {
      return sendAlone(Kind.WATER);
    }
    int needed = SIZE_BYTES + roundedUp(size);
    Batch batch = open;
    if (batch != null && batch.bytes + needed > batchBytes) {
      postBatch();
      batch = null;
    }
    if (batch == null) {
      batch = freeBatches.pollFirst();
      if (batch == null) {
        return false;
      }
      open = batch;
      batch.first = protocol.head();
      batch.count = 0;
      batch.bytes = 0;
      batch.data = 0;
    }
    Water water = pending.removeFirst();
    Bytes bytes = control();
    long at = batch.at + Header.BYTES + batch.bytes;
    bytes.setLong(at, size);
    data(water).copyTo(0, bytes, at + SIZE_BYTES, size);
    batch.bytes += needed;
    batch.data += size;
    batch.count++;
    protocol.tookHead();
    water.returnHome();
    return true;
  }

  /// Returns a size rounded up to whole words of 8 bytes.
  static int roundedUp(int size) {
    return (size + 7) & -8;
  }

  /// Posts the open batch, if there is one.
  private void postBatch() {
    Batch batch = open;
    if (batch == null) {
      return;
    }
    open = null;
    Bytes bytes = control();
    Header.write(
        bytes,
        batch.at,
        identity,
        Kind.BATCH,
        batch.count,
        batch.bytes,
        protocol.message(),
        batch.first,
        0);
    if (options.checksums()) {
      Header.seal(bytes, batch.at, bytes, batch.at + Header.BYTES, batch.bytes);
    }
    Posting _ = connected().postSend(batch.ticket.range(batch.at, Header.BYTES + batch.bytes));
    posted(batch.count, batch.bytes);
  }

  private boolean sendAlone(Kind kind) {
    postBatch();
    Water water = pending.removeFirst();
    Bytes buffer = buffer(water);
    int size = water.size();
    Header.write(buffer, 0, identity, kind, 1, size, protocol.message(), protocol.head(), 0);
    if (options.checksums()) {
      Header.seal(buffer, 0, buffer, Header.BYTES, size);
    }
    protocol.tookHead();
    Ticket ticket = tickets.of(buffer).range(0, (long) Header.BYTES + size);
    Passage passage = ticket.attachment() instanceof Passage known ? known : new Passage();
    passage.begin(water);
    Posting answer = connected().postSend(ticket.attach(passage));
    if (answer != Posting.POSTED) { // it has ended, which a completion tells
      passage.end();
      return false;
    }
    passages++;
    posted(1, size);
    return true;
  }

  private void posted(int waters, int bytes) {
    unrung += waters;
    unrungBytes = Math.min(MUCH_UNRUNG_BYTES, unrungBytes + bytes);
  }

  // -- What the receiver says.

  @Override
  void receiveControl(ControlSlot from, long length) {
    Bytes bytes = control();
    long at = from.at;
    Header.Read read = read(bytes, at, length, bytes, at + Header.BYTES);
    if (read.kind() == Kind.REFUSAL) {
      byte[] text = new byte[read.length()];
      bytes.copyTo(at + Header.BYTES, text, 0, text.length);
      throw new StreamException(
          "the receiver has refused stream %s: %s"
              .formatted(name(), new String(text, StandardCharsets.UTF_8)));
    }
    long before = protocol.acknowledged();
    boolean isNews = protocol.receive(read.kind(), read.message(), read.water(), read.operand());
    for (long water = before; water < protocol.acknowledged(); water++) {
      countFinished();
    }
    finished = protocol.acknowledged();
    if (read.kind() == Kind.STOP) {
      discardAll();
      peerStopped();
    }
    if (protocol.isOver()) {
      closeLink();
    } else {
      pump();
    }
    from.postReceive();
    if (isNews) {
      wakeSender();
    }
  }

  /// Gives up what the receiver has not taken.
  private void discardAll() {
    for (long water = protocol.taken(); water < protocol.accepted(); water++) {
      countDropped();
    }
    Batch batch = open;
    if (batch != null) {
      open = null;
      mover.unsent(-batch.data);
      freeBatches.add(batch);
    }
    while (!pending.isEmpty()) {
      Water water = pending.removeFirst();
      mover.unsent(-water.size());
      water.returnHome();
    }
  }

  @Override
  void disconnected(VirtualInterface ended) {
    if (!isOver()) {
      lose(lossOf(ended, "receiver"));
    }
  }

  // -- The end.

  @Override
  protected void detachSender() {
    leave(hasEnded);
  }

  @Override
  protected void dispose(boolean complete) {
    leave(complete && hasEnded);
    pending.clear();
    freeBatches.clear();
    open = null;
    freeMemory();
    spring.close();
  }

  // -- A sending end takes nothing.

  @Override
  public boolean isReady() {
    return false;
  }

  @Override
  public boolean isDrained() {
    return false;
  }

  @Override
  protected @Nullable Water receive() {
    return null;
  }

  @Override
  protected void release(Water water) {
    throw new IllegalStateException("stream %s has its receiver elsewhere".formatted(name()));
  }

  @Override
  protected void leave(Water water) {
    release(water);
  }
}
