package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/// Looking for bytes and summing lines eight bytes at a time, against one byte at a time, in parts
/// of arrays whose other bytes must not count.
class LineScanTest {
  /// Bytes that are wanted, and those that differ from them in one bit or carry over to the next.
  private static final byte[] BYTES = {
    '"', ',', '\n', ' ', '\t', 0, '#', '!', -1, (byte) 0x80, (byte) 0xa2, (byte) 0x8a, 1, 'a'
  };

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(40)];
    int kinds = 1 + random.nextInt(BYTES.length);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = BYTES[random.nextInt(kinds)];
    }
    return bytes;
  }

  private static int find(int from, int end, IntPredicate wanted) {
    int at = from;
    while (at < end && !wanted.test(at)) {
      at++;
    }
    return at;
  }

  @Test
  void findsWhatOneByteAtATimeFinds() {
    var random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      byte[] text = bytes(random);
      int end = random.nextInt(text.length + 1);
      int from = random.nextInt(end + 1);
      byte one = BYTES[random.nextInt(BYTES.length)];
      byte other = BYTES[random.nextInt(BYTES.length)];
      assertEquals(find(from, end, at -> text[at] == one), LineScan.find(text, from, end, one));
      assertEquals(
          find(from, end, at -> text[at] == one || text[at] == other),
          LineScan.findEither(text, from, end, one, other));
      assertEquals(
          find(from, end, at -> Blanks.isBlank(text[at])), LineScan.findBlank(text, from, end));
      boolean isOdd = false;
      for (int at = from; at < end; at++) {
        isOdd ^= text[at] == one;
      }
      assertEquals(isOdd, LineScan.isOdd(text, from, end, one));
    }
  }

  /// A sum is that of the line, wherever it lies, and another one for each other line.
  @Test
  void sumsALineAlikeWhereverItLies() {
    var random = new Random(2);
    Set<Long> sums = new HashSet<>();
    for (int length = 0; length < 70; length++) {
      byte[] line = new byte[length];
      random.nextBytes(line);
      long sum = sum(line, 0, length);
      assertTrue(sums.add(sum), "length " + length);
      for (int before = 0; before < 9; before++) {
        byte[] text = new byte[before + length + random.nextInt(12)];
        random.nextBytes(text);
        System.arraycopy(line, 0, text, before, length);
        assertEquals(sum, sum(text, before, before + length));
      }
      for (int bit = 0; bit < Byte.SIZE * length; bit++) {
        byte[] other = line.clone();
        other[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        assertTrue(sums.add(sum(other, 0, length)), "bit " + bit + " of " + length);
      }
      byte[] longer = Arrays.copyOf(line, length + 1);
      assertNotEquals(sum, sum(longer, 0, longer.length));
    }
  }

  private static long sum(byte[] text, int start, int end) {
    var checksum = new LineChecksum();
    checksum.add(text, start, end);
    return checksum.sum();
  }
}
