package dev.tigris.message.call;

import dev.tigris.memory.View;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/// The memory of the calls of a client or a server. Buffers are used again: their sizes are powers
/// of two.
///
/// ```text
///   free <--give-- held by a call --handOut--> the program's --release--> free
///     '----take------^    ^----claim--------------'    '-- the collector: freed
/// ```
///
/// Conserved: taken = given + held + the program's + collected.
///
/// Thread rule: any thread.
final class CallBuffers {
  private static final int LEAST_SHIFT = 10;
  private static final int MOST_SHIFT = 20;

  /// So many bytes of each size are kept.
  private static final long KEPT_BYTES = 4 << 20;

  private final String owner;
  private final List<ArrayDeque<CallBuffer>> free = new ArrayList<>();

  /// The containers and views that the program has, or has had: true as long as it has them.
  private final Map<View, Boolean> handedOut = new WeakHashMap<>();

  private int held;
  private boolean isClosed;

  CallBuffers(String owner) {
    this.owner = owner;
    for (int shift = LEAST_SHIFT; shift <= MOST_SHIFT; shift++) {
      free.add(new ArrayDeque<>());
    }
  }

  private static int index(long bytes) {
    int shift = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1);
    return Math.max(LEAST_SHIFT, shift) - LEAST_SHIFT;
  }

  /// Takes a buffer with room for so many bytes, whose container is empty.
  ///
  /// @throws dev.tigris.memory.MemoryBudgetException if the process has no memory left
  CallBuffer take(long bytes) {
    int index = index(bytes);
    synchronized (this) {
      CallBuffer known = index < free.size() ? free.get(index).poll() : null;
      if (known != null) {
        held++;
        known.holders = 1;
        return known;
      }
    }
    boolean isKept = index < free.size();
    CallBuffer made =
        CallBuffer.allocate(isKept ? 1L << (index + LEAST_SHIFT) : (bytes + 7) & -8, owner);
    made.holders = 1;
    synchronized (this) {
      held++;
    }
    return made;
  }

  /// One more needs it.
  synchronized void hold(CallBuffer buffer) {
    buffer.holders++;
  }

  /// One needs it no longer; the last one gives it back.
  void give(@Nullable CallBuffer buffer) {
    if (buffer == null) {
      return;
    }
    synchronized (this) {
      if (--buffer.holders > 0) {
        return;
      }
      if (buffer.holders < 0) {
        throw new IllegalStateException("a buffer was given back twice");
      }
      held--;
    }
    keep(buffer);
  }

  /// The only one that needs it leaves it to the collector: it is freed when nothing refers to it.
  void leave(CallBuffer buffer) {
    synchronized (this) {
      if (--buffer.holders != 0) {
        throw new IllegalStateException("a buffer that others need is left");
      }
      held--;
    }
    buffer.free();
  }

  private void keep(CallBuffer buffer) {
    CallBuffer empty = buffer.afresh();
    int index = index(empty.capacityBytes());
    synchronized (this) {
      if (!isClosed
          && index < free.size()
          && (free.get(index).size() + 1) * empty.capacityBytes() <= KEPT_BYTES) {
        free.get(index).push(empty);
        return;
      }
    }
    empty.free();
  }

  /// The program has it from now on: until it releases it, or nothing refers to it any more.
  ///
  /// @param as its container, or a view of its bytes
  synchronized void handOut(CallBuffer buffer, View as) {
    if (buffer.holders != 1) {
      throw new IllegalStateException("a buffer with %d holders".formatted(buffer.holders));
    }
    held--;
    handedOut.put(as, true);
  }

  /// Takes a container or a view from the program, for a call.
  ///
  /// @return null if the program has it from elsewhere
  ///
  /// @throws IllegalStateException if the program has it no longer
  @Nullable CallBuffer claim(View view) {
    synchronized (this) {
      Boolean known = handedOut.get(view);
      if (known == null) {
        return null;
      }
      if (!known) {
        throw new IllegalStateException(
            "it was given to a call, or released: make arguments in a new container each time");
      }
      handedOut.put(view, false);
      held++;
    }
    CallBuffer buffer = CallBuffer.of(view);
    buffer.holders = 1;
    return buffer;
  }

  /// Returns how many buffers calls and the program have.
  synchronized int out() {
    return held + handedOutCount();
  }

  private int handedOutCount() {
    int count = 0;
    for (boolean isOut : handedOut.values()) {
      count += isOut ? 1 : 0;
    }
    return count;
  }

  /// Frees what is free, and what is given back from now on.
  void close() {
    List<CallBuffer> all = new ArrayList<>();
    synchronized (this) {
      isClosed = true;
      free.forEach(
          some -> {
            all.addAll(some);
            some.clear();
          });
    }
    all.forEach(CallBuffer::free);
  }
}
