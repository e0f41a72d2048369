package dev.tigris.bench;

import com.fasterxml.jackson.annotation.JsonValue;

/// In which direction a figure improves.
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

  /// How many times better `value` is than `peerValue`: over 1 is better, under 1 is worse.
  public double times(double value, double peerValue) {
    return this == LOWER ? peerValue / value : value / peerValue;
  }
}
