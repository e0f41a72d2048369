package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The type of a matrix's elements.
///
/// Thread rule: any thread.
public enum Precision {
  /// 32-bit floating point numbers: `float`, NumPy's `<f4`.
  SINGLE(Float.BYTES),
  /// 64-bit floating point numbers: `double`, NumPy's `<f8`.
  DOUBLE(Double.BYTES);

  static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfDouble REAL =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final int bytes;

  Precision(int bytes) {
    this.bytes = bytes;
  }

  /// Returns the size of an element in bytes.
  public int bytes() {
    return bytes;
  }

  /// The element that lies at a byte.
  double get(MemorySegment memory, long at) {
    return this == SINGLE ? memory.get(FLOAT, at) : memory.get(REAL, at);
  }

  /// Sets the element that lies at a byte. A SINGLE one is rounded to the nearest.
  void set(MemorySegment memory, long at, double value) {
    if (this == SINGLE) {
      memory.set(FLOAT, at, (float) value);
    } else {
      memory.set(REAL, at, value);
    }
  }
}
