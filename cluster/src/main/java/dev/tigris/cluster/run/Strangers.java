package dev.tigris.cluster.run;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The connections that have come and have shown no key yet. Each has a limited time for that, and
/// they have a limited number: where one more comes, the oldest is closed. So strangers that only
/// hold connections cannot keep a peer out, which shows its key at once.
///
/// Thread rule: any thread.
final class Strangers implements AutoCloseable {
  private final int most;
  private final Duration patience;

  /// When the time of each ends, the oldest first. Under this object's lock, as `isClosed`.
  private final Map<Socket, Long> ends = new LinkedHashMap<>();

  private boolean isClosed;

  /// @param most how many there are at most
  /// @param patience how long each may take
  Strangers(int most, Duration patience) {
    this.most = most;
    this.patience = patience;
    Thread _ = Thread.ofVirtual().name("tigris-worker-strangers").start(this::watch);
  }

  /// Takes one more, and closes another one if there are too many.
  void add(Socket socket) {
    Socket closed = null;
    synchronized (this) {
      if (isClosed) {
        closed = socket;
      } else {
        if (ends.size() >= most) {
          closed = ends.keySet().iterator().next();
          ends.remove(closed);
        }
        ends.put(socket, System.nanoTime() + patience.toNanos());
        notifyAll();
      }
    }
    if (closed != null) {
      close(closed);
    }
  }

  /// Returns whether it was still one of them. From now on it is none.
  synchronized boolean remove(Socket socket) {
    return ends.remove(socket) != null;
  }

  /// Says for how long a connection is one of them, at most.
  @Override
  public String toString() {
    return "it showed no key within %d s, or before %d others came"
        .formatted(patience.toSeconds(), most);
  }

  private void watch() {
    try {
      for (Socket late = late(); late != null; late = late()) {
        close(late);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nothing does that
    }
  }

  /// Waits for one whose time has ended; returns null when this is closed.
  private synchronized @Nullable Socket late() throws InterruptedException {
    while (!isClosed) {
      if (ends.isEmpty()) {
        wait();
        continue;
      }
      Map.Entry<Socket, Long> oldest = ends.entrySet().iterator().next();
      long left = oldest.getValue() - System.nanoTime();
      if (left <= 0) {
        ends.remove(oldest.getKey());
        return oldest.getKey();
      }
      wait(left / 1_000_000 + 1);
    }
    return null;
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is of no use any more
    }
  }

  /// Closes all, and each that is added later.
  @Override
  public void close() {
    List<Socket> all;
    synchronized (this) {
      isClosed = true;
      all = new ArrayList<>(ends.keySet());
      ends.clear();
      notifyAll();
    }
    all.forEach(Strangers::close);
  }
}
