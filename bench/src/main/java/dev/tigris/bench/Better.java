package dev.tigris.bench;

import com.fasterxml.jackson.annotation.JsonValue;

/// The direction in which a figure improves.
public enum Better {
  /// A time or a size.
  LOWER,
  /// A rate or a share.
  HIGHER;

  /// The word that stands in the results.
  @JsonValue
  public String word() {
    return this == LOWER ? "lower" : "higher";
  }

  /// Returns how many times better `value` is than `peerValue`: above 1 is better, below 1 is
  /// worse.
  public double times(double value, double peerValue) {
    return this == LOWER ? peerValue / value : value / peerValue;
  }
}
