package dev.tigris.net.uring;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.net.socket.SpareBuffers;
import dev.tigris.net.socket.Staging;
import dev.tigris.os.IoUring;
import dev.tigris.os.PollSet;
import dev.tigris.os.Ranges;
import dev.tigris.os.Signal;
import dev.tigris.os.SystemException;
import dev.tigris.os.TcpSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// One ring for all links of a completion queue: what they ask for between two doorbells goes to
/// the kernel in one system call, however many they are.
///
/// The buffers that messages arrive in are the port's. The kernel picks one when something arrives,
/// so that idle links have none; a link keeps some only while it waits for a receive to be posted.
///
/// Where links are few, each sends and receives by calls of its own, since the ring tells of a
/// message in two steps.
final class UringPort extends Port {
  /// Every open port. The kernel may write to memory that only a port's links hold on to: this
  /// keeps it from the collector when the application forgets a queue instead of closing it.
  private static final Set<UringPort> OPEN = ConcurrentHashMap.newKeySet();

  private static final int CALLS_BETWEEN_CLOCKS = 1024;

  /// How many links are few; those that linger count.
  static final int FEW = 4;

  /// What one of few links frames messages in: as much as is framed at once.
  private static final int LARGE_BYTES = UringSender.MOST_SENT_BYTES + Staging.BYTES;

  private final Thread owner = Thread.currentThread();
  private final IoUring ring;

  /// Of the ring; kept, so that a wait makes no object.
  private final BooleanSupplier hasWork;

  /// What the kernel raises when something completes while somebody waits.
  private final Signal signal;

  private final List<@Nullable UringLink> links = new ArrayList<>();

  /// All links, if they are few and a thread of ours makes the system calls; or else none.
  private final List<UringLink> few = new ArrayList<>();

  /// Whether somebody waits, or is about to: set by the owner, and cleared by who has waited.
  private volatile boolean armed;

  private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
  private final ArrayDeque<UringLink> lingering = new ArrayDeque<>();
  private final ArrayDeque<UringReceiver> starved = new ArrayDeque<>();
  private final ArrayDeque<UringReceiver> asking = new ArrayDeque<>();
  private final LentBuffers buffers;
  private final Ranges ranges = new Ranges();
  private final SpareBuffers spare = new SpareBuffers(Staging.BYTES, System.nanoTime());
  private final SpareBuffers large = new SpareBuffers(LARGE_BYTES, System.nanoTime());
  private int calls;

  /// Held by the thread that waits, which may be another than the owner: it touches the ring.
  private final ReentrantLock waiting = new ReentrantLock();

  private final PollSet waited;

  /// From the beginning of [#close] on: nobody but the owner waits any more.
  private volatile boolean closed;

  private final WakeRequest wake = new WakeRequest();

  private UringPort(IoUring ring, Signal signal, PollSet waited) {
    this.ring = ring;
    this.hasWork = ring::hasWork;
    this.signal = signal;
    this.waited = waited;
    this.buffers = new LentBuffers(ring::provide, IoUring.MOST_BUFFERS, System.nanoTime());
    waited.add(signal.file());
  }

