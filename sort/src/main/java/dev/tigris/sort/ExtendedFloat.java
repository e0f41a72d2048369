package dev.tigris.sort;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/// A floating-point number of 80 bits, as `sort -g` reads it from text where `long double` has 64
/// bits of fraction. It is rounded to the nearest, halves to even.
///
/// ```
///   what sorts first   no number   -nan   nan   -inf ... -0 = 0 ... inf
/// ```
///
/// Thread rule: one thread at a time; [#read] is called again and again.
final class ExtendedFloat implements Comparable<ExtendedFloat> {
  private static final int FRACTION_BITS = 64;
  private static final int BIAS = 16383;
  private static final int MAX_BIASED = 0x7fff;

  /// The exponent of the last bit of the smallest numbers.
  private static final int LEAST_EXPONENT = -16445;

  /// Larger and smaller powers of ten are infinite or zero, whatever stands before them.
  private static final long MOST_DIGITS = 12_000;

  private static final int QUICK_DIGITS = 19;
  private static final int QUICK_POWER = 27;
  private static final long[] POWERS_OF_FIVE = new long[QUICK_POWER + 1];

  static {
    POWERS_OF_FIVE[0] = 1;
    for (int i = 1; i <= QUICK_POWER; i++) {
      POWERS_OF_FIVE[i] = 5 * POWERS_OF_FIVE[i - 1];
    }
  }

  private enum Category {
    NOTHING(0),
    NEGATIVE_NAN(1),
    NAN(2),
    NUMBER(3);

    final int rank;

    Category(int rank) {
      this.rank = rank;
    }
  }

  private Category category = Category.NOTHING;
  private boolean negative;

  /// As the format has it: 0 for the smallest numbers and zero, [#MAX_BIASED] for infinity.
  private int biased;

  private long fraction;

  /// Reads the number that a text begins with, behind white space.
  void read(byte[] text, int start, int end) {
    int at = start;
    while (at < end && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
      at++;
    }
    negative = at < end && text[at] == '-';
    at += negative || (at < end && text[at] == '+') ? 1 : 0;
    biased = 0;
    fraction = 0;
    category = Category.NUMBER;
    if (startsWith(text, at, end, "inf")) {
      biased = MAX_BIASED;
      fraction = Long.MIN_VALUE;
    } else if (startsWith(text, at, end, "nan")) {
      category = negative ? Category.NEGATIVE_NAN : Category.NAN;
    } else if (startsWith(text, at, end, "0x") && hasDigits(text, at + 2, end, 16)) {
      readHexadecimal(text, at + 2, end);
    } else if (hasDigits(text, at, end, 10)) {
      readDecimal(text, at, end);
    } else {
      category = Category.NOTHING;
    }
    negative &= biased != 0 || fraction != 0; // no negative zero
  }

  @Override
  public int compareTo(ExtendedFloat other) {
    if (category != other.category || category != Category.NUMBER) {
      return category.compareTo(other.category);
    }
    if (negative != other.negative) {
      return negative ? -1 : 1;
    }
    int compared = Integer.compare(biased, other.biased);
    compared = compared == 0 ? Long.compareUnsigned(fraction, other.fraction) : compared;
    return negative ? -compared : compared;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExtendedFloat number && compareTo(number) == 0;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(prefix());
  }

  /// A number that orders as [#compareTo], unsigned, as far as 64 bits can.
  long prefix() {
    if (category != Category.NUMBER) {
      return category.rank;
    }
    long magnitude = ((long) biased << 47) + (fraction >>> 17);
    return negative ? Long.MIN_VALUE - magnitude : Long.MIN_VALUE + magnitude;
  }

