package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;

/// A kernel for doubles without vectors: sixteen sums in registers.
final class ScalarDoubles extends DoublePanels {
  private static final int COLUMNS = 4;

  ScalarDoubles() {
    super(COLUMNS);
  }

  @Override
  void add(int depth, int a, int b, MemorySegment memory, long at, long rowStride) {
    double[] left = this.left;
    double[] right = this.right;
    double s00 = 0, s01 = 0, s02 = 0, s03 = 0;
    double s10 = 0, s11 = 0, s12 = 0, s13 = 0;
    double s20 = 0, s21 = 0, s22 = 0, s23 = 0;
    double s30 = 0, s31 = 0, s32 = 0, s33 = 0;
    int l = a;
    int r = b;
    for (int k = 0; k < depth; k++) {
      double r0 = right[r];
      double r1 = right[r + 1];
      double r2 = right[r + 2];
      double r3 = right[r + 3];
      double x = left[l];
      s00 += x * r0;
      s01 += x * r1;
      s02 += x * r2;
      s03 += x * r3;
      x = left[l + 1];
      s10 += x * r0;
      s11 += x * r1;
      s12 += x * r2;
      s13 += x * r3;
      x = left[l + 2];
      s20 += x * r0;
      s21 += x * r1;
      s22 += x * r2;
      s23 += x * r3;
      x = left[l + 3];
      s30 += x * r0;
      s31 += x * r1;
      s32 += x * r2;
      s33 += x * r3;
      l += ROWS;
      r += COLUMNS;
    }
    add(memory, at, s00, s01, s02, s03);
    add(memory, at + rowStride, s10, s11, s12, s13);
    add(memory, at + 2 * rowStride, s20, s21, s22, s23);
    add(memory, at + 3 * rowStride, s30, s31, s32, s33);
  }

  private static void add(
      MemorySegment memory, long at, double s0, double s1, double s2, double s3) {
    memory.set(Precision.REAL, at, memory.get(Precision.REAL, at) + s0);
    memory.set(
        Precision.REAL, at + Double.BYTES, memory.get(Precision.REAL, at + Double.BYTES) + s1);
    memory.set(
        Precision.REAL,
        at + 2 * Double.BYTES,
        memory.get(Precision.REAL, at + 2 * Double.BYTES) + s2);
    memory.set(
        Precision.REAL,
        at + 3 * Double.BYTES,
        memory.get(Precision.REAL, at + 3 * Double.BYTES) + s3);
  }

  @Override
  String name() {
    return "scalar";
  }
}
