package dev.tigris.net.testing;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.net.Attributes;
import dev.tigris.net.Counters;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import java.security.Principal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Wraps a link, and lets each message that is sent through it have a fault or not.
///
/// ```text
///   sends --- none ------------------------------------------> the wrapped link
///        |--- duplicate -----------------------------------------^   ^
///        |--- duplicate, corrupt: a copy ----------------------------|
///        |--- late, overtaken:    a copy, held back until it is due -'
///        |--- lost:               complete, and that is all
///        '--- cut:                the wrapped link breaks
/// ```
///
/// A message of which only a copy travels on is complete at once. Receives go to the wrapped link
/// as they are.
final class FaultyLink extends Link {
  /// How many copies may be with the wrapped link; others wait.
  private static final int MOST_COPIES = 64;

  /// How many may be held back: then what is posted waits until one of them is due.
  private static final int MOST_HELD = 1024;

  private static final int MOST_OVERTAKING = 8;
  private static final long OVERTAKEN_NANOS = 1_000_000;

  private final FaultyPort port;
  private final Link inner;
  private final Faults faults;
  private final SplittableRandom random;

  private final List<Copy> held = new ArrayList<>();
  private final ArrayDeque<Copy> spare = new ArrayDeque<>();
  private final List<Copy> copies = new ArrayList<>();
  private boolean isCut;
  private int copiesPosted;
  private long copiesSent;
  private long copiedBytesSent;

  /// A copy of a message, in memory of this link.
  private final class Copy extends Transfer {
    final Jbuf jbuf;
    final Bytes bytes;

    /// It goes on when so many messages have overtaken it, or at this time.
    int overtaking;

    long dueNanos;

    Copy(Jbuf jbuf, Bytes bytes) {
      super(new Region(bytes));
      this.jbuf = jbuf;
      this.bytes = bytes;
    }

    /// It has come back from the wrapped link.
    @Override
    protected void completed() {
      copiesPosted--;
      if (result() == Status.DONE) {
        copiesSent++;
        copiedBytesSent += transferredBytes();
      }
      spare.add(this);
    }
  }

  FaultyLink(
      FaultyPort port, Link inner, Attributes attributes, Faults faults, SplittableRandom random) {
    super(attributes, inner.maximumMessageBytes());
    this.port = port;
    this.inner = inner;
    this.faults = faults;
    this.random = random;
  }

  /// What the wrapped link is made with: copies need room in its queue too. Of the deepest queues
  /// there is none, so that originals and copies wait for each other.
  static Attributes withRoomForCopies(Attributes attributes) {
    int sends = Math.min(Attributes.MAXIMUM_DEPTH, attributes.sendDepth() + MOST_COPIES);
    return attributes.withDepths(sends, attributes.receiveDepth());
  }

  @Override
  public String peer() {
    return inner.peer();
  }

  @Override
  public @Nullable Principal principal() {
    return inner.principal();
  }

  @Override
  public boolean takesArrays() {
    return inner.takesArrays();
  }

  @Override
  public void register(Region region) {
    inner.register(region);
  }

  @Override
  public void deregister(Region region) {
    inner.deregister(region);
  }

  /// Of receives, which the wrapped link has filled itself.
  @Override
  public boolean givenBack(Transfer left) {
    return inner.givenBack(left);
  }

  @Override
  public void ring() {
    follow(); // a link that has ended completes nothing that is posted to it
    for (Transfer next = receives.poll(); next != null; next = receives.poll()) {
      inner.postReceive(next);
    }
    injectAll();
    release(System.nanoTime(), false);
    if (inner.state() == InterfaceState.CONNECTED) {
      inner.ring();
    }
    follow();
  }

  /// Sends what is due; returns when the next copy will be.
  long progress() {
    follow();
    if ((held.isEmpty() && sends.isEmpty()) || !isConnected()) {
      return Long.MAX_VALUE;
    }
    boolean more = release(System.nanoTime(), false);
    boolean injected = injectAll();
    if ((injected || more) && inner.state() == InterfaceState.CONNECTED) { // a cut is injected too
      inner.ring();
    }
    follow();
    long due = Long.MAX_VALUE;
    for (Copy copy : held) {
      due = Math.min(due, copy.dueNanos);
    }
    return due;
  }

  /// Ends when the wrapped link has.
  void follow() {
    if (isConnected()) {
      switch (inner.state()) {
        case ENDED -> ended();
        case BROKEN -> broken(Objects.requireNonNull(inner.failure()));
        default -> {}
      }
      if (!isConnected()) {
        letGo();
      }
    }
  }

