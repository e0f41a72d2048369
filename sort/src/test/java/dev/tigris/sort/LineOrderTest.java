package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineOrderTest {
  @TempDir Path folder;

  @Test
  void sortsAsGnuSortDoes() throws Exception {
    int cases = Integer.getInteger("cases", 300);
    long first = Long.getLong("seed", System.nanoTime());
    for (int i = 0; i < cases; i++) {
      long seed = first + i;
      LineCases.Case given;
      try {
        given = new LineCases(seed).next();
      } catch (IllegalArgumentException contradiction) {
        continue;
      }
      LineText text = new LineText(given.order(), 16);
      byte[] whole = terminated(given.text(), given.order().rows().delimiter());
      int at = text.grow(whole.length);
      System.arraycopy(whole, 0, text.text(), at, whole.length);
      text.findLines(Integer.MAX_VALUE);
      int length = text.sort();
      assertArrayEquals(
          LineCases.gnuSort(given, folder),
          Arrays.copyOf(text.sorted(), length),
          () -> "seed " + seed + ": sort " + given.arguments());
    }
  }

  private static byte[] terminated(byte[] text, byte delimiter) {
    if (text.length == 0 || text[text.length - 1] == delimiter) {
      return text;
    }
    byte[] whole = Arrays.copyOf(text, text.length + 1);
    whole[text.length] = delimiter;
    return whole;
  }
}
