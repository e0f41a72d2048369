package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The panels of a kernel for doubles.
abstract class DoublePanels extends Kernel {
  double[] left = {};
  double[] right = {};
  private double[] lane = {};

  DoublePanels(int columns) {
    super(columns);
  }

  @Override
  final void reserve(int leftLength, int rightLength) {
    if (left.length < leftLength) {
      left = new double[leftLength];
    }
    if (right.length < rightLength) {
      right = new double[rightLength];
    }
  }

  @Override
  final void pack(
      boolean isLeft,
      MemorySegment memory,
      long from,
      long laneStride,
      long stride,
      int lanes,
      int depth,
      int to) {
    double[] panel = isLeft ? left : right;
    int width = isLeft ? ROWS : columns();
    if (lanes < width) {
      Arrays.fill(panel, to, to + depth * width, 0);
    }
    if (laneStride == Double.BYTES) {
      for (int k = 0; k < depth; k++) {
        MemorySegment.copy(memory, Precision.REAL, from + k * stride, panel, to + k * width, lanes);
      }
      return;
    }
    if (lane.length < depth) {
      lane = new double[depth];
    }
    double[] run = lane;
    for (int i = 0; i < lanes; i++) {
      long begin = from + i * laneStride;
      if (stride == Double.BYTES) {
        MemorySegment.copy(memory, Precision.REAL, begin, run, 0, depth);
      } else {
        for (int k = 0; k < depth; k++) {
          run[k] = memory.get(Precision.REAL, begin + k * stride);
        }
      }
      for (int k = 0; k < depth; k++) {
        panel[to + k * width + i] = run[k];
      }
    }
  }
}
