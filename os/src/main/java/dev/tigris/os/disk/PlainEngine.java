package dev.tigris.os.disk;

import dev.tigris.os.DiskCalls;
import dev.tigris.os.IoUring;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// pread(2), pwrite(2) and fsync(2), each by one of a few threads, which are started when there is
/// something for them. A thread that waits for one piece does a piece itself, so that one operation
/// at a time needs no other thread.
///
/// Conservation: each piece that was begun is waiting, at a thread, or done, until it is taken.
/// There are no more of them than the queue has slots, which bounds both lists.
final class PlainEngine implements Engine {
  /// More calls at a time than that gain nothing on the disks that were measured.
  static final int MOST_THREADS = 16;

  /// One call.
  private record Piece(
      int slot, DiskOperation.Kind kind, int descriptor, long position, MemorySegment part) {
    long call() {
      return switch (kind) {
        case READ -> DiskCalls.read(descriptor, part, position);
        case WRITE -> DiskCalls.write(descriptor, part, position);
        case SYNC -> DiskCalls.sync(descriptor);
      };
    }
  }

  private record Done(int slot, int result) {}

  private final int mostThreads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition begun = lock.newCondition();
  private final Condition done = lock.newCondition();

  // Under the lock.
  private final Queue<Piece> waiting = new ArrayDeque<>();
  private final Queue<Done> finished = new ArrayDeque<>();
  private int threads;
  private int idleThreads;
  private @Nullable Runnable waker;
  private boolean woken;
  private boolean ended;

  // Of the queue's thread.
  private final Queue<Piece> kept = new ArrayDeque<>();
  private Done taken = new Done(-1, 0);

  PlainEngine(int depth) {
    mostThreads = Math.min(depth, MOST_THREADS);
  }

  @Override
  public String name() {
    return mostThreads == 1
        ? "plain calls (one thread)"
        : "plain calls (up to %d threads)".formatted(mostThreads);
  }

  @Override
  public int register(int descriptor) {
    return -1;
  }

  @Override
  public void unregister(int place) {}

  @Override
  public boolean registerMemory(MemorySegment memory) {
    return false;
  }

  @Override
  public void begin(
      int slot,
      DiskOperation.Kind kind,
      int descriptor,
      int place,
      long position,
      MemorySegment part) {
    kept.add(new Piece(slot, kind, descriptor, position, part));
  }

  /// A piece that no thread has is done with that; one that a thread has goes on.
  @Override
  public void cancel(int slot) {
    lock.lock();
    try {
      boolean isLeft = kept.removeIf(piece -> piece.slot() == slot);
      if (isLeft || waiting.removeIf(piece -> piece.slot() == slot)) {
        finished.add(new Done(slot, IoUring.CANCELED));
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void submit() {
    if (!kept.isEmpty()) {
      lock.lock();
      try {
        handOver(0);
      } finally {
        lock.unlock();
      }
    }
  }

  /// Hands over what was begun, but for the last pieces.
  private void handOver(int butFor) {
    while (kept.size() > butFor) {
      waiting.add(kept.remove());
      if (idleThreads > 0) {
        begun.signal();
      } else if (threads < mostThreads) {
        threads++;
        Thread.ofPlatform().daemon().name("tigris-disk-" + threads).start(this::serve);
      }
    }
  }

  private void serve() {
    lock.lock();
    try {
      while (!ended) {
        Piece piece = waiting.poll();
        if (piece == null) {
          idleThreads++;
          begun.awaitUninterruptibly();
          idleThreads--;
          continue;
        }
        Runnable wake = finish(piece);
        if (wake != null) {
          lock.unlock();
          try {
            wake.run();
          } finally {
            lock.lock();
          }
        }
      }
    } finally {
      threads--;
      done.signalAll();
      lock.unlock();
    }
  }

  /// Does a piece without the lock, and returns whom to wake.
  private @Nullable Runnable finish(Piece piece) {
    lock.unlock();
    long result;
    try {
      result = piece.call();
    } finally {
      lock.lock();
    }
    finished.add(new Done(piece.slot(), (int) result));
    done.signalAll();
    Runnable wake = waker;
    waker = null;
    return wake;
  }

  @Override
  public boolean next() {
    lock.lock();
    try {
      Done first = finished.poll();
      if (first != null) {
        taken = first;
      }
      return first != null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int slot() {
    return taken.slot();
  }

  @Override
  public int result() {
    return taken.result();
  }

  @Override
  public void awaitOne() {
    lock.lock();
    try {
      boolean helps = !Thread.currentThread().isVirtual();
      handOver(helps ? 1 : 0);
      while (finished.isEmpty()) {
        Piece own = helps ? kept.poll() : null;
        if (own == null && helps) {
          own = waiting.poll();
        }
        if (own == null) {
          done.awaitUninterruptibly();
        } else {
          Runnable _ = finish(own); // this thread is the one that would be woken
        }
      }
      handOver(0);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean hasWork() {
    lock.lock();
    try {
      return !finished.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /// A thread that has done a piece always says so.
  @Override
  public void announce(boolean waits) {
    if (!waits) {
      lock.lock();
      try {
        waker = null;
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void runOnce(Runnable next) {
    boolean isDone;
    lock.lock();
    try {
      isDone = !finished.isEmpty();
      waker = isDone ? null : next;
    } finally {
      lock.unlock();
    }
    if (isDone) {
      next.run();
    }
  }

  @Override
  public void park(long nanos) {
    submit();
    lock.lock();
    try {
      long left = nanos;
      while (finished.isEmpty() && !woken && left > 0) {
        left = done.awaitNanos(left);
      }
      woken = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wake() {
    lock.lock();
    try {
      woken = true;
      done.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the threads, none of which has a piece.
  @Override
  public void close() {
    lock.lock();
    try {
      ended = true;
      begun.signalAll();
      while (threads > 0) {
        done.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
