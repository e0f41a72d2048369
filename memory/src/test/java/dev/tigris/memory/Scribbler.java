package dev.tigris.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// Writes to the middle of a file until its input ends: whatever might be taken for a size, a
/// length or a reference. Sixteen words are damaged at any time, so that objects are still found.
final class Scribbler {
  private static final int DAMAGED = 16;

  private final LongBuffer words;
  private final long[] good;
  private final Random random;

  private Scribbler(LongBuffer words, long seed) {
    this.words = words;
    this.good = new long[words.capacity()];
    words.get(0, good);
    this.random = new Random(seed);
  }

  public static void main(String[] arguments) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            Path.of(arguments[0]), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long from = Long.parseLong(arguments[1]);
      ByteBuffer mapped =
          file.map(FileChannel.MapMode.READ_WRITE, from, Long.parseLong(arguments[2]));
      Scribbler scribbler =
          new Scribbler(
              mapped.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer(), Long.parseLong(arguments[3]));
      System.out.println("ready");
      int[] damaged = new int[DAMAGED];
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(10); // if nobody is there any more
      while (System.in.available() == 0 && System.nanoTime() < end) {
        for (int i = 0; i < 64 * DAMAGED; i++) {
          damaged[i % DAMAGED] = scribbler.scribble(damaged[i % DAMAGED]);
        }
      }
    }
  }

  private int scribble(int healed) {
    int at = random.nextInt(good.length);
    words.put(at, value());
    words.put(healed, good[healed]);
    int any = random.nextInt(good.length);
    words.put(any, good[any]); // what the reader has changed
    return at;
  }

  private long value() {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong();
      case 1 -> random.nextInt(32);
      case 2 -> 8L * random.nextInt(good.length + 16);
      case 3 -> 8L * (good.length - random.nextInt(16));
      case 4 -> -random.nextInt(64);
      case 5 -> good[random.nextInt(good.length)];
      case 6 -> (long) random.nextInt(32) << 32 | random.nextInt(32);
      default -> 1L << random.nextInt(64);
    };
  }
}
