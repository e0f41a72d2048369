package dev.tigris.cluster;

import dev.tigris.flow.Mover;
import dev.tigris.flow.StreamException;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Moves all streams of one thread, over one completion queue that serves each fabric they use. The
/// queue is there as long as the thread has streams.
///
/// **Leaving.** A stream whose end has left stays here until the other end has confirmed that all
/// is over. The thread waits for that only when it leaves its last stream. So a module that ends
/// one of several outputs goes on with the others.
///
/// Thread rule: the thread that made it, except for [#wake].
final class QueueMover implements Mover {
  /// So many completions at most are taken before the module's other work has its turn.
  private static final int MOST_AT_ONCE = 256;

  private static final int MOST_ROUNDS = 4;
  private static final long LINGER_NANOS = 10_000_000;

  private final List<InterfaceStream> streams = new ArrayList<>();
  private final Set<Fabric> served = new HashSet<>();
  private final Thread owner = Thread.currentThread();
  private int inUse;
  private @Nullable CompletionQueue queue;

  /// The queue as others see it. Held while one wakes it or closes it, so that a late wake-up finds
  /// no closed queue.
  private final Object wakeLock = new Object();

  private @Nullable CompletionQueue wakeable;

  /// Asked by [#wake] while there is no queue.
  private volatile boolean isWoken;

  /// Returns the queue, which serves this fabric.
  CompletionQueue queue(Fabric fabric) {
    CompletionQueue its = queue;
    if (its == null) {
      its = fabric.completionQueue(0); // the worker has spun before it waits here
      queue = its;
      synchronized (wakeLock) {
        wakeable = its;
      }
      served.add(fabric);
    } else if (served.add(fabric)) {
      fabric.attach(its);
    }
    return its;
  }

  /// Adds a stream of this thread.
  void add(InterfaceStream stream) {
    streams.add(stream);
    inUse++;
  }

  /// Leaves a stream. If it was the last one, waits until all that were left are over.
  ///
  /// @throws StreamException if the other end of one was lost meanwhile
  void leave(InterfaceStream stream) {
    if (!stream.isOver()) {
      stream.advance();
    }
    inUse--;
    if (inUse == 0) {
      try {
        linger();
      } finally {
        closeQueue();
      }
    }
  }

  private void linger() {
    boolean interrupted = false;
    StreamException lost = null;
    while (!streams.isEmpty()) {
      for (InterfaceStream left : List.copyOf(streams)) {
        if (!left.isOver() && left.isGivenUp()) {
          left.abort();
        }
        if (left.isOver()) {
          streams.remove(left);
          StreamException why = left.lossAfterLeaving();
          lost = lost == null ? why : lost;
        }
      }
      interrupted |= Thread.interrupted(); // or the wait would not be one
      if (!streams.isEmpty()) {
        poll();
        await(LINGER_NANOS);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (lost != null) {
      throw lost;
    }
  }

  /// Closes the queue if no stream came of the first one that was to be opened.
  void closeIfUnused() {
    if (inUse == 0 && streams.isEmpty()) {
      closeQueue();
    }
  }

  private void closeQueue() {
    CompletionQueue its = queue;
    if (its == null) {
      return;
    }
    synchronized (wakeLock) {
      wakeable = null;
    }
    queue = null;
    served.clear();
    its.close();
  }

  @Override
  public void poll() {
    try {
      int rounds = 0;
      do {
        advance();
      } while (drain() && ++rounds < MOST_ROUNDS);
    } catch (NetException e) {
      throw new StreamException("messages cannot be moved: " + e.getMessage(), e);
    }
  }

  private void advance() {
    for (int i = 0; i < streams.size(); i++) {
      InterfaceStream stream = streams.get(i);
      try {
        stream.advance();
      } catch (RuntimeException e) {
        stream.lose(e);
      }
    }
  }

  /// Rings, and takes what has completed. Returns whether anything has.
  private boolean drain() {
    CompletionQueue its = queue;
    if (its == null) {
      return false;
    }
    for (int taken = 0; taken < MOST_AT_ONCE; taken++) {
      Descriptor descriptor = its.poll();
      if (descriptor == null) {
        return taken > 0;
      }
      take(descriptor);
    }
    return true;
  }

  private static void take(Descriptor descriptor) {
    if (!(descriptor.attachment() instanceof Completion completion)) {
      throw new IllegalStateException("a descriptor came back that no stream has posted");
    }
    InterfaceStream stream = completion.stream();
    try {
      completion.completed(descriptor);
    } catch (RuntimeException e) { // of this stream alone: what came was wrong, or memory is short
      stream.lose(e);
    }
  }

  @Override
  public void await(long nanos) {
    CompletionQueue its = queue;
    if (its == null) {
      if (!isWoken) {
        LockSupport.parkNanos(this, nanos);
      }
      isWoken = false;
      return;
    }
    if (isWoken) { // before there was a queue
      isWoken = false;
      return;
    }
    Descriptor descriptor = its.await(nanos);
    if (descriptor != null) {
      take(descriptor);
    }
  }

  @Override
  public void wake() {
    synchronized (wakeLock) {
      CompletionQueue its = wakeable;
      if (its != null) {
        its.wake();
        return;
      }
    }
    isWoken = true;
    LockSupport.unpark(owner);
  }
}
