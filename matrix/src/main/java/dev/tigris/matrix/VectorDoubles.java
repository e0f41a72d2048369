package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/// A kernel for doubles by the Vector API: four rows of three vectors, in registers.
final class VectorDoubles extends DoublePanels {
  private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final int COLUMNS = 3 * LANES;
  private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
  private static final long BYTES = SPECIES.vectorByteSize();

  VectorDoubles() {
    super(COLUMNS);
  }

  @Override
  void add(int depth, int a, int b, MemorySegment memory, long from, long rowStride) {
    double[] left = this.left;
    double[] right = this.right;
    DoubleVector zero = DoubleVector.zero(SPECIES);
    DoubleVector s00 = zero;
    DoubleVector s01 = zero;
    DoubleVector s02 = zero;
    DoubleVector s10 = zero;
    DoubleVector s11 = zero;
    DoubleVector s12 = zero;
    DoubleVector s20 = zero;
    DoubleVector s21 = zero;
    DoubleVector s22 = zero;
    DoubleVector s30 = zero;
    DoubleVector s31 = zero;
    DoubleVector s32 = zero;
    long at = from;
    int l = a;
    int r = b;
    for (int k = 0; k < depth; k++) {
      DoubleVector r0 = DoubleVector.fromArray(SPECIES, right, r);
      DoubleVector r1 = DoubleVector.fromArray(SPECIES, right, r + LANES);
      DoubleVector r2 = DoubleVector.fromArray(SPECIES, right, r + 2 * LANES);
      DoubleVector x = DoubleVector.broadcast(SPECIES, left[l]);
      s00 = x.fma(r0, s00);
      s01 = x.fma(r1, s01);
      s02 = x.fma(r2, s02);
      x = DoubleVector.broadcast(SPECIES, left[l + 1]);
      s10 = x.fma(r0, s10);
      s11 = x.fma(r1, s11);
      s12 = x.fma(r2, s12);
      x = DoubleVector.broadcast(SPECIES, left[l + 2]);
      s20 = x.fma(r0, s20);
      s21 = x.fma(r1, s21);
      s22 = x.fma(r2, s22);
      x = DoubleVector.broadcast(SPECIES, left[l + 3]);
      s30 = x.fma(r0, s30);
      s31 = x.fma(r1, s31);
      s32 = x.fma(r2, s32);
      l += ROWS;
      r += COLUMNS;
    }
    s00.add(DoubleVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s01.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s02.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
    at += rowStride;
    s10.add(DoubleVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s11.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s12.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
    at += rowStride;
    s20.add(DoubleVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s21.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s22.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
    at += rowStride;
    s30.add(DoubleVector.fromMemorySegment(SPECIES, memory, at, ORDER))
        .intoMemorySegment(memory, at, ORDER);
    s31.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + BYTES, ORDER))
        .intoMemorySegment(memory, at + BYTES, ORDER);
    s32.add(DoubleVector.fromMemorySegment(SPECIES, memory, at + 2 * BYTES, ORDER))
        .intoMemorySegment(memory, at + 2 * BYTES, ORDER);
  }

  @Override
  String name() {
    return "vector (%d x 64 bits)".formatted(LANES);
  }
}
