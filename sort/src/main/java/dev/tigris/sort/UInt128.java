package dev.tigris.sort;

import java.math.BigInteger;

/// An unsigned 128-bit number, which is how gensort counts records and sums checksums. Arithmetic
/// wraps around.
///
/// @param high the upper 64 bits
/// @param low the lower 64 bits
public record UInt128(long high, long low) implements Comparable<UInt128> {
  /// The number 0.
  public static final UInt128 ZERO = new UInt128(0, 0);

  private static final BigInteger LIMIT = BigInteger.ONE.shiftLeft(128);

  /// Returns the number `value`, read as unsigned.
  public static UInt128 of(long value) {
    return new UInt128(0, value);
  }

  /// Reads a decimal number, which has digits only.
  ///
  /// @throws NumberFormatException if the text is not a decimal number from 0 to 2^128 - 1
  public static UInt128 parse(String decimal) {
    // BigInteger takes a sign, and the digits of all scripts.
    BigInteger value = decimal.matches("[0-9]+") ? new BigInteger(decimal) : LIMIT;
    if (value.compareTo(LIMIT) >= 0) {
      throw new NumberFormatException(decimal + " is not a number from 0 to 2^128 - 1");
    }
    return new UInt128(value.shiftRight(64).longValue(), value.longValue());
  }

  /// Returns this number plus another.
  public UInt128 plus(UInt128 other) {
    long sum = low + other.low;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new UInt128(high + other.high + carry, sum);
  }

  /// Returns this number plus an unsigned 64-bit one.
  public UInt128 plus(long unsigned) {
    return plus(of(unsigned));
  }

  /// Returns this number times another.
  public UInt128 times(UInt128 other) {
    return new UInt128(
        Math.unsignedMultiplyHigh(low, other.low) + high * other.low + low * other.high,
        low * other.low);
  }

  /// Returns how many bits the number needs: 0 for 0, 128 for the largest.
  public int significantBits() {
    return high != 0 ? 128 - Long.numberOfLeadingZeros(high) : 64 - Long.numberOfLeadingZeros(low);
  }

  /// Returns the number in hexadecimal, without leading zeros, as gensort and valsort print
  /// checksums.
  public String toHex() {
    return high == 0
        ? Long.toHexString(low)
        : Long.toHexString(high) + digits(Long.toHexString(low));
  }

  private static String digits(String hex) {
    return "0".repeat(16 - hex.length()) + hex;
  }

  @Override
  public int compareTo(UInt128 other) {
    int compared = Long.compareUnsigned(high, other.high);
    return compared != 0 ? compared : Long.compareUnsigned(low, other.low);
  }

  /// Returns the number in decimal.
  @Override
  public String toString() {
    if (high == 0 && low >= 0) {
      return Long.toString(low);
    }
    return new BigInteger(toHex(), 16).toString();
  }
}
