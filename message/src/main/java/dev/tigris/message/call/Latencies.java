package dev.tigris.message.call;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/// How long calls took: a histogram whose classes are six percent wide.
///
/// Immutable.
public final class Latencies {
  private static final int SUB_BITS = 4;
  private static final int CLASSES = (Long.SIZE - SUB_BITS) << SUB_BITS;

  private final long[] counts;
  private final long count;

  private Latencies(long[] counts) {
    this.counts = counts;
    this.count = Arrays.stream(counts).sum();
  }

  /// What counts. Noting a time makes no objects.
  ///
  /// Thread rule: any thread.
  static final class Counter {
    private final AtomicLongArray counts = new AtomicLongArray(CLASSES);

    void add(long nanos) {
      counts.getAndIncrement(index(nanos));
    }

    Latencies told() {
      long[] copy = new long[CLASSES];
      for (int i = 0; i < CLASSES; i++) {
        copy[i] = counts.getPlain(i);
      }
      return new Latencies(copy);
    }
  }

  /// The class of a time: up to 16 ns each number is one, from then on each power of two has 16.
  private static int index(long nanos) {
    long its = Math.max(0, nanos);
    int shift = Math.max(0, Long.SIZE - SUB_BITS - 1 - Long.numberOfLeadingZeros(its));
    return (shift << SUB_BITS) + (int) (its >>> shift);
  }

  /// The longest time of a class.
  private static long most(int index) {
    int shift = Math.max(0, (index >> SUB_BITS) - 1);
    long low = index - ((long) shift << SUB_BITS);
    return ((low + 1) << shift) - 1;
  }

  /// Returns how many calls were measured.
  public long count() {
    return count;
  }

  /// Returns the time within which a share of the calls was over, rounded up to the end of its
  /// class; 0 without calls.
  ///
  /// @param share 0.5 for the median, 1 for the longest
  /// @throws IllegalArgumentException if the share is not between 0 and 1
  public Duration within(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("the share is %s: it is from 0 to 1".formatted(share));
    }
    long left = Math.max(1, (long) Math.ceil(share * count));
    for (int i = 0; i < counts.length && count > 0; i++) {
      left -= counts[i];
      if (left <= 0) {
        return Duration.ofNanos(most(i));
      }
    }
    return Duration.ZERO;
  }

  @Override
  public String toString() {
    return "%d calls, half within %s, 99 %% within %s, all within %s"
        .formatted(count, within(0.5), within(0.99), within(1));
  }
}
