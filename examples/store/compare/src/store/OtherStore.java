package store;

import java.nio.file.Files;
import java.nio.file.Path;

/// A store to compare with, and its command line: load, check and lookups as in the store.
abstract class OtherStore implements AutoCloseable {
  abstract long size() throws Exception;

  abstract void add(Sample order) throws Exception;

  /// The cents of an order; -1 if there is none of this number.
  abstract int cents(long number) throws Exception;

  /// The number of all orders and their cents.
  abstract long[] sum() throws Exception;

  abstract void flush() throws Exception;

  final void run(Path file, String command, long count, long every) throws Exception {
    switch (command) {
      case "load" -> load(file, count, every);
      case "check" -> {
        long[] sum = sum();
        for (long i = 0; i < sum[0]; i++) {
          if (cents(Sample.numberOf(i)) < 0) {
            throw new IllegalStateException("order %d is not found".formatted(i));
          }
        }
        System.out.println(sum[0] + " orders, " + sum[1] + " cents");
      }
      case "lookups" -> lookups(count);
      default -> throw new IllegalArgumentException(command);
    }
  }

  private void load(Path file, long count, long every) throws Exception {
    long start = System.nanoTime();
    for (long i = size(); i < count; i++) {
      add(Sample.of(i));
      if ((i + 1) % every == 0) {
        flush();
      }
    }
    flush();
    System.out.printf(
        "loaded in %.1f s, %d MB%n",
        (System.nanoTime() - start) / 1e9, Files.size(file) / 1_000_000);
  }

  private void lookups(long count) throws Exception {
    long orders = size();
    for (int round = 0; round < 3; round++) {
      long start = System.nanoTime();
      long cents = 0;
      for (long i = 0; i < count; i++) {
        cents += cents(Sample.anyNumber(i, orders));
      }
      long nanos = System.nanoTime() - start;
      System.out.printf("%d ns a look-up (%d cents)%n", nanos / count, cents);
    }
  }
}
