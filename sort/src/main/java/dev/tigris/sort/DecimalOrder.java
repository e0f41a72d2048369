package dev.tigris.sort;

/// Decimal numbers as `sort -n` and `-h` read them, compared digit by digit, so that none is too
/// long or too exact:
///
/// ```
///   blanks [-] digits [. digits] [unit]      anything else, or nothing, counts as 0
/// ```
final class DecimalOrder {
  /// Zero among the prefixes: negative numbers lie below it, positive ones above.
  private static final long ZERO = 1L << 63;

  private static final int DIGITS = 15;
  private static final int DIGIT_BITS = 50;
  private static final int MAX_EXPONENT = (1 << (62 - DIGIT_BITS)) - 1;

  private static final int UNIT_BITS = 5;
  private static final int LARGEST_UNIT = 8;
  private static final String UNITS = "KMGTPEZY";

  private static final long[] POWERS_OF_TEN = powersOfTen();

  private DecimalOrder() {}

  private static long[] powersOfTen() {
    long[] powers = new long[DIGITS + 1];
    powers[0] = 1;
    for (int i = 1; i < powers.length; i++) {
      powers[i] = 10 * powers[i - 1];
    }
    return powers;
  }

  /// Compares two numbers.
  static int compare(byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int l = afterBlanks(left, leftStart, leftEnd);
    int r = afterBlanks(right, start, end);
    boolean leftMinus = l < leftEnd && left[l] == '-';
    boolean rightMinus = r < end && right[r] == '-';
    l += leftMinus ? 1 : 0;
    r += rightMinus ? 1 : 0;
    if (leftMinus == rightMinus) {
      int compared = compareMagnitudes(left, l, leftEnd, right, r, end);
      return leftMinus ? -compared : compared;
    }
    boolean zeros = isZero(left, l, leftEnd) && isZero(right, r, end);
    return zeros ? 0 : leftMinus ? -1 : 1;
  }

  /// Compares two numbers with units: the unit decides before the number, and a number without one
  /// is the least.
  static int compareHuman(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int l = afterBlanks(left, leftStart, leftEnd);
    int r = afterBlanks(right, start, end);
    int units = unit(left, l, leftEnd) - unit(right, r, end);
    return units != 0 ? units : compare(left, l, leftEnd, right, r, end);
  }

  /// A number that orders as [#compare], unsigned, as far as 64 bits can: equal for numbers that
  /// only the comparison tells apart.
  static long prefix(byte[] text, int start, int end) {
    int at = afterBlanks(text, start, end);
    boolean minus = at < end && text[at] == '-';
    at += minus ? 1 : 0;
    at = afterZeros(text, at, end);
    int first = at;
    long digits = 0;
    int taken = 0;
    for (; at < end && taken < DIGITS && Blanks.isDigit(text[at]); at++, taken++) {
      digits = 10 * digits + text[at] - '0';
    }
    while (at < end && Blanks.isDigit(text[at])) {
      at++;
    }
    int whole = at - first;
    int exponent = whole; // digits before the point; below zero, zeros after it
    if (at < end && text[at] == '.') {
      at++;
      if (whole == 0) {
        int point = at;
        at = afterZeros(text, at, end);
        exponent = point - at;
      }
      for (; at < end && taken < DIGITS && Blanks.isDigit(text[at]); at++, taken++) {
        digits = 10 * digits + text[at] - '0';
      }
    }
    if (taken == 0) {
      return ZERO;
    }
    digits *= POWERS_OF_TEN[DIGITS - taken];
    long biased = Math.clamp((long) exponent + MAX_EXPONENT / 2, 0, MAX_EXPONENT);
    // What is beyond the range is one value, and so is what is below it.
    long magnitude = biased << DIGIT_BITS;
    magnitude += biased > 0 && biased < MAX_EXPONENT ? digits : 1;
    return minus ? ZERO - magnitude : ZERO + magnitude;
  }

  /// As [#prefix], for [#compareHuman].
  static long humanPrefix(byte[] text, int start, int end) {
    int at = afterBlanks(text, start, end);
    long unit = LARGEST_UNIT + (long) unit(text, at, end);
    return (unit << (Long.SIZE - UNIT_BITS)) | (prefix(text, at, end) >>> UNIT_BITS);
  }

  private static int compareMagnitudes(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int l = afterZeros(left, leftStart, leftEnd);
    int r = afterZeros(right, start, end);
    int differs = 0;
    while (isDigit(left, l, leftEnd) && isDigit(right, r, end)) {
      differs = differs != 0 ? differs : left[l] - right[r];
      l++;
      r++;
    }
    boolean leftGoesOn = isDigit(left, l, leftEnd);
    boolean rightGoesOn = isDigit(right, r, end);
    if (leftGoesOn || rightGoesOn) {
      return leftGoesOn ? 1 : -1;
    }
    return differs != 0 ? differs : compareFractions(left, l, leftEnd, right, r, end);
  }

  private static int compareFractions(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    int l = leftStart < leftEnd && left[leftStart] == '.' ? leftStart + 1 : leftEnd;
    int r = start < end && right[start] == '.' ? start + 1 : end;
    while (isDigit(left, l, leftEnd) && isDigit(right, r, end)) {
      if (left[l] != right[r]) {
        return left[l] - right[r];
      }
      l++;
      r++;
    }
    if (hasDigitButZero(left, l, leftEnd)) {
      return 1;
    }
    return hasDigitButZero(right, r, end) ? -1 : 0;
  }

  private static boolean isZero(byte[] text, int start, int end) {
    int at = afterZeros(text, start, end);
    if (isDigit(text, at, end)) {
      return false;
    }
    return at >= end || text[at] != '.' || !hasDigitButZero(text, at + 1, end);
  }

  private static boolean hasDigitButZero(byte[] text, int start, int end) {
    int at = afterZeros(text, start, end);
    return isDigit(text, at, end);
  }

  /// The power of 1,000 or 1,024 that a number's unit stands for, negative for a negative number; 0
  /// without a unit, and of zero.
  private static int unit(byte[] text, int start, int end) {
    boolean minus = start < end && text[start] == '-';
    int at = start + (minus ? 1 : 0);
    boolean isZero = isZero(text, at, end);
    while (isDigit(text, at, end)) {
      at++;
    }
    if (at < end && text[at] == '.') {
      at++;
      while (isDigit(text, at, end)) {
        at++;
      }
    }
    if (isZero || at >= end) {
      return 0;
    }
    int power = text[at] == 'k' ? 1 : UNITS.indexOf(text[at]) + 1;
    return minus ? -power : power;
  }

  private static int afterBlanks(byte[] text, int start, int end) {
    int at = start;
    while (at < end && Blanks.isBlank(text[at])) {
      at++;
    }
    return at;
  }

  private static int afterZeros(byte[] text, int start, int end) {
    int at = start;
    while (at < end && text[at] == '0') {
      at++;
    }
    return at;
  }

  private static boolean isDigit(byte[] text, int at, int end) {
    return at < end && Blanks.isDigit(text[at]);
  }
}
