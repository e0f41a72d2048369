package dev.tigris.net.uring;

import java.util.Arrays;

/// A first-in, first-out queue of numbers, which allocates nothing once it is large enough.
final class Numbers {
  private int[] slots = new int[4];
  private int head;
  private int tail;

  boolean isEmpty() {
    return head == tail;
  }

  int size() {
    return tail - head;
  }

  void add(int number) {
    if (size() == slots.length) {
      int[] larger = Arrays.copyOf(slots, 2 * slots.length);
      for (int i = 0; i < slots.length; i++) {
        larger[i] = slots[(head + i) & (slots.length - 1)];
      }
      tail = slots.length;
      head = 0;
      slots = larger;
    }
    slots[tail++ & (slots.length - 1)] = number;
  }

  /// The first one; there is one.
  int first() {
    if (isEmpty()) {
      throw new IllegalStateException("there is none");
    }
    return slots[head & (slots.length - 1)];
  }

  /// Takes the first one out; there is one.
  int remove() {
    int first = first();
    head++;
    return first;
  }
}
