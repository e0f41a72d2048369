package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// What ranges name, and never name.
class RangesTest {
  @Test
  void nameNoMemoryOutsideWhatTheyAreOf() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(16);
      Ranges ranges = new Ranges();
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.add(memory, 1, 16));
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.add(memory, -1, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.add(memory, 0, -1));
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.address(0));
      for (int i = 0; i < Ranges.MOST; i++) {
        ranges.add(memory, 0, 16);
      }
      assertEquals(0, ranges.left());
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.add(memory, 0, 16));
      assertThrows(IndexOutOfBoundsException.class, () -> ranges.skip(Ranges.MOST * 16L + 1));
    }
  }

  private static long total(Ranges ranges) {
    long total = 0;
    for (int i = 0; i < ranges.count(); i++) {
      total += ranges.length(i);
    }
    return total;
  }

  @Test
  void leaveOutExactlyWhatIsSkippedAndEndWhereTheyAreLimited() {
    SplittableRandom random = new SplittableRandom(7);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1000);
      Ranges ranges = new Ranges();
      for (int round = 0; round < 2_000; round++) {
        ranges.clear();
        long[] offsets = new long[random.nextInt(1, Ranges.MOST + 1)];
        long[] lengths = new long[offsets.length];
        long total = 0;
        for (int i = 0; i < offsets.length; i++) {
          lengths[i] = random.nextInt(5);
          offsets[i] = random.nextInt(990);
          total += lengths[i];
          ranges.add(memory, offsets[i], lengths[i]);
        }
        int count = ranges.count();
        long most = random.nextLong(2 * total + 1);
        ranges.limit(most);
        assertEquals(Math.min(most, total), total(ranges));
        ranges.endLimit();
        assertEquals(count, ranges.count());
        assertEquals(total, total(ranges));
        long skipped = random.nextLong(total + 1);
        ranges.skip(skipped);
        long left = total - skipped;
        int last = offsets.length - 1;
        for (int i = ranges.count() - 1; i >= 0; i--, last--) {
          long length = Math.min(left, lengths[last]);
          assertEquals(length, ranges.length(i));
          assertEquals(
              memory.address() + offsets[last] + lengths[last] - length, ranges.address(i));
          left -= length;
        }
        assertEquals(0, left, "in round " + round);
      }
    }
  }
}
