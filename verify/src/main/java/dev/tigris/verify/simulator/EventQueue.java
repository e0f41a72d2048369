package dev.tigris.verify.simulator;

import java.util.Arrays;

/// Events in the order of their times, and of their being added where times are equal: a binary
/// heap of numbers, because a simulation adds millions of them. An event is its time and a number
/// that says what it is.
final class EventQueue {
  private long[] nanos = new long[1024];
  private long[] order = new long[1024];
  private long[] events = new long[1024];
  private int size;
  private long added;

  boolean isEmpty() {
    return size == 0;
  }

  void add(long atNanos, long event) {
    if (size == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * size);
      order = Arrays.copyOf(order, 2 * size);
      events = Arrays.copyOf(events, 2 * size);
    }
    long number = added++;
    int hole = size++;
    while (hole > 0) {
      int parent = (hole - 1) / 2;
      if (nanos[parent] < atNanos || (nanos[parent] == atNanos && order[parent] < number)) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    set(hole, atNanos, number, event);
  }

  /// The time of the first event.
  long firstNanos() {
    return nanos[0];
  }

  /// Takes the first event off.
  long poll() {
    long first = events[0];
    size--;
    if (size > 0) {
      sink(nanos[size], order[size], events[size]);
    }
    return first;
  }

  private void sink(long atNanos, long number, long event) {
    int hole = 0;
    for (int child = 1; child < size; child = 2 * hole + 1) {
      int right = child + 1;
      if (right < size && isBefore(right, child)) {
        child = right;
      }
      if (nanos[child] > atNanos || (nanos[child] == atNanos && order[child] > number)) {
        break;
      }
      move(child, hole);
      hole = child;
    }
    set(hole, atNanos, number, event);
  }

  private boolean isBefore(int one, int other) {
    return nanos[one] < nanos[other] || (nanos[one] == nanos[other] && order[one] < order[other]);
  }

  private void move(int from, int to) {
    set(to, nanos[from], order[from], events[from]);
  }

  private void set(int at, long atNanos, long number, long event) {
    nanos[at] = atNanos;
    order[at] = number;
    events[at] = event;
  }
}
