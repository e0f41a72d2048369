package dev.tigris.bench.memory;

/// Sixteen ints, however they are stored.
interface Sixteen {
  /// How many fields there are, named `f0` and so on.
  int FIELDS = 16;

  /// The values of all fields.
  int[] values();

  /// Sets all fields.
  void values(int[] values);
}
