package dev.tigris.cluster.run.protocol;

import java.util.HexFormat;

/// The name of a run: a random number of 128 bits.
///
/// @param high the upper half
/// @param low the lower half
public record RunId(long high, long low) {
  private static final int DIGITS = 32;

  /// Returns the run that was printed so.
  ///
  /// @throws IllegalArgumentException if these are not 32 hexadecimal digits
  public static RunId parse(String digits) {
    if (digits.length() != DIGITS) {
      throw new IllegalArgumentException(
          "'%s' is not a run: a run has %d hexadecimal digits".formatted(digits, DIGITS));
    }
    try {
      return new RunId(
          HexFormat.fromHexDigitsToLong(digits, 0, DIGITS / 2),
          HexFormat.fromHexDigitsToLong(digits, DIGITS / 2, DIGITS));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'%s' is not a run: a run has %d hexadecimal digits".formatted(digits, DIGITS), e);
    }
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
