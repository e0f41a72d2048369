package dev.tigris.net.libfabric;

import dev.tigris.net.InterfaceState;
import dev.tigris.net.libfabric.raw.Events;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.libfabric.raw.Route;
import dev.tigris.net.linux.OpenFile;
import dev.tigris.net.linux.PollSet;
import dev.tigris.net.linux.SystemException;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Wake;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The devices that the links of a completion queue use, each opened when it is first needed.
final class LibfabricPort extends Port {
  /// Every open port. A device may write to memory that only a port's links hold on to: this keeps
  /// it from the collector when the application forgets a queue instead of closing it.
  private static final Set<LibfabricPort> OPEN = ConcurrentHashMap.newKeySet();

  private final Map<String, Station> byName = new LinkedHashMap<>();
  private Station[] stations = new Station[0];

  /// What to wait for; read by the thread that waits.
  private volatile List<OpenFile> files = List.of();

  private final PollSet poll;

  /// Held by the thread that waits, so that closing waits for it.
  private final ReentrantLock waiting = new ReentrantLock();

  private final Wake wake = new Wake();

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
  Station station(Route route) throws LibfabricException {
    String name = Station.nameOf(route);
    Station station = byName.get(name);
    if (station == null) {
      station = Station.open(route);
      byName.put(name, station);
      stations = byName.values().toArray(Station[]::new);
      lookAtFiles();
    }
    return station;
  }

  /// There is something else to wait for.
  private void lookAtFiles() {
    files = byName.values().stream().flatMap(each -> each.files().stream()).toList();
    poll.wake();
  }

  /// Waits until a link and its peer have heard of each other, whose endpoints are not connected.
  ///
  /// @return whether they have
  @SuppressWarnings("ThreadPriorityCheck") // the peer may need this processor to answer
  boolean greet(LibfabricLink link, long timeoutNanos) {
    Deadline deadline = Deadline.in(timeoutNanos);
    while (!link.isGreeted() && link.state() == InterfaceState.CONNECTED) {
      if (deadline.leftNanos() <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      progress();
      Thread.yield();
    }
    return link.isGreeted();
  }

  /// Waits for what happens to a channel that is being connected. Nothing else on this port moves
  /// meanwhile.
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
    if (waited) {
      waited = false;
      for (Station station : stations) {
        station.exchange().look();
      }
    }
    for (Station station : stations) {
      station.progress();
      if (station.exchange().takeFilesChanged()) {
        lookAtFiles();
      }
    }
  }

  @Override
  public boolean isMoving() {
    boolean moves = false;
    for (Station station : stations) {
      moves |= station.isMoving();
    }
    return moves;
  }

  @Override
  public boolean arm() {
    boolean armed = true;
    for (Station station : stations) {
      armed &= station.arm();
    }
    return armed;
  }

  @Override
  public boolean park(long nanos) {
    waiting.lock();
    try {
      long start = System.nanoTime();
      long left = nanos;
      while (!wake.isAsked()
          && left > 0
          && !Thread.currentThread().isInterrupted()
          && !await(left)) {
        left = nanos - (System.nanoTime() - start);
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
  public Wake wakeRequest() {
    return wake;
  }

  /// The links that are not gone.
  private List<LibfabricLink> links() {
    List<LibfabricLink> links = new ArrayList<>();
    for (Station station : stations) {
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
      for (Station station : stations) {
        station.close();
      }
      poll.close();
    } finally {
      waiting.unlock();
    }
    OPEN.remove(this);
  }
}
