package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Copies of the waters that are put on a reservoir, for a reader beside the flow. It is no
/// receiver: no water goes to it, and no policy sees it.
///
/// Each sender has a ring for the reader. A water that is put is copied into the next slot if one
/// is free, and the reader has granted a copy. Else it is left out:
///
/// ```
///   put = copied + left out          copied <= granted
///   copied - taken <= window
/// ```
///
/// A tap that *blocks* leaves nothing out: its senders wait for the reader, as they do for credit.
/// Closing a tap ends that wait. In its `init` a module cannot wait, and leaves out what it puts
/// beyond the window.
///
/// Copies of one sender come in the order in which it has put the waters.
///
/// Thread rule: one thread reads and grants; [#close] and [#isOver] are for any.
public final class Tap implements AutoCloseable {
  /// The most that one slot takes, so that a window of them fits a heap.
  private static final int MOST_BYTES = 64 << 20;

  private static final int MOST_WINDOW = 1 << 16;

  /// A reader looks so often, and lets others run meanwhile, before it parks: a sender that had to
  /// wake it for each water would spend most of its time with that.
  private static final int LOOKS = 32;

  /// The part of a water that is copied, and the time at which it is.
  ///
  /// @param mostBytes how many bytes of a water are copied at most: its first ones
  /// @param window how many copies of one sender wait for the reader
  /// @param blocks whether a sender waits where it would leave a water out
  /// @param isGranted whether only those are copied that the reader has granted ([Tap#grant])
  /// @param part of the senders: those whose number is `part`, modulo `parts`
  /// @param parts how many taps have a part of the senders each; 1 for all senders
  public record Terms(
      int mostBytes, int window, boolean blocks, boolean isGranted, int part, int parts) {
    /// Makes the terms of a tap of all senders.
    public Terms(int mostBytes, int window, boolean blocks, boolean isGranted) {
      this(mostBytes, window, blocks, isGranted, 0, 1);
    }

    /// Checks the numbers.
    public Terms {
      if (mostBytes < 0 || mostBytes > MOST_BYTES) {
        throw new IllegalArgumentException(
            "%d bytes: a tap copies 0 to %d of a water".formatted(mostBytes, MOST_BYTES));
      }
      if (window < 1 || window > MOST_WINDOW) {
        throw new IllegalArgumentException(
            "a window of %d: a tap has 1 to %d".formatted(window, MOST_WINDOW));
      }
      if (blocks && isGranted) {
        throw new IllegalArgumentException(
            "a tap that blocks copies all: it cannot have copies granted");
      }
      if (part < 0 || part >= parts) {
        throw new IllegalArgumentException(
            "part %d of %d: parts are numbered from 0".formatted(part, parts));
      }
    }
  }

  /// Takes copies.
  public interface Reader {
    /// Takes one.
    ///
    /// @param from the sender
    /// @param number how many waters that sender had put before since the tap was attached: numbers
    ///     that are missing were left out
    /// @param size how many bytes the water had
    /// @param bytes begins with the copied bytes; belongs to the reader until it returns
    /// @param length how many were copied
    void take(End from, long number, int size, byte[] bytes, int length) throws IOException;
  }

  private final String reservoir;
  private final Terms terms;
  private final List<TapEnd> ends = new CopyOnWriteArrayList<>();

  /// The reader's: of senders that are gone.
  private long copiedBefore;

  private long leftOutBefore;
  private volatile boolean isClosed;
  private volatile boolean isFlowOver;
  private volatile boolean isFlowComplete;
  private volatile @Nullable Thread waiting;

  /// @param reservoir the name of a reservoir or a drain
  public Tap(String reservoir, Terms terms) {
    this.reservoir = reservoir;
    this.terms = terms;
  }

  /// Returns the name of the reservoir.
  public String reservoir() {
    return reservoir;
  }

  Terms terms() {
    return terms;
  }

  /// Returns whether it copies what a sender puts, if that puts on the reservoir.
  boolean isOf(End sender) {
    return sender.index() % terms.parts() == terms.part();
  }

  // -- The reader.

  /// Takes the copies that are there.
  ///
  /// @return how many there were
  /// @throws IOException as the reader does: it has taken those before
  public int read(Reader reader) throws IOException {
    int count = 0;
    List<TapEnd> gone = new ArrayList<>();
    for (TapEnd each : ends) {
      boolean isLast = each.hasEnded(); // before it is read
      count += each.read(reader);
      if (isLast && each.isEmpty()) {
        copiedBefore += each.copied();
        leftOutBefore += each.leftOut();
        gone.add(each);
      }
    }
    boolean _ = ends.removeAll(gone);
    return count;
  }

  /// Lets each sender copy so many waters more, of those that it puts from now on.
  public void grant(int copies) {
    ends.forEach(each -> each.grant(copies));
  }

  /// Waits until there are copies, the flow is over, or the time is.
  ///
  /// @throws InterruptedException if the thread is interrupted
  @SuppressWarnings("ThreadPriorityCheck") // to let a sender run that shares the processor
  public void await(Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    for (int look = 0; look < LOOKS && !isReady(); look++) {
      Thread.yield();
    }
    waiting = Thread.currentThread(); // a volatile store, partner of the fence in wake()
    try {
      for (long left = end - System.nanoTime();
          left > 0 && !isReady();
          left = end - System.nanoTime()) {
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          throw new InterruptedException("while it waits for copies of " + reservoir);
        }
      }
    } finally {
      waiting = null;
    }
  }

  private boolean isReady() {
    return isClosed || isFlowOver || ends.stream().anyMatch(each -> !each.isEmpty());
  }

  /// Returns whether the flow is over or the tap closed, and all copies were taken.
  public boolean isOver() {
    return isClosed || (isFlowOver && ends.stream().allMatch(TapEnd::isEmpty));
  }

  /// Returns whether the flow has come to a good end.
  public boolean isComplete() {
    return isFlowComplete;
  }

  /// Returns how many waters were copied. Only the reader calls this.
  public long copied() {
    return copiedBefore + ends.stream().mapToLong(TapEnd::copied).sum();
  }

  /// Returns how many waters were left out, as far as is known. Only the reader calls this.
  public long leftOut() {
    return leftOutBefore + ends.stream().mapToLong(TapEnd::leftOut).sum();
  }

  /// Detaches the tap. Senders that wait for its reader go on.
  @Override
  public void close() {
    isClosed = true;
    ends.forEach(TapEnd::wake);
    wake();
  }

  // -- The flow.

  boolean isClosed() {
    return isClosed;
  }

  /// Makes the end of a sender, on its thread.
  TapEnd end(End from, Parker parker) {
    TapEnd made = new TapEnd(this, from, parker);
    ends.add(made);
    return made;
  }

  /// The flow is over: nothing more is put.
  void over(boolean isComplete) {
    isFlowComplete = isComplete;
    isFlowOver = true;
    wake();
  }

  /// Wakes the reader. What it is to see was made visible before.
  void wake() {
    VarHandle.fullFence(); // partner of the store to `waiting`
    Thread reader = waiting;
    if (reader != null) {
      LockSupport.unpark(reader);
    }
  }
}
