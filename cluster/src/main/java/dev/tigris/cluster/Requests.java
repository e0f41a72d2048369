package dev.tigris.cluster;

import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Brings the requests to connect that come to a process to the receiving ends that they name by
/// their tags. A request that comes before its receiver waits here for it, for as long as senders
/// wait.
///
/// One thread for each listener takes requests. The receiver's own thread accepts them, between two
/// calls of its module.
///
/// Thread rule: any thread.
final class Requests {
  /// A request, and where it came.
  ///
  /// @param fabric whose listener has got it
  /// @param request the request
  record Asked(Fabric fabric, ConnectionRequest request) {}

  /// An end that is asked for by its tag.
  interface Receiver {
    /// Returns what the tag of its requests is the hash of.
    Header.Identity identity();

    /// Takes a request. Any thread.
    void ask(Asked asked);
  }

  private record Early(Asked asked, long deadline) {}

  /// So many requests wait for receivers at most; more are rejected.
  private static final int MOST_EARLY = 1024;

  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final long PAUSE_NANOS = 100_000_000;
  private static final System.Logger LOG = System.getLogger(Exchange.class.getName());

  private final long patienceNanos;
  private final Map<Long, Receiver> receivers = new HashMap<>();
  private final ArrayDeque<Early> early = new ArrayDeque<>();
  private final List<Listener> listeners = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private boolean isClosed;

  Requests(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /// Takes the requests of a listener, until that is closed.
  synchronized void take(Fabric fabric, Listener listener) {
    listeners.add(listener);
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("tigris-exchange-" + fabric.provider())
            .start(() -> listen(fabric, listener));
    threads.add(thread);
  }

  private void listen(Fabric fabric, Listener listener) {
    while (isOpen()) {
      try {
        ConnectionRequest request = listener.next(LOOK);
        sweep();
        if (request != null) {
          bring(new Asked(fabric, request));
        }
      } catch (NetException e) {
        LOG.log(System.Logger.Level.WARNING, "a request to connect is lost: {0}", e.getMessage());
        LockSupport.parkNanos(this, PAUSE_NANOS); // too many files are open, say
      } catch (IllegalStateException closed) {
        return;
      }
    }
  }

  private synchronized boolean isOpen() {
    return !isClosed;
  }

  private void bring(Asked asked) {
    Receiver receiver = place(asked);
    if (receiver != null) {
      receiver.ask(asked);
    }
  }

  /// Returns the receiver of a request; null if it waits for that, or was rejected.
  private synchronized @Nullable Receiver place(Asked asked) {
    Receiver receiver = receivers.get(asked.request().tag());
    if (receiver == null) {
      if (isClosed || early.size() == MOST_EARLY) {
        asked.request().close();
      } else {
        early.addLast(new Early(asked, System.nanoTime() + patienceNanos));
      }
    }
    return receiver;
  }

  /// Rejects what has waited for too long.
  private synchronized void sweep() {
    long now = System.nanoTime();
    while (!early.isEmpty() && early.getFirst().deadline - now < 0) {
      early.removeFirst().asked.request().close();
    }
  }

  /// Adds a receiver, and brings it the requests that came before.
  void add(Receiver receiver) {
    List<Asked> its = new ArrayList<>();
    long tag = receiver.identity().hash();
    synchronized (this) {
      if (receivers.putIfAbsent(tag, receiver) != null) {
        throw new IllegalArgumentException(
            "this process has a receiver of stream %s already: receive each stream once"
                .formatted(receiver.identity().name()));
      }
      for (Iterator<Early> all = early.iterator(); all.hasNext(); ) {
        Early next = all.next();
        if (next.asked.request().tag() == tag) {
          its.add(next.asked);
          all.remove();
        }
      }
    }
    its.forEach(receiver::ask);
  }

  synchronized void remove(Receiver receiver) {
    receivers.remove(receiver.identity().hash(), receiver);
  }

  /// Stops listening, and rejects what has come.
  void close() {
    List<Listener> open;
    List<Thread> running;
    synchronized (this) {
      isClosed = true;
      open = List.copyOf(listeners);
      running = List.copyOf(threads);
      early.forEach(each -> each.asked.request().close());
      early.clear();
    }
    open.forEach(Listener::close);
    running.forEach(Requests::awaitEnd);
  }

  /// Waits until a thread has ended. An interrupt does not end the wait, and is not lost.
  static void awaitEnd(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
