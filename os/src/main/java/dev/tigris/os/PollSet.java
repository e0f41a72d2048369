package dev.tigris.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;

/// Waits for any of a set of open files to have something to read, or to end, and for [#wake].
///
/// Thread rule: one thread at a time, except for [#wake]. Linux.
public final class PollSet implements AutoCloseable {
  private static final short POLLIN = 1;
  private static final short POLLOUT = 4;
  private static final int ENTRY_BYTES = 8;
  private static final int READY = 6;

  /// After how long a wait looks once more whether there is work: it takes far less until what one
  /// processor has written is seen by all.
  private static final long SECOND_LOOK_NANOS = 1_000_000;

  private final Signal signal;

  /// struct pollfd: descriptor, 4 bytes; events, 2; what is ready, 2. The first is the signal's.
  private MemorySegment entries = Arena.ofAuto().allocate(ENTRY_BYTES * 8L, ENTRY_BYTES);

  private int count;

  /// Kept from wait to wait, so that these allocate nothing, until it was needed.
  private Interruption interruption = new Interruption();

  /// Makes an empty one.
  public PollSet() throws SystemException {
    this.signal = new Signal();
    clear();
  }

  /// Takes all files out.
  public void clear() {
    count = 0;
    add(signal.file());
  }

  /// Adds a file, at the next index from 0 on. It is not looked at after it was closed.
  public void add(OpenFile file) {
    add(file.number(), POLLIN);
  }

  /// Adds a file by its descriptor: as [#add(OpenFile)]. A number that is no open file's ends every
  /// wait at once.
  public void add(int file) {
    add(file, POLLIN);
  }

  /// As [#add], a socket that is ready when there is room to send something, or when an attempt to
  /// connect is over.
  void addForSending(OpenFile file) {
    add(file.number(), POLLOUT);
  }

  private void add(int file, short wanted) {
    long at = (long) count * ENTRY_BYTES;
    if (at == entries.byteSize()) {
      MemorySegment larger = Arena.ofAuto().allocate(2 * at, ENTRY_BYTES);
      MemorySegment.copy(entries, 0, larger, 0, at);
      entries = larger;
    }
    entries.set(ValueLayout.JAVA_INT, at, file);
    entries.set(ValueLayout.JAVA_SHORT, at + Integer.BYTES, wanted);
    entries.set(ValueLayout.JAVA_SHORT, at + READY, (short) 0);
    count++;
  }

  /// Looks which files have something, without a wait.
  public void look() {
    poll(0);
  }

  /// Waits until a file has something, or [#wake] was called, or the thread is interrupted, or the
  /// time is over; may return early.
  public void await(long nanos) {
    boolean _ = awaitInVain(nanos);
  }

  /// Waits like [#await(long)], for a caller that has looked for work, perhaps too early to see
  /// what another processor had just written. Looks once more after a moment.
  public void await(long nanos, BooleanSupplier hasWork) {
    if (awaitInVain(Math.min(nanos, SECOND_LOOK_NANOS))
        && nanos > SECOND_LOOK_NANOS
        && !hasWork.getAsBoolean()) {
      await(nanos - SECOND_LOOK_NANOS);
    }
  }

  /// Waits like [#await(long)], and returns whether the wait ended because the time was over.
  public boolean awaitInVain(long nanos) {
    int millis = Math.clamp(Math.ceilDiv(nanos, 1_000_000L), 0, Integer.MAX_VALUE);
    if (!Thread.currentThread().isVirtual()) {
      if (!interruption.isOpen()) {
        interruption = new Interruption();
      }
      return interruption.poll(millis) == 0;
    }
    // A virtual thread would keep its carrier for as long as it waits.
    FutureTask<Integer> waiting = new FutureTask<>(() -> poll(millis));
    Thread.ofPlatform().daemon().name("tigris-net-poll").start(waiting);
    boolean interrupted = false;
    while (!ended(waiting)) {
      interrupted = true;
      wake();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return waiting.resultNow() == 0;
  }

  /// Waits for it; returns false if this thread was interrupted.
  private static boolean ended(FutureTask<Integer> waiting) {
    try {
      waiting.get();
      return true;
    } catch (InterruptedException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private int poll(int millis) {
    int ready = Calls.poll(entries, count, millis);
    if (ready > 0 && isReady(entries, 0)) {
      signal.lower();
    } else if (ready <= 0) { // nothing, or a Unix signal: the kernel has written nothing then
      for (int i = 0; i < count; i++) {
        entries.set(ValueLayout.JAVA_SHORT, (long) i * ENTRY_BYTES + READY, (short) 0);
      }
    }
    return ready;
  }

  /// Returns whether the file at this index had something, or had ended, at the last look.
  public boolean isReady(int index) {
    return isReady(entries, index + 1);
  }

  private static boolean isReady(MemorySegment entries, int entry) {
    return entries.get(ValueLayout.JAVA_SHORT, (long) entry * ENTRY_BYTES + READY) != 0;
  }

  /// Ends a wait, or the next one. Any thread, even after it was closed.
  public void wake() {
    signal.raise();
  }

  /// Closes the set, which no thread may wait on.
  @Override
  public void close() {
    signal.close();
  }

  /// A channel that is closed when its thread is interrupted: the way the JDK has of ending a wait
  /// that it does not know. Closing wakes.
  private final class Interruption extends AbstractInterruptibleChannel {
    int poll(int millis) {
      try {
        begin();
        return PollSet.this.poll(millis);
      } finally {
        try {
          end(true);
        } catch (IOException interrupted) {
          // the thread is interrupted still, which its callers look at
        }
      }
    }

    @Override
    protected void implCloseChannel() {
      wake();
    }
  }
}
