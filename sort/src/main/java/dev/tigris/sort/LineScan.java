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

  private LineScan() {}

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
