package dev.tigris.net.libfabric;

import dev.tigris.net.InterfaceState;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.os.OpenFile;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The devices that the links of a completion queue use, each opened when it is first needed.
final class LibfabricPort extends Port {
  /// Every open port. A device may write to memory that only a port's links hold on to: this keeps
  /// it from the collector when the application forgets a queue instead of closing it.
  private static final Set<LibfabricPort> OPEN = ConcurrentHashMap.newKeySet();

  /// How long a peer that was accepted is waited for, if nobody else has anything to do: a busy
  /// machine may let it wait for a processor.
  private static final long PATIENT_NANOS = 500_000_000;

  /// The same if others have: many times as long as a peer needs that has a processor.
  private static final long BRIEF_NANOS = 50_000_000;

  /// When two sides find each other, attempts follow each other at once at first, and then after
  /// pauses.
  private static final long YIELDS_NANOS = 200_000;

  private static final long PAUSE_NANOS = 100_000;

  private final Map<String, DeviceQueue> byName = new LinkedHashMap<>();
  private DeviceQueue[] stations = new DeviceQueue[0];

  /// What to wait for; read by the thread that waits.
  private volatile List<OpenFile> files = List.of();

  private final PollSet poll;

  /// Held by the thread that waits, so that closing waits for it.
  private final ReentrantLock waiting = new ReentrantLock();

  private final WakeRequest wake = new WakeRequest();

  /// How long a wait may take at the most, because a peer is expected.
  private volatile long expectsForNanos = Long.MAX_VALUE;

  /// Whether somebody has waited since [#progress] was called: for the end of a peer, perhaps.
  private volatile boolean waited;

  LibfabricPort() {
    try {
      this.poll = new PollSet();
    } catch (SystemException e) {
      throw Failures.of("open", "libfabric", e);
    }
    OPEN.add(this);
  }

  /// The device that a route names.
  DeviceQueue station(Route route) throws LibfabricException {
    String name = DeviceQueue.nameOf(route);
    DeviceQueue station = byName.get(name);
    if (station == null) {
      station = DeviceQueue.open(route);
      byName.put(name, station);
      stations = byName.values().toArray(DeviceQueue[]::new);
      lookAtFiles();
    }
    return station;
  }

  /// There is something else to wait for.
  private void lookAtFiles() {
    files = byName.values().stream().flatMap(each -> each.files().stream()).toList();
    poll.wake();
  }

  /// Waits until a link and its peer have heard of each other.
  ///
  /// @return whether they have
  boolean greet(LibfabricLink link, long timeoutNanos) {
    Deadline deadline = Deadline.in(timeoutNanos);
    while (!link.isMade() && link.state() == InterfaceState.CONNECTED) {
      long left = deadline.leftNanos();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      lookAgain(timeoutNanos - left);
    }
    return link.isMade();
  }

  /// Waits a moment for the first word of a peer that was accepted, which is on its way if the peer
  /// is what it should be. If it does not come, others must not suffer: messages of theirs are
  /// waited for no longer than [#BRIEF_NANOS], and while one peer says nothing, no other one is
  /// waited for at all. It is [#progress] that hears of the peer then, or gives it up.
  void expect(LibfabricLink link) {
    DeviceQueue station = link.station;
    boolean alone = station.expected().add(link);
    int turns = station.turns();
    Deadline deadline = Deadline.in(PATIENT_NANOS);
    do {
      long waited = PATIENT_NANOS - deadline.leftNanos();
      if (waited >= PATIENT_NANOS || (waited >= BRIEF_NANOS && station.turns() != turns)) {
        return;
      }
      lookAgain(waited);
    } while (alone
        && !link.isMade()
        && link.state() == InterfaceState.CONNECTED
        && !Thread.currentThread().isInterrupted());
  }

  /// Does what can be done, and lets others run: the peer may need this processor to answer, and
  /// virtual threads this carrier. What libraries do to find each other is announced by no file.
  ///
  /// @param waited for how long
  @SuppressWarnings("ThreadPriorityCheck") // yielding is a step between spinning and parking
  private void lookAgain(long waited) {
    progress();
    if (waited < YIELDS_NANOS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  /// Waits for what happens to a channel that connects, as long as its owner is ready to: nothing
  /// else on this port moves meanwhile.
  Events.@Nullable Event await(Channel channel, long timeoutNanos) {
    Deadline deadline = Deadline.in(timeoutNanos);
    try (PollSet own = new PollSet()) {
      channel.station.files().forEach(own::add);
      for (long left = timeoutNanos; left > 0; left = deadline.leftNanos()) {
        Events.Event event = channel.station.exchange().next(channel);
        if (event != null || Thread.currentThread().isInterrupted()) {
          return event;
        }
        own.await(left);
      }
      return null;
    } catch (SystemException e) {
      throw Failures.of("wait for", "connections", e);
    }
  }

  @Override
  public void progress() {
    boolean somebodyWaited = waited;
    if (somebodyWaited) {
      waited = false;
      for (DeviceQueue station : stations) {
        station.exchange().look();
      }
    }
    long expects = Long.MAX_VALUE;
    for (DeviceQueue station : stations) {
      station.progress(somebodyWaited);
      expects = Math.min(expects, station.expected().leftNanos());
      if (station.exchange().takeFilesChanged()) {
        lookAtFiles();
      }
    }
    if (expects != expectsForNanos) {
      expectsForNanos = expects;
    }
  }

  @Override
  public boolean isMoving() {
    boolean moves = false;
    for (DeviceQueue station : stations) {
      moves |= station.isMoving();
    }
    return moves;
  }

  @Override
  public boolean arm() {
    boolean armed = true;
    for (DeviceQueue station : stations) {
      armed &= station.arm();
    }
    return armed;
  }

  @Override
  public boolean park(long nanos) {
    waiting.lock();
    try {
      long start = System.nanoTime();
      long left = Math.min(nanos, expectsForNanos);
      while (!wake.isAsked()
          && left > 0
          && !Thread.currentThread().isInterrupted()
          && !await(left)) {
        left = Math.min(nanos, expectsForNanos) - (System.nanoTime() - start);
      }
    } finally {
      waiting.unlock();
      waited = true;
    }
    return wake.take();
  }

  /// Returns whether there may be something to do.
  private boolean await(long nanos) {
    List<OpenFile> all = files;
    poll.clear();
    for (int i = 0; i < all.size(); i++) {
      poll.add(all.get(i));
    }
    poll.await(nanos);
    for (int i = 0; i < all.size(); i++) {
      if (poll.isReady(i)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void wake() {
    wake.ask();
    poll.wake();
  }

  @Override
  public WakeRequest wakeRequest() {
    return wake;
  }

  /// The links that are not gone.
  private List<LibfabricLink> links() {
    List<LibfabricLink> links = new ArrayList<>();
    for (DeviceQueue station : stations) {
      links.addAll(station.links());
    }
    return links;
  }

  @Override
  public void close() {
    wake();
    waiting.lock();
    try {
      long start = System.nanoTime();
      for (long left = LINGER_NANOS;
          left > 0 && !links().isEmpty();
          left = LINGER_NANOS - (System.nanoTime() - start)) {
        progress();
        postponeInterrupt();
        boolean _ = links().isEmpty() || !arm() || await(left);
      }
      links().forEach(LibfabricLink::release);
      for (DeviceQueue station : stations) {
        station.close();
      }
      poll.close();
    } finally {
      waiting.unlock();
    }
    OPEN.remove(this);
  }
}
