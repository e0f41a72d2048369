package org.example.local;

import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The links of a thread. Peers say when there is something to do.
final class LocalPort extends Port {
  private final CopyOnWriteArrayList<LocalLink> links = new CopyOnWriteArrayList<>();
  private final WakeRequest wake = new WakeRequest();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition said = lock.newCondition();
  private boolean anything;

  /// By the thread of this port, or by the one that accepts its request.
  void add(LocalLink link) {
    links.add(link);
  }

  void remove(LocalLink link) {
    links.remove(link);
  }

  /// There may be something to do. Any thread.
  void say() {
    lock.lock();
    try {
      anything = true;
      said.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void progress() {
    for (int i = links.size() - 1; i >= 0; i--) {
      links.get(i).progress();
    }
  }

  @Override
  public boolean arm() {
    for (int i = links.size() - 1; i >= 0; i--) {
      if (links.get(i).hasWork()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean park(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (!anything && !wake.isAsked() && left > 0) {
        left = said.awaitNanos(left);
      }
      anything = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return wake.take();
  }

  @Override
  public void wake() {
    wake.ask();
    say();
  }

  @Override
  public WakeRequest wakeRequest() {
    return wake;
  }

  @Override
  public boolean canChangeThread() {
    return true;
  }

  @Override
  public void close() {}
}
