package dev.tigris.bench.memory;

import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/// Loops over typed views against the same loops over Java arrays; an operation is one element.
///
/// 64 KiB, so that caches and not memory are measured. Filling is a loop of stores like any other
/// here, and not the bulk method.
public final class ViewSuite implements Suite {
  static final List<String> FIGURES =
      List.of(
          "memory.view.sum.int",
          "memory.view.sum.long",
          "memory.view.fill.int",
          "memory.view.fill.long");
  private static final int BYTES = 64 * 1024;

  private final int[] intArray = new int[BYTES / Integer.BYTES];
  private final long[] longArray = new long[BYTES / Long.BYTES];
  private final Ints ints = Jbuf.allocate(BYTES).asInts();
  private final Longs longs = Jbuf.allocate(BYTES).asLongs();
  private long intSum;
  private long longSum;

  /// Makes a suite; the measuring process calls this.
  public ViewSuite() {
    for (int i = 0; i < intArray.length; i++) {
      intArray[i] = i * 0x9e3779b9;
      ints.set(i, intArray[i]);
      intSum += intArray[i];
    }
    for (int i = 0; i < longArray.length; i++) {
      longArray[i] = i * 0x9e3779b97f4a7c15L;
      longs.set(i, longArray[i]);
      longSum += longArray[i];
    }
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Ints filledInts = Jbuf.allocate(BYTES).asInts();
    int[] filledIntArray = new int[intArray.length];
    Longs filledLongs = Jbuf.allocate(BYTES).asLongs();
    long[] filledLongArray = new long[longArray.length];
    return List.of(
        Contest.timed(
            FIGURES.get(0),
            "array",
            intArray.length,
            sums("sum of Ints", () -> sum(ints), intSum),
            sums("sum of an int[]", () -> sum(intArray), intSum)),
        Contest.timed(
            FIGURES.get(1),
            "array",
            longArray.length,
            sums("sum of Longs", () -> sum(longs), longSum),
            sums("sum of a long[]", () -> sum(longArray), longSum)),
        Contest.timed(
            FIGURES.get(2),
            "array",
            intArray.length,
            fills("Ints", value -> fill(filledInts, value), filledInts::get),
            fills("an int[]", value -> fill(filledIntArray, value), i -> filledIntArray[(int) i])),
        Contest.timed(
            FIGURES.get(3),
            "array",
            longArray.length,
            fills("Longs", value -> fill(filledLongs, value), filledLongs::get),
            fills(
                "a long[]", value -> fill(filledLongArray, value), i -> filledLongArray[(int) i])));
  }

  /// One pass is a call through an interface, which is nothing beside its hundreds of elements.
  static Trial sums(String what, LongSupplier pass, long expected) {
    return Trial.of(
        what,
        count -> {
          long total = 0;
          for (int i = 0; i < count; i++) {
            total += pass.getAsLong();
          }
          return total;
        },
        count -> expected * count);
  }

  /// Each pass writes its number everywhere.
  private static Trial fills(String what, IntConsumer pass, LongUnaryOperator read) {
    return Trial.of(
        what + " filled",
        count -> {
          for (int i = 0; i < count; i++) {
            pass.accept(i);
          }
          return read.applyAsLong(0) + read.applyAsLong(BYTES / Long.BYTES - 1);
        },
        count -> 2L * (count - 1));
  }

  private static long sum(Ints view) {
    long sum = 0;
    for (long i = 0; i < view.length(); i++) {
      sum += view.get(i);
    }
    return sum;
  }

  private static long sum(int[] array) {
    long sum = 0;
    for (int i = 0; i < array.length; i++) {
      sum += array[i];
    }
    return sum;
  }

  private static long sum(Longs view) {
    long sum = 0;
    for (long i = 0; i < view.length(); i++) {
      sum += view.get(i);
    }
    return sum;
  }

  private static long sum(long[] array) {
    long sum = 0;
    for (int i = 0; i < array.length; i++) {
      sum += array[i];
    }
    return sum;
  }

  private static void fill(Ints view, int value) {
    for (long i = 0; i < view.length(); i++) {
      view.set(i, value);
    }
  }

  private static void fill(int[] array, int value) {
    for (int i = 0; i < array.length; i++) {
      array[i] = value;
    }
  }

  private static void fill(Longs view, long value) {
    for (long i = 0; i < view.length(); i++) {
      view.set(i, value);
    }
  }

  private static void fill(long[] array, long value) {
    for (int i = 0; i < array.length; i++) {
      array[i] = value;
    }
  }
}
