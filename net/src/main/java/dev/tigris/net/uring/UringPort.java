package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.net.provider.DescriptorPort;
import dev.tigris.net.provider.LinkList;
import dev.tigris.net.provider.SpareBuffers;
import dev.tigris.net.provider.Staging;
import dev.tigris.net.socket.HostWatches;
import dev.tigris.net.socket.KeepAlive;
import dev.tigris.os.IoUring;
import dev.tigris.os.Ranges;
import dev.tigris.os.Signal;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// One ring for all links of a completion queue: what they ask for between two doorbells goes to
/// the kernel in one system call, however many they are.
///
/// The buffers that messages arrive in are the port's. The kernel picks one when something arrives,
/// so that idle links have none; a link keeps some only while it waits for a receive to be posted.
///
/// Where links are few, each sends and receives by calls of its own, since the ring tells of a
/// message in two steps.
final class UringPort extends DescriptorPort {
  /// Every open port. The kernel may write to memory that only a port's links hold on to: this
  /// keeps it from the collector when the application forgets a queue instead of closing it.
  private static final Set<UringPort> OPEN = ConcurrentHashMap.newKeySet();

  private static final int CALLS_BETWEEN_CLOCKS = 1024;

  /// How many links are few; those that linger count.
  static final int FEW = 4;

  /// What one of few links frames messages in: as much as is framed at once.
  private static final int LARGE_BYTES = UringSender.MOST_SENT_BYTES + Staging.BYTES;

  private final IoUring ring;

  /// What the kernel raises when something completes while a thread waits.
  private final Signal signal;

  private final LinkList<UringLink> links = new LinkList<>();
  private final HostWatches watches = new HostWatches();

  /// The links, by the slots that their operations name.
  private final List<@Nullable UringLink> slots = new ArrayList<>();

  private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();

  /// Whether there are few links, and a thread of ours makes the system calls.
  private boolean few;

  /// Whether a thread waits, or is about to: set by the owner, and cleared by the thread that has
  /// waited.
  private volatile boolean armed;

  private final ArrayDeque<UringReceiver> starved = new ArrayDeque<>();
  private final ArrayDeque<UringReceiver> asking = new ArrayDeque<>();
  private final LentBuffers buffers;
  private final Ranges ranges = new Ranges();
  private final SpareBuffers spare = new SpareBuffers(Staging.BYTES, System.nanoTime());
  private final SpareBuffers large = new SpareBuffers(LARGE_BYTES, System.nanoTime());
  private int calls;

  private UringPort(IoUring ring, Signal signal) {
    this.ring = ring;
    this.signal = signal;
    this.buffers = new LentBuffers(ring::provide, IoUring.MOST_BUFFERS, System.nanoTime());
  }

  static UringPort open(IoUring.Polling polling) {
    try (CloseOnFailure opened = new CloseOnFailure()) {
      IoUring ring = opened.add(UringProvider.ring(polling, polled()));
      Signal signal = opened.add(new Signal());
      ring.signalTo(signal);
      UringPort port = new UringPort(ring, signal);
      opened.add(port::closeWait);
      int _ = port.buffers.replenish();
      OPEN.add(port);
      opened.keep();
      return port;
    } catch (SystemException e) {
      throw new NetException("open", "io_uring", UringProvider.explain(e), e);
    }
  }

  /// The ring of an open port whose operations a thread of the kernel takes; null if there is none.
  private static @Nullable IoUring polled() {
    for (UringPort port : OPEN) {
      if (port.ring.isPolled()) {
        return port.ring;
      }
    }
    return null;
  }

  IoUring ring() {
    return ring;
  }

  /// Adds a link for a connected socket.
  UringLink link(TcpSocket socket, String peer, Attributes attributes, long peerMaximum) {
    Integer free = freeSlots.poll();
    int slot = free == null ? slots.size() : free;
    UringLink link = new UringLink(this, slot, socket, peer, attributes, peerMaximum);
    if (free == null) {
      slots.add(link);
    } else {
      slots.set(slot, link);
    }
    links.add(link);
    watches.add(link.watch());
    count();
    try {
      KeepAlive.within(attributes.silence()).begin(socket);
    } catch (SystemException gone) {
      // the first receive tells of it
    }
    link.incoming().receive();
    return link;
  }

  /// Removes a link that has nothing in flight.
  void remove(UringLink link) {
    slots.set(link.slot(), null);
    freeSlots.push(link.slot());
    links.remove(link);
    watches.remove(link.watch());
    starved.remove(link.incoming());
    count();
  }

  /// A link was added or removed: looks whether they are few.
  private void count() {
    boolean wereFew = few;
    few = !ring.isPolled() && !links.isEmpty() && links.size() <= FEW;
    if (few != wereFew) {
      for (int i = 0; i < links.size(); i++) {
        links.get(i).incoming().changeWay();
      }
    }
    if (few) {
      serveStarved(starved.size()); // they look
    }
  }

  /// Whether there are few links, and a thread of ours makes the system calls.
  boolean areFew() {
    return few;
  }

  /// Has [#progress] look after a link that is closed and not yet gone.
  void linger(UringLink link) {
    links.linger(link);
  }

  // ---- moving

