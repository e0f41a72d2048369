package dev.tigris.os.disk;

import dev.tigris.os.IoUring;
import dev.tigris.os.PollSet;
import dev.tigris.os.Signal;
import dev.tigris.os.SystemException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// io_uring: one ring of the queue's thread, registered files, and buffers in registered memory.
///
/// A thread that waits for another source cannot be woken by the ring itself. A thread of its own,
/// started when that is first asked for, then waits for the ring's signal and runs the waker.
final class UringEngine implements Engine {
  private static final int PLACES = 256;

  /// The user data of a cancellation; those of pieces are their slots.
  private static final long CANCELLATION = -1;

  private final IoUring ring = new IoUring(IoUring.Polling.NONE, null);
  private final Signal signal;
  private final PollSet set;
  private final boolean hasPlaces;
  private final BitSet taken = new BitSet();
  private MemorySegment registered = MemorySegment.NULL;
  private @Nullable Watcher watcher;

  UringEngine() throws SystemException {
    boolean made = false;
    Signal raised = null;
    PollSet files = null;
    try {
      raised = new Signal();
      ring.signalTo(raised);
      files = new PollSet();
      files.add(raised.file());
      hasPlaces = ring.registerFiles(PLACES);
      made = true;
    } finally {
      if (!made) {
        close(raised, files);
      }
    }
    signal = raised;
    set = files;
  }

  private void close(@Nullable Signal raised, @Nullable PollSet files) {
    ring.close();
    if (raised != null) {
      raised.close();
    }
    if (files != null) {
      files.close();
    }
  }

  @Override
  public String name() {
    return "io_uring (" + ring.mode() + ")";
  }

  @Override
  public int register(int descriptor) {
    int place = taken.nextClearBit(0);
    if (!hasPlaces || place >= PLACES || !ring.registerFile(place, descriptor)) {
      return -1;
    }
    taken.set(place);
    return place;
  }

  @Override
  public void unregister(int place) {
    if (place >= 0) {
      boolean _ = ring.registerFile(place, -1);
      taken.clear(place);
    }
  }

  @Override
  public boolean registerMemory(MemorySegment memory) {
    if (registered.byteSize() == 0 && ring.registerMemory(memory)) {
      registered = memory;
      return true;
    }
    return false;
  }

  private boolean isRegistered(MemorySegment part) {
    long offset = part.address() - registered.address();
    return offset >= 0 && offset <= registered.byteSize() - part.byteSize();
  }

  @Override
  public void begin(
      int slot,
      DiskOperation.Kind kind,
      int descriptor,
      int place,
      long position,
      MemorySegment part) {
    boolean isPlaced = place >= 0;
    int file = isPlaced ? place : descriptor;
    switch (kind) {
      case READ -> ring.read(slot, file, isPlaced, position, part, isRegistered(part));
      case WRITE -> ring.write(slot, file, isPlaced, position, part, isRegistered(part));
      case SYNC -> ring.sync(slot, file, isPlaced);
    }
  }

  @Override
  public void cancel(int slot) {
    ring.cancel(CANCELLATION, slot);
  }

  @Override
  public void submit() {
    ring.submit();
  }

  @Override
  public boolean next() {
    if (nextPiece()) {
      return true;
    }
    if (ring.hasDeferredWork()) {
      ring.collect();
      return nextPiece();
    }
    return false;
  }

  /// Takes the next completion that is no cancellation's own.
  private boolean nextPiece() {
    boolean found = ring.next();
    while (found && ring.userData() == CANCELLATION) {
      found = ring.next();
    }
    return found;
  }

  @Override
  public int slot() {
    return (int) ring.userData();
  }

  @Override
  public int result() {
    return ring.result();
  }

  @Override
  public void awaitOne() {
    ring.submitAndWait();
  }

  @Override
  public boolean hasWork() {
    return ring.hasWork();
  }

  @Override
  public void announce(boolean waits) {
    ring.wantSignal(waits);
  }

  @Override
  public void park(long nanos) {
    set.await(nanos, ring::hasWork);
    if (set.isReady(0)) {
      signal.lower();
    }
  }

  @Override
  public void wake() {
    set.wake();
  }

  @Override
  public void runOnce(Runnable waker) {
    try {
      Watcher own = watcher;
      if (own == null) {
        own = new Watcher();
        watcher = own;
      }
      own.arm(waker);
    } catch (SystemException e) { // no descriptor is left: the wait looks again at once
      waker.run();
    }
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.end();
    }
    close(signal, set);
  }

  /// Waits for the signal in the place of the queue's thread, which waits for another source.
  private final class Watcher {
    private final AtomicReference<@Nullable Runnable> waker = new AtomicReference<>();
    private final PollSet own = new PollSet();
    private volatile boolean ended;
    private final Thread thread =
        Thread.ofPlatform().daemon().name("tigris-disk-signal").unstarted(this::watch);

    Watcher() throws SystemException {
      own.add(signal.file());
      thread.start();
    }

    void arm(Runnable next) {
      waker.set(next);
      LockSupport.unpark(thread);
    }

    private void watch() {
      while (!ended) {
        if (waker.get() == null) {
          LockSupport.park(this);
        } else {
          own.await(Long.MAX_VALUE, ring::hasWork);
          if (own.isReady(0)) {
            signal.lower();
            set.wake(); // the queue's thread may have begun to park here meanwhile
          }
          // Early, it costs one look.
          Runnable next = waker.getAndSet(null);
          if (next != null && !ended) {
            next.run();
          }
        }
      }
    }

    /// Ends the thread before the ring is unmapped.
    void end() {
      ended = true;
      LockSupport.unpark(thread);
      own.wake();
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
      own.close();
    }
  }
}
