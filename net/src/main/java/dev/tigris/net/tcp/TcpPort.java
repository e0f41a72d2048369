package dev.tigris.net.tcp;

import dev.tigris.net.NetException;
import dev.tigris.net.provider.Deadline;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.WakeRequest;
import dev.tigris.net.socket.SpareBuffers;
import dev.tigris.net.socket.Staging;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// The sockets of one completion queue. A few are asked one after the other, which is one system
/// call each and the fastest way; when there are many, the selector says which have something.
final class TcpPort extends Port {
  /// From how many links on to ask the selector: it costs about as much as two reads of an empty
  /// socket.
  private static final int MANY = 4;

  private static final int CALLS_BETWEEN_CLOCKS = 1024;

  private final Selector selector;
  private final List<TcpLink> links = new ArrayList<>();

  /// Those that are closed and wait for their peers, the oldest first.
  private final ArrayDeque<TcpLink> lingering = new ArrayDeque<>();

  private final SpareBuffers spare = new SpareBuffers(Staging.BYTES, System.nanoTime());
  private final SpareBuffers spareToSend =
      new SpareBuffers(TcpSender.STAGED_BYTES, System.nanoTime());
  private int calls;
  private boolean keysCancelled;

  /// Held by who selects. The selector wakes no more than one, and lets nobody else select while
  /// one waits: so the owner does without it when another thread is in [#park].
  private final ReentrantLock selecting = new ReentrantLock();

  /// Whether a thread is in [#park].
  private volatile boolean parked;

  private final WakeRequest wake = new WakeRequest();

  /// Whether a link has taken from its socket what it has not looked at: the selector knows nothing
  /// of that. Written by the owner; who parks reads it after it has set `parked`, and the owner
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
    if (links.size() <= MANY || hasMore || !selectNow(TcpPort::progress)) {
      if (hasMore) {
        hasMore = false;
      }
      for (int i = links.size() - 1; i >= 0; i--) { // backwards: a link may remove itself
        links.get(i).progress();
      }
    }
    TcpLink oldest = lingering.peek();
    if (oldest != null && oldest.isOverdue()) {
      oldest.release();
    }
    closeRemoved();
    if (++calls % CALLS_BETWEEN_CLOCKS == 0) {
      long now = System.nanoTime();
      spare.look(now);
      spareToSend.look(now);
    }
  }

  /// Has [#progress] look after a link that is closed and not yet gone, of which the selector may
  /// never say anything again.
  void linger(TcpLink link) {
    lingering.add(link);
  }

  /// The selector closes sockets whose keys were cancelled, and only when it selects.
  void closeRemoved() {
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

  /// Without a wait if `millis` is 0. Who calls it holds [#selecting].
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
  public boolean park(long nanos) {
    if (wake.take()) {
      return true;
    }
    selecting.lock();
    parked = true;
    try {
      if (!hasMore && !wake.isAsked()) {
        select(TcpPort::ignore, Math.max(1, nanos / 1_000_000));
      }
    } catch (ClosedSelectorException e) {
      return true; // the owner has closed the queue since this thread looked for a request
    } finally {
      parked = false;
      selecting.unlock();
    }
    return wake.take();
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

  @Override
  public WakeRequest wakeRequest() {
    return wake;
  }

  /// Adds a link, whose channel does not block.
  SelectionKey add(TcpLink link) throws IOException {
    SelectionKey key = link.channel().register(selector, SelectionKey.OP_READ, link);
    links.add(link);
    lookAgain();
    return key;
  }

  /// Removes a link whose key was cancelled.
  void remove(TcpLink link) {
    int index = links.lastIndexOf(link);
    TcpLink last = links.removeLast();
    if (last != link) {
      links.set(index, last);
    }
    lingering.remove(link);
    keysCancelled = true;
    lookAgain();
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

  /// An empty buffer for what arrives.
  Staging take() {
    return spare.take();
  }

  void giveBack(Staging buffer) {
    spare.giveBack(buffer);
  }

  /// An empty buffer for what is to be sent.
  Staging takeToSend() {
    return spareToSend.take();
  }

  void giveBackToSend(Staging buffer) {
    spareToSend.giveBack(buffer);
  }

  @Override
  public void close() {
    wake(); // whoever waits lets go of the selector
    selecting.lock();
    try {
      Deadline deadline = Deadline.in(LINGER_NANOS);
      for (long left = LINGER_NANOS; !links.isEmpty() && left > 0; left = deadline.leftNanos()) {
        progress();
        postponeInterrupt();
        select(TcpPort::ignore, links.isEmpty() ? 0 : 1 + left / 1_000_000);
      }
      for (TcpLink left : List.copyOf(links)) {
        left.release();
      }
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
