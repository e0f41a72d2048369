package dev.tigris.cluster.run.protocol;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

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

  // Java would make these two at run time, which the start of each process would wait for.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunId(long its, long lower) && high == its && low == lower;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(high) + Long.hashCode(low);
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