  @Override
  public void flush() {
    submit();
  }

  /// Has a link [UringReceiver#ask] with the next doorbell, or before the next look for
  /// completions.
  void askLater(UringReceiver incoming) {
    asking.add(incoming);
  }

  private void submit() {
    if (armed) {
      serveStarved(buffers.lent()); // no link may look at what was given back meanwhile
    }
    for (UringReceiver next = asking.poll(); next != null; next = asking.poll()) {
      next.ask();
    }
    if (armed) {
      awaitSight();
    }
    ring.submit();
  }

  private void awaitSight() {
    for (int i = 0; few && i < links.size(); i++) {
      links.get(i).incoming().awaitSight();
    }
  }

  @Override
  public void progress() {
    submit();
    if (ring.hasDeferredWork()) {
      ring.collect();
    }
    takeCompletions();
    for (int i = links.size() - 1; few && i >= 0; i = Math.min(i, links.size()) - 1) {
      links.get(i).look(); // then it may be gone
    }
    if (armed) {
      submit(); // a look may have taken what the operation that awaits something completed for
      if (!starved.isEmpty() && buffers.lent() > 0) {
        remind(); // those whose turn it was may have nothing, and no look is for the others
      }
    }
    watches.look();
    UringLink overdue = links.overdue();
    if (overdue != null) {
      overdue.giveUp();
    }
    if (++calls % CALLS_BETWEEN_CLOCKS == 0) {
      long now = System.nanoTime();
      spare.look(now);
      large.look(now);
      buffers.look(now);
    }
  }

  /// Takes the completions that are there. What they make links ask for is submitted with the next
  /// doorbell: a thread that is given a message likely rings one.
  void takeCompletions() {
    while (ring.next()) {
      long user = ring.userData();
      UringLink link = slots.get(Operations.slotOf(user));
      if (link == null) {
        throw new IllegalStateException("a completion of a link that has nothing in flight");
      }
      link.completed(user, ring.result(), ring.buffer(), ring.goesOn());
    }
    if (!starved.isEmpty()) {
      serveStarved(buffers.replenish());
    }
  }

  /// Waits for a completion, and takes what is there.
  void takeWaiting() {
    submit();
    ring.submitAndWait();
    takeCompletions();
  }

  // ---- waiting

  @Override
  public boolean arm() {
    armed = true;
    awaitSight(); // another thread may be clearing that
    submit();
    armed = starved.isEmpty() || buffers.lent() == 0; // or it is their turn first
    return armed;
  }

  @Override
  public void disarm() {
    armed = false;
  }

  /// The wish for a signal comes before the look for work: what completes after that look is
  /// signalled. Or nearly so, since that takes a fence on both sides, and the kernel has none that
  /// holds on aarch64 between its word that there is work and its look at the wish. So there is a
  /// second look, when that word has long been seen.
  @Override
  public long beginWait(IntConsumer files) {
    files.accept(signal.file().number());
    ring.wantSignal(true);
    return ring.hasWork() ? 0 : watches.pauseNanos();
  }

  @Override
  public boolean hasWork() {
    return ring.hasWork();
  }

  @Override
  public void endWait() {
    ring.wantSignal(false);
    signal.lower();
    watches.waited();
  }

  // ---- buffers

  /// The kernel gives a buffer back, with so many bytes in it.
  void filled(int number, int bytes) {
    buffers.filled(number, bytes);
  }

  /// A buffer that the kernel has filled.
  Staging buffer(int number) {
    return buffers.buffer(number);
  }

  /// Takes a buffer that the kernel has filled out, and gives it another one.
  Staging exchange(int number) {
    return buffers.exchange(number, spare.take());
  }

  /// All that was in a buffer is taken.
  void provide(int number) {
    buffers.giveBack(number);
  }

  /// A link has found no buffer. It asks again when all completions are taken that are there.
  void starve(UringReceiver incoming) {
    starved.add(incoming);
    if (areFew()) {
      serveStarved(starved.size());
    }
  }

  /// Has so many links ask again, or all. Where messages arrive for hundreds at once, they take
  /// turns with few buffers: more than these would find none again.
  private void serveStarved(int most) {
    for (int i = Math.min(most, starved.size()); i > 0; i--) {
      starved.remove().takeTurn();
    }
  }

  /// Ranges for a call, or for an operation that is asked for, until others need them; empty.
  Ranges ranges() {
    ranges.clear();
    return ranges;
  }

  /// An empty buffer for what was received.
  Staging staging() {
    return spare.take();
  }

  /// An empty buffer to send from, and a large one where links are few: many may keep theirs.
  Staging framing() {
    return areFew() ? large.take() : spare.take();
  }

  /// Gives one of either kind back.
  void giveBack(Staging buffer) {
    (buffer.bytes().capacity() == LARGE_BYTES ? large : spare).giveBack(buffer);
  }

  // ---- closing

  @Override
  public void close() {
    closeToOthers(); // another thread might touch the ring
    awaitLingering(() -> !links.isEmpty());
    while (!links.isEmpty()) {
      UringLink link = links.get(0);
      link.giveUp();
      link.awaitEnd();
    }
    ring.close();
    signal.close();
    closeWait();
    OPEN.remove(this);
  }
}
