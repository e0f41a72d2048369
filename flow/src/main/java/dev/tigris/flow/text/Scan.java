package dev.tigris.flow.text;

import dev.tigris.memory.Bytes;
import dev.tigris.os.ByteWord;

/// Looks for bytes in a view, eight at a time.
final class Scan {
  static final byte QUOTE = '"';
  static final byte LINE_FEED = '\n';
  static final byte RETURN = '\r';

  static final int WORD = Long.BYTES;

  private Scan() {}

  /// Returns how many bytes of `[from, to)` have this value.
  static long count(Bytes bytes, long from, long to, byte wanted) {
    long all = ByteWord.times8(wanted);
    long count = 0;
    long at = from;
    for (; at <= to - 4 * WORD; at += 4 * WORD) {
      long first = ByteWord.zeros(bytes.getLong(at) ^ all);
      long second = ByteWord.zeros(bytes.getLong(at + WORD) ^ all);
      long third = ByteWord.zeros(bytes.getLong(at + 2 * WORD) ^ all);
      long fourth = ByteWord.zeros(bytes.getLong(at + 3 * WORD) ^ all);
      // Marks are the highest bits of bytes: those of four words have room in one.
      count += Long.bitCount(first >>> 3 | second >>> 2 | third >>> 1 | fourth);
    }
    for (; at <= to - WORD; at += WORD) {
      count += Long.bitCount(ByteWord.zeros(bytes.getLong(at) ^ all));
    }
    for (; at < to; at++) {
      count += bytes.get(at) == wanted ? 1 : 0;
    }
    return count;
  }

  /// Returns where the first byte of this value lies in `[from, to)`; `to` if there is none.
  static long find(Bytes bytes, long from, long to, byte wanted) {
    long all = ByteWord.times8(wanted);
    long at = from;
    for (; at <= to - WORD; at += WORD) {
      long found = ByteWord.zeros(bytes.getLong(at) ^ all);
      if (found != 0) {
        return at + ByteWord.first(found);
      }
    }
    while (at < to && bytes.get(at) != wanted) {
      at++;
    }
    return at;
  }

  /// Returns where the row ends that `from` lies in: at its line feed; `to` if that is not there.
  ///
  /// @param quotes whether a line feed between quotes does not count
  /// @param inside whether `from` lies between quotes
  static long findRowEnd(Bytes bytes, long from, long to, boolean quotes, boolean inside) {
    if (!quotes) {
      return find(bytes, from, to, LINE_FEED);
    }
    boolean in = inside;
    for (long at = from; at < to; at++) {
      byte b = bytes.get(at);
      if (b == QUOTE) {
        in = !in;
      } else if (b == LINE_FEED && !in) {
        return at;
      }
    }
    return to;
  }

  /// Returns where the last row that is whole in `[from, to)` ends, behind its line feed; `from` if
  /// none is whole.
  ///
  /// @param inside whether `to` lies between quotes, as far as quotes count
  static long findLastRowEnd(Bytes bytes, long from, long to, boolean quotes, boolean inside) {
    boolean in = inside;
    for (long at = to - 1; at >= from; at--) {
      byte b = bytes.get(at);
      if (b == QUOTE && quotes) {
        in = !in;
      } else if (b == LINE_FEED && !in) {
        return at + 1;
      }
    }
    return from;
  }
}
