package dev.tigris.net.tcp;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.StreamPort;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.net.socket.HostWatch;
import dev.tigris.net.socket.HostWatches;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The sockets of one completion queue. A few are asked one after the other, which is one system
/// call each and the fastest way; when there are many, the selector says which have something.
final class TcpPort extends StreamPort {
  /// From how many links on to ask the selector: it costs about as much as two reads of an empty
  /// socket.
  private static final int MANY = 4;

  private final Selector selector;
  private final HostWatches watches = new HostWatches();
  private boolean keysCancelled;

  /// Held by the thread that selects. The selector wakes one, and lets no other select while
  /// one waits: so the owner does without it when another thread is in [#park].
  private final ReentrantLock selecting = new ReentrantLock();

  /// Whether a thread is in [#park].
  private volatile boolean parked;

  /// Set before the selector is woken, which may end a look of the owner instead of a wait.
  private final WakeRequest wake = new WakeRequest();

  /// Whether a link has taken from its socket what it has not looked at: the selector knows nothing
  /// of that. Written by the owner. A parking thread reads it after it has set `parked`; the owner
  /// looks at that after it has written this, so that one of them sees the other.
  private volatile boolean hasMore;

  TcpPort() {
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw failed("open", e);
    }
  }

  @Override
  public void progress() {
    if (linkCount() <= MANY || hasMore || !selectNow(TcpPort::progress)) {
      if (hasMore) {
        hasMore = false;
      }
      progressLinks();
    }
    watches.look();
    giveUpTheOverdue(); // of which the selector may never say anything again
    closeRemoved();
  }

  /// The selector closes sockets whose keys were cancelled, and only when it selects.
  private void closeRemoved() {
    if (keysCancelled) {
      boolean _ = selectNow(TcpPort::ignore);
    }
  }

  private static void ignore(SelectionKey key) {}

  private static void progress(SelectionKey key) {
    if (key.attachment() instanceof TcpLink link) {
      link.progress();
    }
  }

  /// Without a wait, be it for another thread; returns false if that selects.
  private boolean selectNow(Consumer<SelectionKey> action) {
    if (!selecting.tryLock()) {
      return false;
    }
    try {
      select(action, 0);
      return true;
    } finally {
      selecting.unlock();
    }
  }

  /// Without a wait if `millis` is 0. The caller holds [#selecting].
  private void select(Consumer<SelectionKey> action, long millis) {
    try {
      keysCancelled = false;
      if (millis == 0) {
        selector.selectNow(action);
      } else {
        selector.select(action, millis);
      }
    } catch (IOException e) {
      throw failed("wait for", e);
    }
  }

  @Override
  public void park(long nanos) {
    selecting.lock();
    parked = true;
    try {
      if (nanos <= 0) {
        select(TcpPort::ignore, 0); // the selector remembers a wake, too
      } else if (!hasMore && !wake.isAsked()) {
        long most = Math.min(nanos, watches.pauseNanos());
        select(TcpPort::ignore, Math.max(1, most / 1_000_000));
        watches.waited();
      }
    } catch (ClosedSelectorException e) {
      // the owner has closed the queue: there is nothing to wait for
    } finally {
      parked = false;
      selecting.unlock();
    }
    boolean _ = wake.take();
  }

  @Override
  public void wake() {
    wake.ask();
    selector.wakeup();
  }

  @Override
  public boolean canChangeThread() {
    return true;
  }

  /// Adds a link, whose channel does not block.
  SelectionKey watch(TcpLink link, HostWatch watch) throws IOException {
    SelectionKey key = link.channel().register(selector, SelectionKey.OP_READ, link);
    add(link);
    watches.add(watch);
    lookAgain();
    return key;
  }

  /// A link was removed, and its key cancelled.
  ///
  /// @param watch of its host; null if it never was complete
  /// @param abruptly whether the peer is to hear of it now
  void removed(@Nullable HostWatch watch, boolean abruptly) {
    if (watch != null) {
      watches.remove(watch);
    }
    keysCancelled = true;
    lookAgain();
    if (abruptly) {
      closeRemoved();
    }
  }

  /// What keys wait for has changed: a thread that waits must not sleep on what was so before.
  void lookAgain() {
    if (parked) {
      selector.wakeup();
    }
  }

  /// A link has more to look at than the selector knows of.
  void comeAgain() {
    hasMore = true;
    lookAgain();
  }

  @Override
  public void close() {
    wake(); // a thread that waits lets go of the selector
    selecting.lock();
    try {
      super.close();
      selector.close();
    } catch (IOException e) {
      throw failed("close", e);
    } finally {
      selecting.unlock();
    }
  }

  private static NetException failed(String operation, IOException cause) {
    return new NetException(operation, "sockets", String.valueOf(cause.getMessage()), cause);
  }
}
