package dev.tigris.sort;

import dev.tigris.os.ByteWord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Looks for bytes, eight at a time.
final class LineScan {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ABOVE_BLANKS = ByteWord.times8((byte) (' ' + 1));
  private static final long TOP_BITS = ByteWord.times8((byte) 0x80);

  private LineScan() {}

  /// Notes where bytes of this value lie in `[from, end)`, from the first one on, as long as there
  /// is room for eight. Returns how many it has noted: fewer than fill the array, but for seven, if
  /// there are no more.
  ///
  /// @param places gets them from index `count` on
  static int findAll(byte[] text, int from, int end, byte wanted, int[] places, int count) {
    long all = ByteWord.times8(wanted);
    int last = places.length - Long.BYTES;
    int found = count;
    int at = from;
    for (; at <= end - Long.BYTES && found <= last; at += Long.BYTES) {
      long zeros = ByteWord.zeros((long) LONG.get(text, at) ^ all);
      while (zeros != 0) {
        places[found++] = at + ByteWord.first(zeros);
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
    long all = ByteWord.times8(wanted);
    int at = from;
    for (; at < end && at <= text.length - Long.BYTES; at += Long.BYTES) {
      long zeros = ByteWord.zerosUpToFirst((long) LONG.get(text, at) ^ all);
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
    long ones = ByteWord.times8(one);
    long others = ByteWord.times8(other);
    int at = from;
    for (; at < end && at <= text.length - Long.BYTES; at += Long.BYTES) {
      long word = (long) LONG.get(text, at);
      long zeros = ByteWord.zerosUpToFirst(word ^ ones) | ByteWord.zerosUpToFirst(word ^ others);
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
  ///
  /// A byte below 0x21 may be one. A subtraction finds all such bytes of a word, and perhaps one
  /// more behind each, so each is looked at.
  static int findBlank(byte[] text, int from, int end) {
    int at = from;
    for (; at < end && at <= text.length - Long.BYTES; at += Long.BYTES) {
      long word = (long) LONG.get(text, at);
      long low = (word - ABOVE_BLANKS) & ~word & TOP_BITS;
      for (; low != 0; low &= low - 1) {
        int place = at + ByteWord.first(low);
        if (place >= end || Blanks.isBlank(text[place])) {
          return Math.min(place, end);
        }
      }
    }
    while (at < end && !Blanks.isBlank(text[at])) {
      at++;
    }
    return Math.min(at, end);
  }

  /// Whether the number of bytes of this value in `[from, end)` is odd.
  static boolean isOdd(byte[] text, int from, int end, byte wanted) {
    long all = ByteWord.times8(wanted);
    int count = 0;
    int at = from;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      count += Long.bitCount(ByteWord.zeros((long) LONG.get(text, at) ^ all));
    }
    for (; at < end; at++) {
      count += text[at] == wanted ? 1 : 0;
    }
    return (count & 1) != 0;
  }

  /// The first zero of a word that was read at a place, which may lie behind the end.
  private static int first(int at, long zeros, int end) {
    return Math.min(end, at + ByteWord.first(zeros));
  }
}
