package dev.tigris.net.libfabric;

import dev.tigris.net.InterfaceState;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.DescriptorPort;
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
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// The devices that the links of a completion queue use, each opened when it is first needed.
final class LibfabricPort extends DescriptorPort {
  /// Every open port. A device may write to memory that only a port's links hold on to: this keeps
  /// it from the collector when the application forgets a queue instead of closing it.
  private static final Set<LibfabricPort> OPEN = ConcurrentHashMap.newKeySet();

  /// How long a peer that was accepted is waited for, if no other has anything to do: a busy
  /// machine may let it wait for a processor.
  private static final long PATIENT_NANOS = 500_000_000;

  /// The same if others have: many times as long as a peer needs that has a processor.
  private static final long BRIEF_NANOS = 50_000_000;

  /// When two sides find each other, attempts follow each other at once at first, and then after
  /// pauses.
  private static final long YIELDS_NANOS = 200_000;

  private static final long PAUSE_NANOS = 100_000;

  private final Map<String, DeviceQueue> byName = new LinkedHashMap<>();
  private DeviceQueue[] deviceQueues = new DeviceQueue[0];

  /// What to wait for; read by the thread that waits.
  private volatile List<OpenFile> files = List.of();

  /// How long a wait may take at the most, because a peer is expected.
  private volatile long expectsForNanos = Long.MAX_VALUE;

  /// Whether a thread has waited since [#progress] was called: for the end of a peer, perhaps.
  private volatile boolean waited;

  LibfabricPort() {
    OPEN.add(this);
  }

  /// The device that a route names.
  DeviceQueue deviceQueue(Route route) throws LibfabricException {
    String name = DeviceQueue.nameOf(route);
    DeviceQueue deviceQueue = byName.get(name);
    if (deviceQueue == null) {
      deviceQueue = DeviceQueue.open(route);
      byName.put(name, deviceQueue);
      deviceQueues = byName.values().toArray(DeviceQueue[]::new);
      lookAtFiles();
    }
    return deviceQueue;
  }

  /// There is something else to wait for.
  private void lookAtFiles() {
    files = byName.values().stream().flatMap(each -> each.files().stream()).toList();
    remind();
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
    DeviceQueue deviceQueue = link.deviceQueue;
    boolean alone = deviceQueue.expected().add(link);
    int turns = deviceQueue.turns();
    Deadline deadline = Deadline.in(PATIENT_NANOS);
    do {
      long waited = PATIENT_NANOS - deadline.leftNanos();
      if (waited >= PATIENT_NANOS || (waited >= BRIEF_NANOS && deviceQueue.turns() != turns)) {
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
      channel.deviceQueue.files().forEach(own::add);
      for (long left = timeoutNanos; left > 0; left = deadline.leftNanos()) {
        Events.Event event = channel.deviceQueue.exchange().next(channel);
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
    boolean threadWaited = waited;
    if (threadWaited) {
      waited = false;
      for (DeviceQueue deviceQueue : deviceQueues) {
        deviceQueue.exchange().look();
      }
    }
    long expects = Long.MAX_VALUE;
    for (DeviceQueue deviceQueue : deviceQueues) {
      deviceQueue.progress(threadWaited);
      expects = Math.min(expects, deviceQueue.expected().leftNanos());
      if (deviceQueue.exchange().takeFilesChanged()) {
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
    for (DeviceQueue deviceQueue : deviceQueues) {
      moves |= deviceQueue.isMoving();
    }
    return moves;
  }

  @Override
  public boolean arm() {
    boolean armed = true;
    for (DeviceQueue deviceQueue : deviceQueues) {
      armed &= deviceQueue.arm();
    }
    return armed;
  }

  @Override
  public long beginWait(IntConsumer descriptors) {
    List<OpenFile> all = files;
    for (int i = 0; i < all.size(); i++) { // an iterator would be garbage
      descriptors.accept(all.get(i).number());
    }
    return expectsForNanos;
  }

  @Override
  public void endWait() {
    waited = true;
  }

  /// The links that are not gone.
  private List<LibfabricLink> links() {
    List<LibfabricLink> links = new ArrayList<>();
    for (DeviceQueue deviceQueue : deviceQueues) {
      links.addAll(deviceQueue.links());
    }
    return links;
  }

  @Override
  public void close() {
    closeToOthers();
    awaitLingering(() -> !links().isEmpty());
    links().forEach(LibfabricLink::release);
    for (DeviceQueue deviceQueue : deviceQueues) {
      deviceQueue.close();
    }
    closeWait();
    OPEN.remove(this);
  }
}
