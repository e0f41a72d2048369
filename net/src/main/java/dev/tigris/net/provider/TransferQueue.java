package dev.tigris.net.provider;

import org.jspecify.annotations.Nullable;

/// A first-in, first-out queue of transfers with a bound: the depth that was agreed on, which the
/// interface keeps to. It allocates nothing after it was made.
public final class TransferQueue {
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
  public int size() {
    return tail - head;
  }

  /// Whether there are none.
  public boolean isEmpty() {
    return head == tail;
  }

  /// Adds one at the end.
  @SuppressWarnings("ReferenceEquality") // a transfer is itself
  public void add(Transfer transfer) {
    if (tail - head > mask) {
      throw new IllegalStateException("more transfers than the depth of the queue");
    }
    int slot = tail++ & mask;
    if (slots[slot] != transfer) { // see Transfer
      slots[slot] = transfer;
    }
  }

  /// The first one, or null.
  public @Nullable Transfer peek() {
    return head == tail ? null : slots[head & mask];
  }

  /// The one at `index` places behind the first, or null.
  public @Nullable Transfer peek(int index) {
    return index >= tail - head ? null : slots[(head + index) & mask];
  }

  /// Takes the first one out, or returns null.
  public @Nullable Transfer poll() {
    if (head == tail) {
      return null;
    }
    return slots[head++ & mask]; // which stays there: it lives as long as the link anyway
  }
}