  private static boolean startsWith(byte[] text, int at, int end, String lowerCase) {
    if (end - at < lowerCase.length()) {
      return false;
    }
    for (int i = 0; i < lowerCase.length(); i++) {
      if ((text[at + i] | (Blanks.isLetter(text[at + i]) ? 0x20 : 0)) != lowerCase.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasDigits(byte[] text, int start, int end, int radix) {
    int at = start < end && text[start] == '.' ? start + 1 : start;
    return at < end && digit(text[at], radix) >= 0;
  }

  private static int digit(byte b, int radix) {
    return b < 0 ? -1 : Character.digit(b, radix);
  }

  private void readHexadecimal(byte[] text, int start, int end) {
    BigInteger digits = BigInteger.ZERO;
    long exponent = 0;
    long taken = 0;
    boolean point = false;
    boolean sticky = false;
    int at = start;
    for (; at < end; at++) {
      int digit = digit(text[at], 16);
      if (text[at] == '.' && !point) {
        point = true;
        continue;
      }
      if (digit < 0) {
        break;
      }
      if (taken > 0 || digit > 0) {
        taken++;
      }
      if (taken <= 40) { // more than the fraction has, and the rest is only not zero
        digits = digits.shiftLeft(4).or(BigInteger.valueOf(digit));
        exponent -= point ? 4 : 0;
      } else {
        sticky |= digit > 0;
        exponent += point ? 0 : 4;
      }
    }
    exponent += exponent(text, at, end, 'p');
    digits = digits.shiftLeft(1).or(sticky ? BigInteger.ONE : BigInteger.ZERO);
    round(digits, exponent - 1, false);
  }

  private void readDecimal(byte[] text, int start, int end) {
    int at = start;
    long digits = 0;
    int taken = 0;
    long power = 0;
    boolean point = false;
    for (; at < end; at++) {
      byte b = text[at];
      if (b == '.' && !point) {
        point = true;
        continue;
      }
      if (!Blanks.isDigit(b)) {
        break;
      }
      if (taken > 0 || b != '0') {
        taken++;
      }
      if (taken <= QUICK_DIGITS) {
        digits = 10 * digits + b - '0';
      }
      power -= point ? 1 : 0;
    }
    power += exponent(text, at, end, 'e');
    if (digits == 0) {
      return;
    }
    if (taken > QUICK_DIGITS || Math.abs(power) > QUICK_POWER) {
      readExactly(text, start, at, power, taken);
    } else if (power >= 0) {
      long five = POWERS_OF_FIVE[(int) power];
      normalise(Math.unsignedMultiplyHigh(digits, five), digits * five, (int) power);
    } else {
      divide(digits, (int) -power);
    }
  }

  /// Takes `high * 2^64 + low`, times `2^exponent`, with the exact rest.
  private void normalise(long high, long low, int exponent) {
    long top = high;
    long rest = low;
    int shifted = exponent + 64;
    if (top == 0) {
      top = rest;
      rest = 0;
      shifted -= 64;
    }
    int zeros = Long.numberOfLeadingZeros(top);
    if (zeros > 0) {
      top = (top << zeros) | (rest >>> (64 - zeros));
      rest <<= zeros;
      shifted -= zeros;
    }
    roundUp(top, rest, shifted);
  }

  /// Divides by a power of ten: by five with a quotient of 64 bits, and the rest by two.
  private void divide(long digits, int power) {
    int zeros = Long.numberOfLeadingZeros(digits);
    long numerator = digits << zeros;
    long five = POWERS_OF_FIVE[power];
    int fiveZeros = Long.numberOfLeadingZeros(five);
    long divisor = five << fiveZeros;
    int shift = Long.compareUnsigned(numerator, divisor) >= 0 ? 63 : 64;
    BigInteger[] parts = unsigned(numerator).shiftLeft(shift).divideAndRemainder(unsigned(divisor));
    long quotient = parts[0].longValue();
    BigInteger twice = parts[1].shiftLeft(1);
    int half = twice.compareTo(unsigned(divisor));
    // The rest as what lies behind the fraction: more than half, half, less, nothing.
    long rest = half > 0 ? -1L : half == 0 ? Long.MIN_VALUE : parts[1].signum() > 0 ? 1 : 0;
    roundUp(quotient, rest, fiveZeros - zeros - shift - power);
  }

  private static BigInteger unsigned(long value) {
    BigInteger signed = BigInteger.valueOf(value);
    return value < 0 ? signed.add(BigInteger.ONE.shiftLeft(64)) : signed;
  }

  /// Rounds a fraction whose top bit is set, with what lies behind it, of a number that is well
  /// inside the range.
  private void roundUp(long top, long rest, int exponent) {
    long rounded = top;
    int shifted = exponent;
    boolean up = rest < 0 && (rest != Long.MIN_VALUE || (top & 1) != 0);
    if (up) {
      rounded++;
      if (rounded == 0) {
        rounded = Long.MIN_VALUE;
        shifted++;
      }
    }
    fraction = rounded;
    biased = shifted + FRACTION_BITS - 1 + BIAS;
  }

  private void readExactly(byte[] text, int start, int end, long power, long taken) {
    long magnitude = taken + power;
    if (magnitude > MOST_DIGITS || magnitude < -MOST_DIGITS) {
      round(BigInteger.ONE, magnitude > 0 ? MAX_BIASED : -2L * MAX_BIASED, false);
      return;
    }
    var digits = new byte[(int) Math.min(taken, MOST_DIGITS)];
    int count = 0;
    long left = 0;
    boolean sticky = false;
    for (int at = start; at < end; at++) {
      byte b = text[at];
      if (b == '.' || (count == 0 && b == '0')) {
        continue;
      }
      if (count < digits.length) {
        digits[count++] = b;
      } else {
        left++;
        sticky |= b != '0';
      }
    }
    BigInteger number = new BigInteger(new String(digits, StandardCharsets.ISO_8859_1));
    long tens = power + left;
    if (tens >= 0) {
      round(number.multiply(BigInteger.TEN.pow((int) tens)), 0, sticky);
      return;
    }
    BigInteger divisor = BigInteger.TEN.pow((int) -tens);
    int shift = Math.max(0, divisor.bitLength() - number.bitLength() + 2 * FRACTION_BITS);
    BigInteger[] parts = number.shiftLeft(shift).divideAndRemainder(divisor);
    round(parts[0], -shift, sticky || parts[1].signum() > 0);
  }

  /// Rounds `number * 2^exponent`, and a little more if `sticky`.
  private void round(BigInteger number, long exponent, boolean sticky) {
    if (number.signum() == 0) {
      return;
    }
    long top = exponent + number.bitLength() - 1; // of the highest bit
    long last = Math.max(top - FRACTION_BITS + 1, LEAST_EXPONENT); // of the fraction's last bit
    long drop = last - exponent;
    if (top >= MAX_BIASED - BIAS) {
      overflow();
      return;
    }
    if (drop > number.bitLength() + 1) {
      return; // less than half of the smallest
    }
    BigInteger kept = number.shiftRight((int) drop);
    if (drop > 0) {
      boolean half = number.testBit((int) drop - 1);
      boolean more = sticky || number.getLowestSetBit() < drop - 1;
      if (half && (more || kept.testBit(0))) {
        kept = kept.add(BigInteger.ONE);
      }
    }
    if (kept.bitLength() > FRACTION_BITS) {
      kept = kept.shiftRight(1);
      last++;
    }
    fraction = kept.longValue();
    biased = fraction < 0 ? (int) (last + FRACTION_BITS - 1 + BIAS) : 0;
    if (biased >= MAX_BIASED) {
      overflow();
    }
  }

  private void overflow() {
    biased = MAX_BIASED;
    fraction = Long.MIN_VALUE;
  }

  /// The exponent behind a number; 0 if there is none, and one beyond all bounds as a large one.
  private static long exponent(byte[] text, int start, int end, char letter) {
    if (start >= end || (text[start] | 0x20) != letter) {
      return 0;
    }
    int at = start + 1;
    boolean minus = at < end && text[at] == '-';
    at += minus || (at < end && text[at] == '+') ? 1 : 0;
    long exponent = 0;
    for (; at < end && Blanks.isDigit(text[at]); at++) {
      exponent = Math.min(Integer.MAX_VALUE, 10 * exponent + text[at] - '0');
    }
    return minus ? -exponent : exponent;
  }
}
