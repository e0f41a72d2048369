package dev.tigris.net.shm;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.CloseOnFailure;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/// The links of one completion queue. Their rings are looked at one after the other, which is a
/// load from this processor's own cache for each that has nothing new. Their sockets are looked at
/// a hundred times a second, for peers that are gone, and waited for when this side sleeps.
///
/// While a thread waits for the sockets, nobody else takes packets from them: the packet that is to
/// wake it would be gone, and no other one comes for the same sleep ([Bell]).
final class ShmPort extends Port {
  private static final long LOOK_NANOS = 10_000_000;
  private static final int CALLS_BETWEEN_CLOCKS = 16;

  /// How often to look again at the ring of an only link before saying that there is nothing: what
  /// arrives is found sooner there than by a thread that comes all the way back between two looks.
  private static final int LOOKS = 8;

  /// Up to as many links, accepted ones among them, a link that connects from here has large rings.
  private static final int FEW = 4;

  private final List<ShmLink> links = new ArrayList<>();

  /// The sockets as the owner looks at them; in the order of the links, unless `changed`.
  private final PollSet looked;

  private boolean changed;
  private int calls;

  /// Whether a part of a message has moved, and not the last one.
  private boolean moving;

  /// Whether links may have something to fetch for their next messages.
  private boolean mayFetch;

  private long lookedAt = System.nanoTime();

  /// What the owner and a thread in [#park] share, which may be another one: changes of the list
  /// of links, their words while somebody sleeps, and the end.
  private final Object lock = new Object();

  private final PollSet waited;
  private boolean parked;
  private boolean closed;

  /// Whether sockets may have something, since somebody has waited for them.
  private volatile boolean waitedForSockets;

  private final WakeRequest wake = new WakeRequest();

  /// Kept, so that a wait makes no object.
  private final BooleanSupplier hasWork = this::hasWork;

  ShmPort() {
    try (CloseOnFailure opened = new CloseOnFailure()) {
      this.looked = opened.add(new PollSet());
      this.waited = opened.add(new PollSet());
      opened.keep();
    } catch (SystemException e) {
      throw new NetException("open", "sockets", String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void progress() {
    if (waitedForSockets || (++calls % CALLS_BETWEEN_CLOCKS == 0 && isTimeToLook())) {
      look();
    }
    boolean found = false;
    for (int i = links.size() - 1; i >= 0; i--) { // backwards: a link may remove itself
      ShmLink link = links.get(i);
      if (link.mayProgress()) {
        link.progress();
        found = true;
      }
    }
    if (!found) {
      lingerOrFetch();
    }
  }

  /// There is nothing to do but to wait: a little at once, since what is waited for may come.
  private void lingerOrFetch() {
    if (mayFetch) {
      fetch();
    } else if (links.size() == 1) {
      ShmLink only = links.get(0);
      if (only.seesMoreSoon(LOOKS)) {
        only.progress();
      }
    }
  }

  private void fetch() {
    mayFetch = false;
    for (int i = links.size() - 1; i >= 0; i--) {
      mayFetch |= links.get(i).fetch();
    }
  }

  void mayFetch() {
    mayFetch = true;
  }

  /// Takes a link's packets before it is time to. A thread that waits for them has to be told.
  ///
  /// @return whether there were any
  boolean hears(ShmReceiver incoming) {
    synchronized (lock) {
      wakeIfParked();
      return incoming.hear();
    }
  }

  void moving() {
    moving = true;
  }

  @Override
  public boolean isMoving() {
    boolean was = moving;
    moving = false;
    return was;
  }

  private boolean isTimeToLook() {
    return System.nanoTime() - lookedAt > LOOK_NANOS;
  }

  private void look() {
    lookedAt = System.nanoTime();
    synchronized (lock) {
      if (parked) {
        return;
      }
      waitedForSockets = false;
      if (changed) {
        changed = false;
        looked.clear();
        links.forEach(link -> looked.add(link.socket().file()));
      }
      looked.look();
      for (int i = 0; i < links.size(); i++) {
        if (looked.isReady(i)) {
          links.get(i).hear();
        }
      }
    }
  }

  @Override
  public boolean park(long nanos) {
    if (wake.take() || !goToSleep()) {
      return true;
    }
    try {
      waited.await(nanos, hasWork);
    } finally { // there may be no thread to wait in
      getUp();
    }
    return wake.take();
  }

  /// Whether there is something to do after all: for a thread that is not the owner's, which may
  /// not have seen at first what the owner had just changed, and the owner not what has come.
  private boolean hasWork() {
    synchronized (lock) {
      boolean hasWork = wake.isAsked();
      for (int i = 0; i < links.size(); i++) {
        hasWork |= links.get(i).hasWork();
      }
      return hasWork;
    }
  }

  /// Returns false if the port is closed.
  private boolean goToSleep() {
    synchronized (lock) {
      if (closed) {
        return false;
      }
      parked = true;
      waited.clear();
      for (int i = 0; i < links.size(); i++) {
        links.get(i).sleep(waited);
      }
      if (hasWork()) {
        waited.wake();
      }
      return true;
    }
  }

  private void getUp() {
    synchronized (lock) {
      parked = false;
      for (int i = 0; i < links.size(); i++) { // an iterator would be garbage
        links.get(i).awake();
      }
      if (closed) {
        waited.close();
      }
    }
    waitedForSockets = true;
  }

  @Override
  public void wake() {
    wake.ask();
    wakeIfParked();
  }

  @Override
  public boolean canChangeThread() {
    return true;
  }

  @Override
  public WakeRequest wakeRequest() {
    return wake;
  }

  /// Whoever waits must not do so for what was there before.
  private void wakeIfParked() {
    synchronized (lock) {
      if (parked) {
        waited.wake();
      }
    }
  }

  /// Whether the next link is one of few. The owner's thread.
  boolean hasFew() {
    return links.size() < FEW;
  }

  void add(ShmLink link) {
    synchronized (lock) {
      links.add(link);
      changed = true;
      wakeIfParked();
    }
  }

  /// Removes a link. Afterwards no other thread touches it.
  void remove(ShmLink link) {
    synchronized (lock) {
      int index = links.lastIndexOf(link);
      ShmLink last = links.removeLast();
      if (last != link) {
        links.set(index, last);
      }
      changed = true;
      wakeIfParked();
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      if (parked) {
        waited.wake(); // and whoever waits closes it
      } else {
        waited.close();
      }
    }
    looked.close();
  }
}
