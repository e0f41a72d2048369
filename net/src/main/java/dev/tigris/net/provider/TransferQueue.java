package dev.tigris.net.provider;

import dev.tigris.net.Status;
import org.jspecify.annotations.Nullable;

/// A first-in, first-out queue of transfers with a bound: the depth that was agreed on, which the
/// interface keeps to. It allocates nothing after it was made.
public abstract sealed class TransferQueue permits SendQueue, ReceiveQueue {
  private final @Nullable Transfer[] slots;
  private final int mask;
  private int head;
  private int tail;

  /// Makes one with room for `depth`.
  TransferQueue(int depth) {
    int capacity = Math.max(2, Integer.highestOneBit(depth - 1) << 1);
    this.slots = new @Nullable Transfer[capacity];
    this.mask = capacity - 1;
  }

  /// How many are in it.
  public final int size() {
    return tail - head;
  }

  /// Whether there are none.
  public final boolean isEmpty() {
    return head == tail;
  }

  /// Adds one at the end.
  @SuppressWarnings("ReferenceEquality") // a transfer is itself
  public final void add(Transfer transfer) {
    if (tail - head > mask) {
      throw new IllegalStateException("more transfers than the depth of the queue");
    }
    int slot = tail++ & mask;
    if (slots[slot] != transfer) { // see Transfer
      slots[slot] = transfer;
    }
  }

  /// The first one, or null.
  public final @Nullable Transfer peek() {
    return head == tail ? null : slots[head & mask];
  }

  /// The one at `index` places behind the first, or null.
  public final @Nullable Transfer peek(int index) {
    return index >= tail - head ? null : slots[(head + index) & mask];
  }

  /// Takes the first one out, or returns null.
  public final @Nullable Transfer poll() {
    if (head == tail) {
      return null;
    }
    return slots[head++ & mask]; // which stays there: it lives as long as the link anyway
  }

  /// Takes the first one out; there is one.
  final Transfer take() {
    Transfer first = poll();
    if (first == null) {
      throw new IllegalStateException("nothing is posted that could be complete");
    }
    return first;
  }

  /// Gives all of them back: the connection has ended first.
  final void flush() {
    for (Transfer next = poll(); next != null; next = poll()) {
      next.complete(Status.FLUSHED, 0);
    }
  }
}
