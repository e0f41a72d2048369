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
  private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
  private static final long BYTES = SPECIES.vectorByteSize();

  VectorFloats() {
    super(COLUMNS);
  }

  @Override
  void add(int depth, int a, int b, MemorySegment memory, long from, long rowStride) {
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
    long at = from;
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
    s00.add(FloatVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s01.add(FloatVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s02.add(FloatVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
    at += rowStride;
    s10.add(FloatVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s11.add(FloatVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s12.add(FloatVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
    at += rowStride;
    s20.add(FloatVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s21.add(FloatVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s22.add(FloatVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
    at += rowStride;
    s30.add(FloatVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s31.add(FloatVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s32.add(FloatVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
  }

  @Override
  String name() {
    return "vector (%d x 32 bits)".formatted(LANES);
  }
}