  static UringPort open(IoUring.Polling polling) {
    try (CloseOnFailure opened = new CloseOnFailure()) {
      IoUring ring = opened.add(UringProvider.ring(polling, polled()));
      Signal signal = opened.add(new Signal());
      ring.signalTo(signal);
      UringPort port = new UringPort(ring, signal, opened.add(new PollSet()));
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
    int slot = free == null ? links.size() : free;
    UringLink link = new UringLink(this, slot, socket, peer, attributes, peerMaximum);
    if (free == null) {
      links.add(link);
    } else {
      links.set(slot, link);
    }
    count();
    link.incoming().receive();
    return link;
  }

  /// Removes a link that has nothing in flight.
  void remove(UringLink link) {
    links.set(link.slot(), null);
    freeSlots.push(link.slot());
    lingering.remove(link);
    starved.remove(link.incoming());
    count();
  }

  /// A link was added or removed: looks whether they are few.
  private void count() {
    boolean wereFew = areFew();
    few.clear();
    if (!ring.isPolled() && links.size() - freeSlots.size() <= FEW) {
      links.stream().filter(Objects::nonNull).forEach(few::add);
    }
    if (areFew() != wereFew) {
      links.stream().filter(Objects::nonNull).forEach(link -> link.incoming().changeWay());
    }
    if (areFew()) {
      serveStarved(starved.size()); // they look
    }
  }

  /// Whether there are few links, and a thread of ours makes the system calls.
  boolean areFew() {
    return !few.isEmpty();
  }

  /// Has [#progress] look after a link that is closed and not yet gone.
  void linger(UringLink link) {
    lingering.add(link);
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
      serveStarved(buffers.lent()); // nobody may look at what was given back meanwhile
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
    for (int i = 0; i < few.size(); i++) {
      few.get(i).incoming().awaitSight();
    }
  }

  @Override
  public void progress() {
    submit();
    if (ring.hasDeferredWork()) {
      ring.collect();
    }
    takeCompletions();
    for (int i = few.size() - 1; i >= 0; i = Math.min(i, few.size()) - 1) {
      few.get(i).look(); // then it may be gone
    }
    if (armed) {
      submit(); // a look may have taken what the operation that awaits something completed for
      if (!starved.isEmpty() && buffers.lent() > 0) {
        remind(); // those whose turn it was may have nothing, and nobody looks for the others
      }
    }
    UringLink oldest = lingering.peek();
    if (oldest != null && oldest.isOverdue()) {
      lingering.poll();
      oldest.giveUp();
    }
    if (++calls % CALLS_BETWEEN_CLOCKS == 0) {
      long now = System.nanoTime();
      spare.look(now);
      large.look(now);
      buffers.look(now);
    }
  }

  /// Takes the completions that are there. What they make links ask for is submitted with the next
  /// doorbell: whoever is given a message is likely to ring one.
  void takeCompletions() {
    while (ring.next()) {
      long user = ring.userData();
      UringLink link = links.get(Operations.slotOf(user));
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
  @SuppressWarnings("ReferenceEquality") // a thread is itself
  public boolean park(long nanos) {
    boolean woken = wake.take();
    if (!woken) {
      waiting.lock();
      try {
        // Who closes may wait for links to end, and has taken the request that was for another.
        if (Thread.currentThread() == owner || !closed) {
          await(nanos);
        }
      } finally {
        waiting.unlock();
      }
      woken = wake.take();
    }
    armed = false;
    return woken;
  }

  /// The wish for a signal comes before the look for work: what completes after that look is
  /// signalled. Or nearly so, since that takes a fence on both sides, and the kernel has none that
  /// holds on aarch64 between its word that there is work and its look at the wish. So there is a
  /// second look, when that word has long been seen.
  private void await(long nanos) {
    ring.wantSignal(true);
    if (!wake.isAsked() && !ring.hasWork()) {
      waited.await(nanos, hasWork);
    }
    ring.wantSignal(false);
    signal.lower();
  }

  @Override
  public void wake() {
    wake.ask();
    waited.wake();
  }

  @Override
  public WakeRequest wakeRequest() {
    return wake;
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
    closed = true;
    wake(); // whoever waits lets go of the ring
    long start = System.nanoTime();
    long left = LINGER_NANOS;
    while (freeSlots.size() < links.size() && left > 0) {
      progress();
      if (freeSlots.size() < links.size()) {
        postponeInterrupt();
        boolean _ = arm() && park(left);
      }
      left = LINGER_NANOS - (System.nanoTime() - start);
    }
    for (UringLink link : links.stream().filter(Objects::nonNull).toList()) {
      link.giveUp();
      link.awaitEnd();
    }
    waiting.lock();
    try {
      ring.close();
      signal.close();
      waited.close();
    } finally {
      waiting.unlock();
    }
    OPEN.remove(this);
  }
}
