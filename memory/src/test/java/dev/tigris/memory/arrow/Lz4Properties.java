package dev.tigris.memory.arrow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// What is compressed by LZ4 comes back as it was.
class Lz4Properties {
  private static byte[] mixed(long seed, int length, int variety) {
    Random random = new Random(seed);
    byte[] bytes = new byte[length];
    for (int at = 0; at < length; ) {
      int count = Math.min(length - at, 1 + random.nextInt(300));
      if (at > 0 && random.nextBoolean()) {
        int from = random.nextInt(at);
        for (int i = 0; i < count; i++) {
          bytes[at + i] = bytes[from + i]; // may overlap
        }
      } else {
        for (int i = 0; i < count; i++) {
          bytes[at + i] = (byte) random.nextInt(variety);
        }
      }
      at += count;
    }
    return bytes;
  }

  @Property(tries = 200)
  void comesBackAsItWas(
      @ForAll long seed,
      @ForAll @IntRange(max = 200_000) int length,
      @ForAll @IntRange(min = 1, max = 256) int variety)
      throws IOException {
    byte[] bytes = mixed(seed, length, variety);
    Lz4Output output = new Lz4Output();
    byte[] _ = output.frame(mixed(seed + 1, 5000, 3), 5000); // its table does not matter
    byte[] frame = output.frame(Arrays.copyOf(bytes, length + 10), length);
    assertTrue(frame.length <= length + 4 * (length / 65_536 + 2) + 7);
    try (Lz4Frame in = new Lz4Frame(new ByteArrayInputStream(frame))) {
      assertArrayEquals(bytes, in.readAllBytes());
    }
  }
}
