package dev.tigris.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A group of counters that one thread writes and any may read. They cost the writer a plain load
/// and store each; readers see every one whole and reasonably new, but not two in order.
///
/// The group lies between two pairs of unused cache lines, so that counting disturbs no other
/// thread (processors fetch lines in pairs):
///
/// ```
/// longs   0-15 unused | 16 ... 16 + size - 1 the counters | 16 more, unused
/// ```
final class Counters {
  private static final int APART = 16;
  private static final VarHandle COUNTER = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] values;

  Counters(int size) {
    values = new long[size + 2 * APART];
  }

  /// Adds to a counter. Only the writing thread calls this.
  void add(int counter, long amount) {
    int index = counter + APART;
    COUNTER.setOpaque(values, index, values[index] + amount);
  }

  /// Sets a counter. Only the writing thread calls this.
  void set(int counter, long value) {
    COUNTER.setOpaque(values, counter + APART, value);
  }

  /// Returns a counter's value. Any thread may call this.
  long get(int counter) {
    return (long) COUNTER.getOpaque(values, counter + APART);
  }
}
