package dev.tigris.flow.operator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.text.Hash;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyTableTest {
  private static final int LINE = 64;

  private static String key(Bytes bytes, int start, int length) {
    byte[] key = new byte[length];
    bytes.copyTo(start, key, 0, length);
    return new String(key, StandardCharsets.ISO_8859_1);
  }

  private static void assertSame(Map<String, Long> expected, KeyTable table, int longs) {
    List<String> order = new ArrayList<>();
    table.forEach(
        entry -> {
          String key = key(table.bytes(entry), table.keyStart(entry), table.keyLength(entry));
          order.add(key);
          if (longs > 0) {
            assertEquals(expected.get(key), table.get(entry, longs - 1));
          }
        });
    assertEquals(List.copyOf(expected.keySet()), order);
    assertEquals(expected.size(), table.size());
  }

  /// Keys of every length, so that entries of every size follow one another.
  @Test
  void hasWhatAMapHasInTheOrderOfItsKeys() {
    Random random = new Random(5);
    Jbuf buffer = Jbuf.allocate(200, "keys");
    Bytes bytes = buffer.asBytes();
    for (int longs = 0; longs < 5; longs++) {
      try (KeyTable table = new KeyTable(longs, 64 << 20, "test")) {
        for (int again = 0; again < 2; again++) {
          Map<String, Long> expected = new LinkedHashMap<>();
          for (int i = 0; i < 4000; i++) {
            int length = random.nextInt(1 + random.nextInt(90));
            for (int at = 0; at < length; at++) {
              bytes.set(3 + at, (byte) ('a' + random.nextInt(3)));
            }
            long entry = table.add(bytes, 3, length, Hash.of(bytes, 3, length));
            String key = key(bytes, 3, length);
            assertEquals(!expected.containsKey(key), table.wasAdded(), key);
            assertEquals(entry, table.find(bytes, 3, length, Hash.of(bytes, 3, length)), key);
            long sum = expected.merge(key, (long) i, Long::sum);
            if (longs > 0) {
              table.set(entry, longs - 1, sum);
            }
          }
          assertSame(expected, table, longs);
          table.clear();
          assertEquals(0, table.size());
        }
      }
    }
    buffer.unreference(Jbuf::free);
  }

  @Test
  void aSmallEntryLiesInOneLine() {
    Jbuf buffer = Jbuf.allocate(Long.BYTES, "keys");
    Bytes bytes = buffer.asBytes();
    try (KeyTable table = new KeyTable(4, 1 << 20, "test")) { // entries of 56 bytes
      for (long i = 0; i < 1000; i++) {
        bytes.setLong(0, i);
        long entry = table.add(bytes, 0, Long.BYTES, Hash.of(bytes, 0, Long.BYTES));
        int end = table.keyStart(entry) + Long.BYTES;
        assertTrue((end - 56) / LINE == (end - 1) / LINE, () -> "an entry that ends at " + end);
      }
    }
    buffer.unreference(Jbuf::free);
  }

  /// Two keys with equal hashes: the first candidate is not the key that is looked up.
  @Test
  void tellsKeysWithEqualHashesApart() {
    Jbuf buffer = Jbuf.allocate(16, "keys");
    Bytes bytes = buffer.asBytes();
    bytes.setLong(0, 1);
    bytes.setLong(8, 2);
    try (KeyTable table = new KeyTable(0, 1 << 20, "test")) {
      long[] entries = {table.add(bytes, 0, 8, 77), table.add(bytes, 8, 8, 77)};
      assertEquals(2, table.size());
      assertArrayEquals(
          entries, new long[] {table.find(bytes, 0, 8, 77), table.find(bytes, 8, 8, 77)});
      bytes.setLong(0, 3);
      assertEquals(KeyTable.NONE, table.find(bytes, 0, 8, 77));
    }
    buffer.unreference(Jbuf::free);
  }
}
