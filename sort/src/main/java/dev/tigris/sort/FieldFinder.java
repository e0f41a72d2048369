package dev.tigris.sort;

import java.util.Arrays;

/// Finds where a key begins and ends in a line: by a separator, by the change from blanks to other
/// bytes, where a field begins with the blanks before it, or by the rules of CSV.
///
/// A place is two numbers in one: where the key begins in the upper half, and where it ends in the
/// lower one.
///
/// @param separator the byte between two fields; negative for blanks
/// @param quoted whether a field may stand in quotes, as in CSV (RFC 4180)
record FieldFinder(int separator, boolean quoted) {
  /// Fields that blanks separate.
  static final int BY_BLANKS = -1;

  private static final byte QUOTE = '"';

  /// Where a key lies in the line `[start, end)`. One that ends before it begins is empty.
  long find(byte[] line, int start, int end, LineKey key) {
    if (quoted) {
      return findInRow(line, start, end, key);
    }
    int field = skip(line, start, end, key.startField());
    int from = key.startBlanks() ? afterBlanks(line, field, end) : field;
    from = (int) Math.min(end, (long) from + key.startChar());
    int to = end;
    if (key.endField() != LineKey.TO_THE_END) {
      boolean isBehind = key.endField() >= key.startField();
      to =
          isBehind
              ? limit(line, field, end, key, key.endField() - key.startField())
              : limit(line, start, end, key, key.endField());
    }
    return place(from, Math.max(from, to));
  }

  /// Where a key begins.
  static int start(long place) {
    return (int) (place >>> Integer.SIZE);
  }

  /// Where a key ends.
  static int end(long place) {
    return (int) place;
  }

  /// The place of a key that begins and ends there.
  static long place(int start, int end) {
    return ((long) start << Integer.SIZE) | end;
  }

  /// Where the field begins that so many others precede; the end of a line with fewer.
  private int skip(byte[] line, int start, int end, int fields) {
    int at = start;
    for (int left = fields; left > 0 && at < end; left--) {
      at = endOfPlainField(line, at, end);
      at += separator >= 0 && at < end ? 1 : 0;
    }
    return at;
  }

  /// Where a key ends, whose last field comes so many fields behind the one that begins at `start`.
  private int limit(byte[] line, int start, int end, LineKey key, int fields) {
    int at = skip(line, start, end, fields);
    if (key.endChar() == 0) {
      return at < end ? endOfPlainField(line, at, end) : end;
    }
    if (key.endBlanks()) {
      at = afterBlanks(line, at, end);
    }
    return (int) Math.min(end, (long) at + key.endChar());
  }

  private int endOfPlainField(byte[] line, int start, int end) {
    return separator >= 0
        ? LineScan.find(line, start, end, (byte) separator)
        : LineScan.findBlank(line, afterBlanks(line, start, end), end);
  }

  /// One field of a row of CSV, without the quotes around it.
  private long findInRow(byte[] row, int start, int end, LineKey key) {
    int last = end > start && row[end - 1] == '\r' ? end - 1 : end;
    int at = start;
    for (int left = key.startField(); left > 0; left--) {
      at = endOfField(row, at, last);
      if (at == last) {
        return place(last, last); // a row with fewer fields
      }
      at++;
    }
    int to = endOfField(row, at, last);
    if (to - at >= 2 && row[at] == QUOTE && row[to - 1] == QUOTE) {
      at++;
      to--;
    }
    return place(key.startBlanks() ? afterBlanks(row, at, to) : at, to);
  }

  /// Where a field of a row ends: at the separator behind it, or at the end.
  int endOfField(byte[] row, int start, int end) {
    int at = start;
    while (at < end) {
      at = LineScan.findEither(row, at, end, (byte) separator, QUOTE);
      if (at == end || row[at] != QUOTE) {
        return at;
      }
      at = LineScan.find(row, at + 1, end, QUOTE) + 1;
    }
    return end;
  }

  /// Whether a key of a row has quotes in it, of which two stand for one.
  boolean hasQuotes(byte[] row, int start, int end) {
    return quoted && LineScan.find(row, start, end, QUOTE) < end;
  }

  /// A key of a row with one quote for two.
  static byte[] withoutDoubledQuotes(byte[] row, int start, int end) {
    byte[] plain = new byte[end - start];
    int length = 0;
    for (int at = start; at < end; at++) {
      plain[length++] = row[at];
      if (row[at] == QUOTE && at + 1 < end && row[at + 1] == QUOTE) {
        at++;
      }
    }
    return Arrays.copyOf(plain, length);
  }

  private static int afterBlanks(byte[] line, int start, int end) {
    int at = start;
    while (at < end && Blanks.isBlank(line[at])) {
      at++;
    }
    return at;
  }
}
