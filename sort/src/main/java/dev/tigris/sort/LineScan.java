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
      long zeros = exactZeros((long) LONG.get(text, at) ^ all);
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
    for (; at < end && at <= text.length - Long.BYTES; at += Long.BYTES) {
      long zeros = zeros((long) LONG.get(text, at) ^ all);
      if (zeros != 0) {
        return first(at, zeros, end);
      }
    }
    while (at < end && text[at] != wanted) {
      at++;
    }
    return Math.min(at, end);
  }

  /// Where the first byte of either value lies in `[from, end)`; `end` if there is none.
  static int findEither(byte[] text, int from, int end, byte one, byte other) {
    long ones = ONES * (one & 0xff);
    long others = ONES * (other & 0xff);
    int at = from;
    for (; at < end && at <= text.length - Long.BYTES; at += Long.BYTES) {
      long word = (long) LONG.get(text, at);
      long zeros = zeros(word ^ ones) | zeros(word ^ others);
      if (zeros != 0) {
        return first(at, zeros, end);
      }
    }
    while (at < end && text[at] != one && text[at] != other) {
      at++;
    }
    return Math.min(at, end);
  }

  /// Where the first blank lies in `[from, end)`; `end` if there is none.
  static int findBlank(byte[] text, int from, int end) {
    int at = from;
    for (; at < end && at <= text.length - Long.BYTES; at += Long.BYTES) {
      long word = (long) LONG.get(text, at);
      long zeros = zeros(word ^ ONES * ' ') | zeros(word ^ ONES * '\t') | zeros(word ^ ONES * '\n');
      if (zeros != 0) {
        return first(at, zeros, end);
      }
    }
    while (at < end && !Blanks.isBlank(text[at])) {
      at++;
    }
    return Math.min(at, end);
  }

  /// Whether the number of bytes of this value in `[from, end)` is odd.
  static boolean isOdd(byte[] text, int from, int end, byte wanted) {
    long all = ONES * (wanted & 0xff);
    int count = 0;
    int at = from;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      count += Long.bitCount(exactZeros((long) LONG.get(text, at) ^ all));
    }
    for (; at < end; at++) {
      count += text[at] == wanted ? 1 : 0;
    }
    return (count & 1) != 0;
  }

  /// The top bits of bytes that are zero; up to the first of those for sure, and of bytes behind it
  /// perhaps.
  private static long zeros(long word) {
    return (word - ONES) & ~word & TOPS;
  }

  /// The top bits of bytes that are zero, and no others.
  private static long exactZeros(long word) {
    return ~(((word & REST) + REST) | word | REST);
  }

  /// The first zero of a word that was read at a place, which may lie behind the end.
  private static int first(int at, long zeros, int end) {
    return Math.min(end, at + (Long.numberOfTrailingZeros(zeros) >>> 3));
  }
}