  /// Breaks the wrapped link, which may take a moment. It is not closed: messages that were left in
  /// place are there still.
  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    isCut = true;
    inner.fail(what);
    follow();
  }

  /// Decides what becomes of the messages that are posted, as far as there is room for them.
  ///
  /// @return whether there were any
  private boolean injectAll() {
    try {
      return injectWhatHasRoom();
    } catch (LostMemoryException e) { // of a message that was to be copied
      failOf(e);
      return true;
    } catch (MemoryBudgetException e) { // nor would there be any at the next call
      fail("no memory for a copy of a message: " + e.getMessage(), e);
      return true;
    }
  }

  private boolean injectWhatHasRoom() {
    boolean any = false;
    while (isConnected()
        && !isCut
        && !sends.isEmpty()
        && held.size() < MOST_HELD
        && inner.hasRoomToSend()) {
      inject(Objects.requireNonNull(sends.peek()));
      any = true;
    }
    return any;
  }

  /// Decides what becomes of the message at the head of the queue.
  private void inject(Transfer message) {
    for (Copy copy : held) {
      copy.overtaking--;
    }
    double roll = random.nextDouble();
    if ((roll -= faults.cut()) < 0) {
      fail("cut, as faults were asked");
    } else if ((roll -= faults.loss()) < 0) {
      sends.sent();
    } else if ((roll -= faults.duplication()) < 0) {
      hold(message, 0, 0);
      passOn();
    } else if ((roll -= faults.corruption()) < 0) {
      corrupt(hold(message, 0, 0));
      sends.sent();
    } else if ((roll -= faults.reordering()) < 0) {
      hold(message, 1 + random.nextInt(MOST_OVERTAKING), OVERTAKEN_NANOS);
      sends.sent();
    } else if (roll - faults.delay() < 0) {
      long longest = Math.max(1, faults.longestDelay().toNanos());
      hold(message, Integer.MAX_VALUE, random.nextLong(longest));
      sends.sent();
    } else {
      passOn();
    }
  }

  private void passOn() {
    inner.postSend(Objects.requireNonNull(sends.poll()));
  }

  /// Makes a copy that is held back.
  private Copy hold(Transfer message, int overtaking, long nanos) {
    Copy copy = spare.poll();
    if (copy != null && copy.bytes.capacityBytes() < message.bytes()) {
      forget(copy);
      copies.remove(copy);
      copy = null;
    }
    if (copy == null) {
      Jbuf jbuf = Jbuf.allocate(Math.max(64, message.bytes()), "net.faulty");
      copy = new Copy(jbuf, jbuf.asBytes());
      inner.register(copy.region(0));
      copies.add(copy);
    }
    message.copyTo(copy.region(0).segment(), 0, 0, message.bytes());
    copy.range(0, 0, message.bytes());
    copy.tag(message.tag());
    copy.sendAs(message.type());
    copy.overtaking = overtaking;
    copy.dueNanos = System.nanoTime() + nanos;
    held.add(copy);
    return copy;
  }

  private void corrupt(Copy copy) {
    if (copy.bytes() > 0) {
      long at = random.nextLong(copy.bytes());
      copy.bytes.set(at, (byte) (copy.bytes.get(at) ^ (1 << random.nextInt(8))));
    }
  }

  /// Posts the copies that are due, or all of them; returns whether there were any.
  private boolean release(long now, boolean all) {
    boolean any = false;
    for (int i = 0; i < held.size() && copiesPosted < MOST_COPIES && inner.hasRoomToSend(); ) {
      Copy copy = held.get(i);
      if (all || copy.overtaking <= 0 || copy.dueNanos - now <= 0) {
        held.remove(i);
        copy.startSending();
        copiesPosted++; // first, since it may be complete when it is posted
        inner.postSend(copy);
        any = true;
      } else {
        i++;
      }
    }
    return any;
  }

  @Override
  protected void disconnect(boolean inOrder) {
    if (inOrder) {
      sendWhatIsHeld();
    }
    inner.close(!inOrder);
    letGo();
  }

  /// Messages that are complete for those who sent them must be so before an orderly close.
  private void sendWhatIsHeld() {
    long start = System.nanoTime();
    while (inner.state() == InterfaceState.CONNECTED
        && copiesPosted + held.size() > 0
        && System.nanoTime() - start < Port.LINGER_NANOS) {
      release(start, true);
      inner.ring();
      port.inner().progress();
    }
  }

  /// The link is not connected any more: gives the memory of the copies back.
  private void letGo() {
    copies.forEach(this::forget);
    copies.clear();
    spare.clear();
    held.clear();
    port.remove(this);
  }

  /// Gives the memory of a copy back, which is not posted.
  private void forget(Copy copy) {
    inner.deregister(copy.region(0));
    copy.region(0).forget();
    copy.jbuf.unreference(Jbuf::free);
  }

  @Override
  public void checkInvariants() {
    inner.checkInvariants();
    if (copiesPosted > MOST_COPIES
        || held.size() > MOST_HELD
        || copiesPosted + held.size() + spare.size() > copies.size()) {
      throw new IllegalStateException(
          "%d copies posted, %d held and %d spare of %d"
              .formatted(copiesPosted, held.size(), spare.size(), copies.size()));
    }
  }

  @Override
  public Counters counters(long registeredBuffers, long registeredBytes) {
    Counters own = super.counters(registeredBuffers, registeredBytes);
    Counters wrapped = inner.counters(registeredBuffers, registeredBytes);
    return new Counters(
        own.messagesSent() + wrapped.messagesSent() - copiesSent,
        own.bytesSent() + wrapped.bytesSent() - copiedBytesSent,
        wrapped.messagesReceived(),
        wrapped.bytesReceived(),
        wrapped.dropped(),
        wrapped.refused(),
        registeredBuffers,
        registeredBytes);
  }
}
