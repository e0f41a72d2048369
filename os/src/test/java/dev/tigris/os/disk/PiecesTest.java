package dev.tigris.os.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PiecesTest {
  private static final long PAGE = 4096;

  private static long next(long position, long address, long left) {
    return Pieces.next(position, address, left, 512, 512, PAGE);
  }

  @Test
  void sendsWholeUnitsAroundTheCacheAndEndsThroughIt() {
    assertEquals(8192, next(0, 4096, 8192));
    assertEquals(512, next(512, 512, 512));
    assertEquals(8192, next(0, 4096, 9000));
    assertEquals(-808, next(8192, 12_288, 808));
    assertEquals(-3996, next(100, 4096 + 100, 20_000));
    assertEquals(-20_000, next(100, 4096, 20_000), "memory and file never lie alike");
    assertEquals(-20_000, next(0, 4096 + 8, 20_000));
    assertEquals(-5000, next(100, 4096 + 100, 5000), "no whole page is inside");
  }

  /// The pieces cover the transfer, direct ones are aligned, and no page has two ways.
  @Test
  void coversEachTransferAndNoPageTwoWays() {
    Random random = new Random(57);
    for (int i = 0; i < 10_000; i++) {
      int unit = 512 << random.nextInt(4);
      int memory = 4 << random.nextInt(8);
      long position = random.nextInt(20_000);
      long address = random.nextBoolean() ? position + 65_536 : 65_536L + random.nextInt(20_000);
      long left = 1L + random.nextInt(50_000);
      long lastCachedPage = -1;
      long lastDirectPage = -1;
      while (left > 0) {
        long piece = Pieces.next(position, address, left, memory, unit, PAGE);
        long bytes = Math.abs(piece);
        assertTrue(bytes > 0 && bytes <= left);
        if (piece > 0) {
          assertTrue(position % unit == 0 && address % memory == 0 && bytes % unit == 0);
          assertTrue(position / PAGE != lastCachedPage);
          lastDirectPage = (position + bytes - 1) / PAGE;
        } else {
          assertTrue(position / PAGE != lastDirectPage);
          lastCachedPage = (position + bytes - 1) / PAGE;
        }
        position += bytes;
        address += bytes;
        left -= bytes;
      }
    }
  }
}
