package dev.tigris.cluster.group;

/// How two elements become one.
///
/// Sums and products of integers wrap around, as in Java. A sum of `n` floating point numbers
/// differs from the exact one by at most `(n - 1) u` times the sum of their absolute values, up to
/// terms of `u` squared, where `u` is 2^-53 for `double` and 2^-24 for `float`. All members get one
/// result, bit for bit. Groups of one size get one result for one input in each run, if the members
/// of each are on one host, or those of none are.
public enum Reduction {
  /// The sum.
  SUM,
  /// The product.
  PRODUCT,
  /// The smaller one; NaN if one is.
  MINIMUM,
  /// The larger one; NaN if one is.
  MAXIMUM,
  /// The bits that both have; of integers only.
  AND,
  /// The bits that one of them has; of integers only.
  OR;

  /// Returns whether it is defined for numbers with a fraction.
  boolean takesFractions() {
    return this != AND && this != OR;
  }
}
