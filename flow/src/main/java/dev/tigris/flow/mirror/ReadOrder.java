package dev.tigris.flow.mirror;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Which read a disk does next, of those that several processes ask it for: graduated declustering
/// between processes that share a disk.
///
/// Each read says the progress of its reader. A disk serves the reader that is furthest behind.
/// That holds among the readers of one *reading*, such as a run, whose progress can be compared.
/// Readings are served in turn.
///
/// ```
///   reading 7     0.31  0.40  0.42     ---.
///   reading 9     0.02                 ---+--- in turn ---> the disk
/// ```
///
/// A reader that is ahead waits here until those behind it have caught up or have ended. They ask
/// for a bounded number of reads each, so that ends.
///
/// It has no clock, threads or I/O, so the same class runs at disks and in the simulator.
///
/// Thread rule: one thread at a time.
///
/// @param <T> a read
public final class ReadOrder<T> {
  private record Waiting<T>(double progress, long number, T read) {}

  private static final class Reading<T> {
    final long name;
    final PriorityQueue<Waiting<T>> waiting =
        new PriorityQueue<>(
            Comparator.<Waiting<T>>comparingDouble(Waiting::progress)
                .thenComparingLong(Waiting::number));

    Reading(long name) {
      this.name = name;
    }
  }

  /// Those that have reads, in their turn.
  private final Deque<Reading<T>> readings = new ArrayDeque<>();

  private long number;

  /// Makes one without reads.
  public ReadOrder() {}

  /// Adds a read.
  ///
  /// @param reading the number of the reading that it is for
  /// @param progress of its reader
  public void add(long reading, double progress, T read) {
    Reading<T> its = null;
    for (Reading<T> each : readings) {
      its = each.name == reading ? each : its;
    }
    if (its == null) {
      its = new Reading<>(reading);
      readings.add(its);
    }
    boolean _ = its.waiting.add(new Waiting<>(progress, number++, read));
  }

  /// Takes the next read; null if there is none.
  public @Nullable T next() {
    Reading<T> first = readings.poll();
    if (first == null) {
      return null;
    }
    Waiting<T> next = first.waiting.remove();
    if (!first.waiting.isEmpty()) {
      readings.add(first);
    }
    return next.read;
  }

  /// Takes a read out. Returns whether it was there.
  public boolean remove(T read) {
    for (Reading<T> each : readings) {
      if (each.waiting.removeIf(waiting -> waiting.read.equals(read))) {
        boolean _ = each.waiting.isEmpty() && readings.remove(each);
        return true;
      }
    }
    return false;
  }
}
