package dev.tigris.net.shm;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.DescriptorPort;
import dev.tigris.net.provider.LinkList;
import dev.tigris.os.PollSet;
import dev.tigris.os.SystemException;
import java.util.function.IntConsumer;

/// The links of one completion queue. Their rings are looked at one after the other, which is a
/// load from this processor's own cache for each that has nothing new. Their sockets are looked at
/// a hundred times a second, for peers that are gone, and waited for when this side sleeps.
///
/// While a thread waits for the sockets, no other takes packets from them: the packet that is to
/// wake it would be gone, and no other one comes for the same sleep ([Bell]).
final class ShmPort extends DescriptorPort {
  private static final long LOOK_NANOS = 10_000_000;
  private static final int CALLS_BETWEEN_CLOCKS = 16;

  /// How often to look again at the ring of an only link before saying that there is nothing: what
  /// arrives is found sooner there than by a thread that comes all the way back between two looks.
  private static final int LOOKS = 8;

  /// Up to as many links, accepted ones among them, a link that connects from here has large rings.
  private static final int FEW = 4;

  private final LinkList<ShmLink> links = new LinkList<>();

  /// The sockets as the owner looks at them; in the order of the links, unless `changed`.
  private final PollSet looked;

  private boolean changed;
  private int calls;

  /// Whether a part of a message has moved, and not the last one.
  private boolean moving;

  /// Whether links may have something to fetch for their next messages.
  private boolean mayFetch;

  private long lookedAt = System.nanoTime();

  /// What the owner and a thread that waits share, which may be another one: changes of the list of
  /// links, and their words while a thread sleeps.
  private final Object lock = new Object();

  private boolean parked;

  /// Whether sockets may have something, since a thread has waited for them.
  private volatile boolean waitedForSockets;

  ShmPort() {
    try {
      this.looked = new PollSet();
    } catch (SystemException e) {
      closeWait();
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
      endWaitOfOther();
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
        for (int i = 0; i < links.size(); i++) {
          looked.add(links.get(i).socket().file());
        }
      }
      looked.look();
      for (int i = 0; i < links.size(); i++) {
        if (looked.isReady(i)) {
          links.get(i).hear();
        }
      }
    }
  }

  /// Whether there is something to do after all: for a thread that is not the owner's, which may
  /// not have seen at first what the owner had just changed, and the owner not what has come.
  @Override
  public boolean hasWork() {
    synchronized (lock) {
      boolean hasWork = false;
      for (int i = 0; i < links.size(); i++) {
        hasWork |= links.get(i).hasWork();
      }
      return hasWork;
    }
  }

  @Override
  public long beginWait(IntConsumer files) {
    synchronized (lock) {
      parked = true;
      for (int i = 0; i < links.size(); i++) {
        links.get(i).sleep(files);
      }
      return hasWork() ? 0 : Long.MAX_VALUE;
    }
  }

  @Override
  public void endWait() {
    synchronized (lock) {
      parked = false;
      for (int i = 0; i < links.size(); i++) { // an iterator would be garbage
        links.get(i).awake();
      }
    }
    waitedForSockets = true;
  }

  @Override
  public boolean canChangeThread() {
    return true;
  }

  /// A thread that waits must not do so for what was there before.
  private void endWaitOfOther() {
    if (parked) {
      remind();
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
      endWaitOfOther();
    }
  }

  /// Removes a link. Afterwards no other thread touches it.
  void remove(ShmLink link) {
    synchronized (lock) {
      links.remove(link);
      changed = true;
      endWaitOfOther();
    }
  }

  @Override
  public void close() {
    closeWait();
    looked.close();
  }
}
