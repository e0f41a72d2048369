package dev.tigris.verify.model;

import java.util.PriorityQueue;

/// Time that passes only from one event to the next. Events of one time happen in the order in
/// which
/// they were added, so that a run can be repeated.
public final class VirtualTime {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos;
  private long added;
  private long happened;

  private record Event(long atNanos, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /// Returns the time since the beginning.
  public long nowNanos() {
    return nowNanos;
  }

  /// Returns how many events have happened.
  public long happened() {
    return happened;
  }

  /// Lets something happen after a while.
  public void after(long nanos, Runnable action) {
    if (nanos < 0) {
      throw new IllegalArgumentException("an event lies %d ns in the past".formatted(-nanos));
    }
    events.add(new Event(nowNanos + nanos, added++, action));
  }

  /// Lets the next event happen; returns false if there is none.
  public boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    nowNanos = next.atNanos;
    happened++;
    next.action.run();
    return true;
  }
}
