package dev.tigris.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Looks for bytes, eight at a time.
final class LineScan {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long TOPS = 0x8080808080808080L;

  private static final long REST = 0x7F7F7F7F7F7F7F7FL;

  private LineScan() {}

  /// Notes where bytes of this value lie in `[from, end)`, from the first one on, as long as there
  /// is room for eight. Returns how many it has noted: fewer than fill the array, but for seven, if
  /// there are no more.
  ///
  /// @param places gets them from index `count` on
  static int findAll(byte[] text, int from, int end, byte wanted, int[] places, int count) {
    long all = ONES * (wanted & 0xff);
    int last = places.length - Long.BYTES;
    int found = count;
    int at = from;
    for (; at <= end - Long.BYTES && found <= last; at += Long.BYTES) {
      long differs = (long) LONG.get(text, at) ^ all;
      long zeros = ~(((differs & REST) + REST) | differs | REST); // exact for each byte
      while (zeros != 0) {
        places[found++] = at + (Long.numberOfTrailingZeros(zeros) >>> 3);
        zeros &= zeros - 1;
      }
    }
    for (; at < end && found <= last; at++) {
      if (text[at] == wanted) {
        places[found++] = at;
      }
    }
    return found - count;
  }

  /// Where the first byte of this value lies in `[from, end)`; `end` if there is none.
  static int find(byte[] text, int from, int end, byte wanted) {
    long all = ONES * (wanted & 0xff);
    int at = from;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      long differs = (long) LONG.get(text, at) ^ all;
      long zeros = (differs - ONES) & ~differs & TOPS; // exact up to the first one
      if (zeros != 0) {
        return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
      }
    }
    while (at < end && text[at] != wanted) {
      at++;
    }
    return at;
  }
}
