package dev.tigris.os.disk;

import dev.tigris.os.IoUring;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Moves the bytes of files of other hosts, and hands those of this host to the engine below.
/// A file of another host has a descriptor below [#NONE].
///
/// Bytes that have come are copied by the thread of the queue. So a read that was cancelled is over
/// at once, and its memory the queue's.
///
/// Conservation: each piece that was begun elsewhere is in `current`, or in `cancelled`, or was
/// taken.
final class RemoteEngine implements Engine {
  /// No descriptor; those of other hosts are below it.
  private static final int NONE = -1;

  /// A wait for several engines looks again so often, should a wake-up be lost.
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// A piece at another host.
  private final class Piece implements RemoteFile.Ending {
    final int slot;
    final MemorySegment part;
    private int result;
    private @Nullable MemorySegment bytes;
    private @Nullable Runnable release;

    /// Of the queue's thread.
    private @Nullable Runnable cancel;

    Piece(int slot, MemorySegment part) {
      this.slot = slot;
      this.part = part;
    }

    @Override
    public void ended(int itsResult, @Nullable MemorySegment itsBytes, Runnable itsRelease) {
      result = itsResult;
      bytes = itsBytes;
      release = itsRelease;
      lock.lock(); // the engine below cannot be woken once it is closed
      try {
        if (!isClosed) {
          finished.add(this);
          here.wake();
          run(waker);
          return;
        }
      } finally {
        lock.unlock();
      }
      int _ = take(false);
    }

    /// Takes the bytes, if they are wanted, and gives their memory back.
    int take(boolean isWanted) {
      MemorySegment from = bytes;
      if (isWanted && from != null && result > 0) {
        MemorySegment.copy(from, 0, part, 0, result);
      }
      if (release != null) {
        release.run();
      }
      return result;
    }
  }

  private final Engine here;
  private final Queue<Piece> finished = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private boolean isClosed;
  private volatile @Nullable AtomicReference<@Nullable Runnable> waker;

  // Of the queue's thread.
  private final List<@Nullable RemoteFile> files = new ArrayList<>();
  private final Map<Integer, Piece> current = new HashMap<>();
  private final Queue<Integer> cancelled = new ArrayDeque<>();
  private double progress;
  private boolean isFromHere = true;
  private int slot;
  private int result;

  RemoteEngine(Engine here) {
    this.here = here;
  }

  private static void run(@Nullable AtomicReference<@Nullable Runnable> waker) {
    Runnable once = waker == null ? null : waker.getAndSet(null);
    if (once != null) {
      once.run();
    }
  }

  /// Adds a file, and returns its descriptor.
  int add(RemoteFile file) {
    int place = files.indexOf(null);
    if (place < 0) {
      place = files.size();
      files.add(file);
    } else {
      files.set(place, file);
    }
    return NONE - 1 - place;
  }

  /// Takes a file off; nothing happens for one of this host.
  void remove(int descriptor) {
    if (descriptor < NONE) {
      files.set(NONE - 1 - descriptor, null);
    }
  }

  /// Says the progress of the reader of the next piece.
  void progress(double next) {
    progress = next;
  }

  @Override
  public String name() {
    return here.name() + ", and calls to other hosts";
  }

  @Override
  public int register(int descriptor) {
    return here.register(descriptor);
  }

  @Override
  public void unregister(int place) {
    here.unregister(place);
  }

  @Override
  public boolean registerMemory(MemorySegment memory) {
    return here.registerMemory(memory);
  }

  @Override
  public void begin(
      int where,
      DiskOperation.Kind kind,
      int descriptor,
      int place,
      long position,
      MemorySegment part) {
    if (descriptor >= NONE) {
      here.begin(where, kind, descriptor, place, position, part);
      return;
    }
    RemoteFile file = Objects.requireNonNull(files.get(NONE - 1 - descriptor));
    var piece = new Piece(where, part);
    current.put(where, piece);
    piece.cancel = file.begin(kind, position, part, progress, piece);
  }

  @Override
  public void cancel(int where) {
    Piece piece = current.remove(where);
    if (piece == null) {
      here.cancel(where);
      return;
    }
    cancelled.add(where);
    if (piece.cancel != null) {
      piece.cancel.run();
    }
  }

  @Override
  public void submit() {
    here.submit();
  }

  @Override
  public boolean next() {
    isFromHere = here.next();
    if (isFromHere) {
      return true;
    }
    Integer first = cancelled.poll();
    if (first != null) {
      slot = first;
      result = IoUring.CANCELED;
      return true;
    }
    for (Piece piece = finished.poll(); piece != null; piece = finished.poll()) {
      boolean isWanted = current.remove(piece.slot, piece);
      int its = piece.take(isWanted);
      if (isWanted) {
        slot = piece.slot;
        result = its;
        return true;
      }
    }
    return false;
  }

  @Override
  public int slot() {
    return isFromHere ? here.slot() : slot;
  }

  @Override
  public int result() {
    return isFromHere ? here.result() : result;
  }

  @Override
  public void awaitOne() {
    if (current.isEmpty() && cancelled.isEmpty()) {
      here.awaitOne();
      return;
    }
    here.submit();
    boolean interrupted = Thread.interrupted();
    while (!hasWork()) {
      here.announce(true);
      if (!hasWork()) {
        here.park(LOOK_NANOS);
      }
      here.announce(false);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean hasWork() {
    return here.hasWork() || !finished.isEmpty() || !cancelled.isEmpty();
  }

  @Override
  public void announce(boolean waits) {
    if (!waits) {
      waker = null;
    }
    here.announce(waits);
  }

  @Override
  public void runOnce(Runnable next) {
    var once = new AtomicReference<@Nullable Runnable>(next);
    waker = once;
    here.runOnce(() -> run(once));
    if (!finished.isEmpty()) {
      run(once);
    }
  }

  @Override
  public void park(long nanos) {
    if (!hasWork()) {
      here.park(nanos);
    }
  }

  @Override
  public void wake() {
    here.wake();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
    } finally {
      lock.unlock();
    }
    here.close();
    for (Piece piece = finished.poll(); piece != null; piece = finished.poll()) {
      int _ = piece.take(false);
    }
  }
}
