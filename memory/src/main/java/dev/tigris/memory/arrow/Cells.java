package dev.tigris.memory.arrow;

import org.jspecify.annotations.Nullable;

/// The values of some rows of a column, one for each row: numbers and other values of a fixed size
/// one after the other, or texts that lie anywhere in arrays of bytes.
///
/// Thread rule: one thread.
///
/// @param isNull by row, not 0 where the value is null; null if none is
/// @param fixed the values of a fixed size
/// @param datas the arrays that texts lie in
/// @param which by row, the array that its text lies in; null if all lie in the first
/// @param starts by row, where its text begins
/// @param lengths by row, the bytes of its text
@SuppressWarnings("ArrayRecordComponent") // never compared
record Cells(
    int count,
    byte @Nullable [] isNull,
    byte[] fixed,
    byte[][] datas,
    int @Nullable [] which,
    int[] starts,
    int[] lengths) {
  private static final int[] NONE = {};

  static Cells ofFixed(int count, byte @Nullable [] isNull, byte[] fixed) {
    return new Cells(count, isNull, fixed, new byte[0][], null, NONE, NONE);
  }

  boolean isNull(int row) {
    byte[] nulls = isNull;
    return nulls != null && nulls[row] != 0;
  }

  /// The array that a row's text lies in.
  byte[] data(int row) {
    int[] arrays = which;
    return datas[arrays == null ? 0 : arrays[row]];
  }
}
