package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// A kernel for floats by the Vector API: four rows of three vectors, in registers.
final class VectorFloats extends FloatPanels {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final int COLUMNS = 3 * LANES;
  private static final long BYTES = SPECIES.vectorByteSize();

  VectorFloats() {
    super(COLUMNS);
  }

  @Override
  void add(int depth, int a, int b, MemorySegment memory, long at, long rowStride) {
    float[] left = this.left;
    float[] right = this.right;
    FloatVector zero = FloatVector.zero(SPECIES);
    FloatVector s00 = zero;
    FloatVector s01 = zero;
    FloatVector s02 = zero;
    FloatVector s10 = zero;
    FloatVector s11 = zero;
    FloatVector s12 = zero;
    FloatVector s20 = zero;
    FloatVector s21 = zero;
    FloatVector s22 = zero;
    FloatVector s30 = zero;
    FloatVector s31 = zero;
    FloatVector s32 = zero;
    int l = a;
    int r = b;
    for (int k = 0; k < depth; k++) {
      FloatVector r0 = FloatVector.fromArray(SPECIES, right, r);
      FloatVector r1 = FloatVector.fromArray(SPECIES, right, r + LANES);
      FloatVector r2 = FloatVector.fromArray(SPECIES, right, r + 2 * LANES);
      FloatVector x = FloatVector.broadcast(SPECIES, left[l]);
      s00 = x.fma(r0, s00);
      s01 = x.fma(r1, s01);
      s02 = x.fma(r2, s02);
      x = FloatVector.broadcast(SPECIES, left[l + 1]);
      s10 = x.fma(r0, s10);
      s11 = x.fma(r1, s11);
      s12 = x.fma(r2, s12);
      x = FloatVector.broadcast(SPECIES, left[l + 2]);
      s20 = x.fma(r0, s20);
      s21 = x.fma(r1, s21);
      s22 = x.fma(r2, s22);
      x = FloatVector.broadcast(SPECIES, left[l + 3]);
      s30 = x.fma(r0, s30);
      s31 = x.fma(r1, s31);
      s32 = x.fma(r2, s32);
      l += ROWS;
      r += COLUMNS;
    }
    add(memory, at, s00, s01, s02);
    add(memory, at + rowStride, s10, s11, s12);
    add(memory, at + 2 * rowStride, s20, s21, s22);
    add(memory, at + 3 * rowStride, s30, s31, s32);
  }

  private static void add(
      MemorySegment memory, long at, FloatVector s0, FloatVector s1, FloatVector s2) {
    add(memory, at, s0);
    add(memory, at + BYTES, s1);
    add(memory, at + 2 * BYTES, s2);
  }

  private static void add(MemorySegment memory, long at, FloatVector sum) {
    FloatVector.fromMemorySegment(SPECIES, memory, at, ByteOrder.LITTLE_ENDIAN)
        .add(sum)
        .intoMemorySegment(memory, at, ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  String name() {
    return "vector (%d x 32 bits)".formatted(LANES);
  }
}
