package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.io.IOException;

/// The ring between one sender and the reader of a [Tap]. The sender writes a slot, and advances
/// `copied`; the reader reads the slot, and advances `taken`. Each has release and acquire, as
/// [MemoryStream] explains of its own counts.
///
/// ```
///   0 <= copied - taken <= window        copied <= granted
/// ```
///
/// Thread rule: [#pass], [#end] are the sender's; [#read], [#grant] the reader's; the rest for any.
final class TapEnd implements Parker.Condition {
  private final Tap tap;
  private final End from;
  private final Parker parker;
  private final byte[][] bytes;
  private final int[] sizes;
  private final long[] numbers;
  private final SharedCount copies = new SharedCount();
  private final SharedCount takes = new SharedCount();
  private final SharedCount grants = new SharedCount();

  // The sender's; others read them late.
  private long put;
  private long copied;
  private long takenSeen;
  private long grantedSeen;

  // The reader's.
  private long taken;
  private long granted;

  private volatile boolean hasEnded;

  TapEnd(Tap tap, End from, Parker parker) {
    this.tap = tap;
    this.from = from;
    this.parker = parker;
    int window = tap.terms().window();
    this.bytes = new byte[window][];
    this.sizes = new int[window];
    this.numbers = new long[window];
    this.grantedSeen = tap.terms().isGranted() ? 0 : Long.MAX_VALUE;
    grants.advanceTo(grantedSeen);
  }

  // -- The sender.

  boolean isClosed() {
    return tap.isClosed();
  }

  /// Copies a water that is about to be put, unless there is no room or no grant for it.
  void pass(Water water) {
    long number = put++;
    if (!hasRoom()) {
      if (!tap.terms().blocks() || parker.isWaitRefused()) {
        return;
      }
      parker.await(Parker.CREDIT, this);
      if (tap.isClosed()) {
        return;
      }
    }
    int slot = (int) (copied % bytes.length);
    int length = Math.min(water.size(), tap.terms().mostBytes());
    byte[] room = bytes[slot];
    if (room == null || room.length < length) {
      room = new byte[length];
      bytes[slot] = room;
    }
    water.data().copyTo(0, room, 0, length);
    sizes[slot] = water.size();
    numbers[slot] = number;
    copied++;
    copies.advanceTo(copied);
    tap.wake();
  }

  private boolean hasRoom() {
    if (copied - takenSeen >= bytes.length) {
      takenSeen = takes.get();
    }
    if (copied >= grantedSeen) {
      grantedSeen = grants.get();
    }
    return copied - takenSeen < bytes.length && copied < grantedSeen;
  }

  @Override
  public boolean isMet() {
    return hasRoom() || tap.isClosed();
  }

  @Override
  public String description() {
    return "the reader of a tap of " + tap.reservoir();
  }

  /// The sender puts nothing more.
  void end() {
    hasEnded = true;
    tap.wake();
  }

  // -- The reader.

  /// Takes what is there.
  int read(Tap.Reader reader) throws IOException {
    long there = copies.get();
    long before = taken;
    while (taken < there) {
      int slot = (int) (taken % bytes.length);
      byte[] room = bytes[slot];
      int length = Math.min(sizes[slot], tap.terms().mostBytes());
      reader.take(from, numbers[slot], sizes[slot], room, length);
      taken++;
      takes.advanceTo(taken);
    }
    if (taken != before) {
      wake();
    }
    return (int) (taken - before);
  }

  void grant(int more) {
    granted = Math.max(granted, copies.get()) + more; // what was not used before is not made up for
    grants.advanceTo(granted);
  }

  // -- Both.

  /// Wakes the sender if it waits for room.
  void wake() {
    parker.wake(Parker.CREDIT);
  }

  boolean hasEnded() {
    return hasEnded;
  }

  /// Returns whether all copies were taken. Only for the reader, or for a guess.
  boolean isEmpty() {
    return taken >= copies.get();
  }

  long copied() {
    return copies.get();
  }

  /// Returns how many waters were left out, as far as is known.
  long leftOut() {
    return Math.max(0, put - copies.get());
  }

  /// Checks what must always hold, when no thread uses it.
  void checkInvariants() {
    if (taken > copied || copied - taken > bytes.length || copied > put) {
      throw new IllegalStateException("put %d, copied %d, taken %d".formatted(put, copied, taken));
    }
    if (copied > grants.get()) {
      throw new IllegalStateException("copied %d, granted %d".formatted(copied, grants.get()));
    }
  }
}
