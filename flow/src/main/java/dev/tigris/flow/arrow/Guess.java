package dev.tigris.flow.arrow;

import dev.tigris.flow.text.Rows;
import dev.tigris.flow.text.TextException;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.arrow.ArrowColumnType;
import java.nio.charset.StandardCharsets;

/// The types that all values of a column can have which were seen.
///
/// Thread rule: one thread.
final class Guess {
  private static final int WHOLE = 1;
  private static final int REAL = 2;
  private static final int FLAG = 4;
  private static final int DATE = 8;
  private static final int LOCAL = 16;
  private static final int UTC = 32;
  private static final int ALL = 63;
  private static final int DATE_BYTES = 10;
  private static final int MOST_REAL_BYTES = 400;

  /// A number with more digits, or more of an exponent, may be larger than a double.
  private static final int SAFE_DIGITS = 200;

  private static final int SAFE_EXPONENT_DIGITS = 2;

  /// The largest whole number up to which a double has all.
  private static final long MOST_EXACT = 1L << 53;

  private int possible = ALL;
  private boolean hasValue;
  private boolean isFine;
  private boolean isWide;

  /// Looks at a value.
  void see(Rows rows, int field, Moments moments) {
    int length = rows.length(field);
    if (possible == 0 || length == 0) {
      return;
    }
    hasValue = true;
    Bytes bytes = rows.bytes(field);
    int start = rows.start(field);
    int left = 0;
    if ((possible & (WHOLE | REAL)) != 0) {
      left |= numbers(bytes, start, length);
    }
    if ((possible & FLAG) != 0) {
      left |= isFlag(bytes, start, length) ? FLAG : 0;
    }
    if ((possible & DATE) != 0) {
      left |= isDate(rows, field) ? DATE : 0;
    }
    if ((possible & (LOCAL | UTC)) != 0 && moments.read(bytes, start, length)) {
      left |= moments.hasZone() ? UTC : LOCAL;
      isFine |= moments.isFine();
      isWide |= !moments.fitsNanos();
    }
    possible &= left;
  }

  /// Takes what another one has seen too.
  void add(Guess other) {
    possible &= other.possible;
    hasValue |= other.hasValue;
    isFine |= other.isFine;
    isWide |= other.isWide;
  }

  /// Returns the type that holds all values without loss, but for digits of floating point numbers
  /// behind the 17th.
  ArrowColumnType type() {
    boolean isMoment = (possible & (WHOLE | REAL | FLAG | DATE)) == 0 && possible != 0;
    if (!hasValue || possible == 0 || (isMoment && isFine && isWide)) {
      return ArrowColumnType.TEXT;
    }
    if ((possible & WHOLE) != 0) {
      return ArrowColumnType.WHOLE;
    } else if ((possible & REAL) != 0) {
      return ArrowColumnType.REAL;
    } else if ((possible & FLAG) != 0) {
      return ArrowColumnType.FLAG;
    } else if ((possible & DATE) != 0) {
      return ArrowColumnType.DATE;
    } else if ((possible & LOCAL) != 0) {
      return isFine ? ArrowColumnType.NANOS : ArrowColumnType.MICROS;
    }
    return isFine ? ArrowColumnType.UTC_NANOS : ArrowColumnType.UTC_MICROS;
  }

  static boolean isFlag(Bytes bytes, int start, int length) {
    return isWord(bytes, start, length, "true") || isWord(bytes, start, length, "false");
  }

  /// Returns whether the bytes are a word, in letters of either case.
  static boolean isWord(Bytes bytes, int start, int length, String word) {
    if (length != word.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((bytes.get(start + i) | 0x20) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /// Returns the value of a word for a number that has no digits; zero if it is none.
  static double special(Bytes bytes, int start, int length) {
    boolean negative = length > 0 && bytes.get(start) == '-';
    int from = negative ? start + 1 : start;
    int count = negative ? length - 1 : length;
    if (isWord(bytes, from, count, "nan")) {
      return Double.NaN;
    }
    if (isWord(bytes, from, count, "inf") || isWord(bytes, from, count, "infinity")) {
      return negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    return 0;
  }

  private static boolean isDate(Rows rows, int field) {
    if (rows.length(field) != DATE_BYTES) {
      return false;
    }
    try {
      long _ = rows.epochDay(field);
      return true;
    } catch (TextException _) {
      return false; // once for a column: then it is no column of dates
    }
  }

  /// Returns which numbers a value can be. A number with zeros in front is none: most often it is
  /// the name of something, such as a postal code.
  private static int numbers(Bytes bytes, int start, int length) {
    int end = start + length;
    int at = bytes.get(start) == '-' ? start + 1 : start;
    int first = at;
    while (at < end && isDigit(bytes.get(at))) {
      at++;
    }
    int digits = at - first;
    if (digits > 1 && bytes.get(first) == '0') {
      return 0;
    }
    if (at == end) {
      return digits == 0 ? 0 : whole(bytes, first, digits, first > start);
    }
    if (length > MOST_REAL_BYTES) {
      return 0;
    }
    int part = 0;
    if (bytes.get(at) == '.') {
      at++;
      for (; at < end && isDigit(bytes.get(at)); at++) {
        part++;
      }
    }
    if (digits + part == 0) {
      double special = special(bytes, start, length);
      return special == 0 ? 0 : REAL;
    }
    boolean isSafe = digits <= SAFE_DIGITS;
    if (at < end && (bytes.get(at) | 0x20) == 'e') {
      at++;
      at += at < end && (bytes.get(at) == '-' || bytes.get(at) == '+') ? 1 : 0;
      int exponent = at;
      while (at < end && isDigit(bytes.get(at))) {
        at++;
      }
      if (at == exponent) {
        return 0;
      }
      isSafe &= at - exponent <= SAFE_EXPONENT_DIGITS;
    }
    boolean isReal = at == end && (isSafe || isFinite(bytes, start, length));
    return isReal ? REAL : 0;
  }

  private static boolean isFinite(Bytes bytes, int start, int length) {
    byte[] text = new byte[length];
    bytes.copyTo(start, text, 0, length);
    return Double.isFinite(Double.parseDouble(new String(text, StandardCharsets.US_ASCII)));
  }

  private static int whole(Bytes bytes, int first, int digits, boolean isNegative) {
    if (digits > 19) {
      return 0;
    }
    long value = 0;
    for (int i = first; i < first + digits; i++) {
      value = value * 10 + bytes.get(i) - '0';
    }
    boolean isTooLarge = digits == 19 && value < 0; // up to 9,999,999,999,999,999,999 < 2^64
    if (isTooLarge && !(isNegative && value == Long.MIN_VALUE)) {
      return 0;
    }
    if (isNegative && value == 0) {
      return REAL; // a whole number has no negative zero
    }
    return value >= 0 && value <= MOST_EXACT ? WHOLE | REAL : WHOLE;
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }
}
