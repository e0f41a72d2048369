package dev.tigris.flow.text;

import dev.tigris.memory.Bytes;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;

/// Reads numbers and dates from bytes, and writes them.
final class Values {
  /// Stands for a value that is none. `Long.MIN_VALUE` itself has to be asked for by [#isLeast].
  static final long NONE = Long.MIN_VALUE;

  /// As many digits fit a long, whatever they are.
  private static final int SAFE_DIGITS = 18;

  /// So many digits, and so large powers of ten, are exact as a double.
  private static final int EXACT_DIGITS = 15;

  private static final double[] POWERS = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private static final int DATE_BYTES = 10;

  private Values() {}

  static int compare(Bytes a, int aFrom, int aLength, Bytes b, int bFrom, int bLength) {
    int both = Math.min(aLength, bLength);
    int at = 0;
    for (; at <= both - Long.BYTES; at += Long.BYTES) {
      long left = a.getLongBigEndian(aFrom + at);
      long right = b.getLongBigEndian(bFrom + at);
      if (left != right) {
        return Long.compareUnsigned(left, right);
      }
    }
    for (; at < both; at++) {
      int order = Byte.compareUnsigned(a.get(aFrom + at), b.get(bFrom + at));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(aLength, bLength);
  }

  /// Returns the decimal number in units of its last digit, or [#NONE].
  static long decimal(Bytes bytes, int from, int to, int scale) {
    int at = from;
    boolean negative = false;
    if (at < to) {
      byte sign = bytes.get(at);
      negative = sign == '-';
      at += negative || sign == '+' ? 1 : 0;
    }
    int first = at;
    long value = 0;
    int behind = -1; // digits behind the point, once there was one
    long word = 0;
    for (; at < to; at++, word >>>= Byte.SIZE) {
      if ((at - first) % Long.BYTES == 0) {
        word = Hash.rest(bytes, at, Math.min(Long.BYTES, to - at));
      }
      int digit = (byte) word - '0';
      if (digit < 0 || digit > 9) {
        if ((byte) word != '.' || behind >= 0 || scale == 0) {
          return NONE;
        }
        behind = 0;
        continue;
      }
      if (behind >= 0 && ++behind > scale) {
        return NONE;
      }
      if (at - first >= SAFE_DIGITS && value > (Long.MAX_VALUE - digit) / 10) {
        return NONE;
      }
      value = value * 10 + digit;
    }
    int digits = to - first - (behind >= 0 ? 1 : 0);
    if (digits == 0) {
      return NONE;
    }
    for (int i = Math.max(0, behind); i < scale; i++) {
      if (value > Long.MAX_VALUE / 10) {
        return NONE;
      }
      value *= 10;
    }
    return negative ? -value : value;
  }

  /// Returns whether the bytes are the least number of 64 bits.
  static boolean isLeast(Bytes bytes, int from, int to, int scale) {
    var copy = new byte[Math.min(to - from, 64)];
    bytes.copyTo(from, copy, 0, copy.length);
    String least = "9223372036854775808";
    int point = least.length() - scale;
    String text = new String(copy, StandardCharsets.ISO_8859_1);
    return scale < least.length()
        && text.equals(
            "-" + least.substring(0, point) + (scale == 0 ? "" : "." + least.substring(point)));
  }

  /// Returns the number where it is certain to be the nearest one; NaN where it has to be asked of
  /// the JDK.
  ///
  /// A number of up to 15 digits is a double exactly, and so is a power of ten up to 22. The
  /// quotient of two doubles is rounded once (Clinger, 1990).
  static double real(Bytes bytes, int from, int to) {
    int at = from;
    boolean negative = at < to && bytes.get(at) == '-';
    at += negative ? 1 : 0;
    long value = 0;
    int digits = 0;
    int behind = -1;
    for (; at < to; at++) {
      int digit = bytes.get(at) - '0';
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        behind += behind >= 0 ? 1 : 0;
        if (++digits > EXACT_DIGITS) {
          return Double.NaN;
        }
      } else if (bytes.get(at) == '.' && behind < 0) {
        behind = 0;
      } else {
        return Double.NaN;
      }
    }
    if (digits == 0) {
      return Double.NaN;
    }
    double real = value / POWERS[Math.max(0, behind)];
    return negative ? -real : real;
  }

  /// Returns a date in days since 1970-01-01, or [#NONE].
  static long epochDay(Bytes bytes, int from, int to) {
    if (to - from != DATE_BYTES || bytes.get(from + 4) != '-' || bytes.get(from + 7) != '-') {
      return NONE;
    }
    int year = digits(bytes, from, 4);
    int month = digits(bytes, from + 5, 2);
    int day = digits(bytes, from + 8, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31) {
      return NONE;
    }
    if (day <= 28) { // of every month: no object is needed to check it
      return epochDay(year, month, day);
    }
    try {
      return LocalDate.of(year, month, day).toEpochDay();
    } catch (DateTimeException _) {
      return NONE;
    }
  }

  /// Counts days of years that begin in March, so that a leap day is the last one.
  private static long epochDay(int year, int month, int day) {
    long years = (long) year - (month <= 2 ? 1 : 0);
    long era = Math.floorDiv(years, 400);
    long ofEra = years - era * 400;
    long ofYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468;
  }

  private static int digits(Bytes bytes, int from, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      int digit = bytes.get(from + i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }
}
