package org.example.local;

import dev.tigris.net.DataType;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The messages that are on their way to one side, each in a slot that is used again.
final class Pipe {
  private static final int SLOTS = 64;
  private static final long MOST_BYTES = 1 << 20;

  private final LocalPort receiver;
  private final Slot[] slots = new Slot[SLOTS];
  private int taken;
  private int put;
  private long bytes;
  private boolean wanted;
  private @Nullable String end;

  static final class Slot {
    MemorySegment memory = MemorySegment.ofArray(new byte[64]);
    int length;
    int tag;
    DataType type = DataType.BYTES;
  }

  Pipe(LocalPort receiver) {
    this.receiver = receiver;
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Slot();
    }
  }

  /// Copies a message, if there is room for it.
  synchronized boolean offer(Transfer message) {
    boolean fits = bytes + message.bytes() <= MOST_BYTES || (bytes == 0 && wanted);
    if (end != null || put - taken == SLOTS || !fits) {
      return false;
    }
    Slot slot = slots[put % SLOTS];
    slot.length = Math.toIntExact(message.bytes());
    if (slot.memory.byteSize() < slot.length) {
      slot.memory = MemorySegment.ofArray(new byte[slot.length]);
    }
    message.copyTo(slot.memory, 0, 0, slot.length);
    slot.tag = message.tag();
    slot.type = message.type();
    bytes += slot.length;
    put++;
    return true;
  }

  /// The first message; null if there is none.
  synchronized @Nullable Slot peek() {
    return put == taken ? null : slots[taken % SLOTS];
  }

  /// Says whether a receive is posted, for which a long message leaves its sender; returns whether
  /// that is new.
  synchronized boolean want(boolean now) {
    boolean isNew = now && !wanted;
    wanted = now;
    return isNew;
  }

  synchronized void remove() {
    bytes -= slots[taken % SLOTS].length;
    taken++;
  }

  /// Nothing follows.
  ///
  /// @param why what has broken the connection; empty if it ends in order
  void end(String why) {
    synchronized (this) {
      if (end == null) {
        end = why;
      }
    }
    receiver.say();
  }

  synchronized @Nullable String end() {
    return end;
  }

  /// Has the receiver look.
  void say() {
    receiver.say();
  }
}
