package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The panels of a kernel for floats.
abstract class FloatPanels extends Kernel {
  float[] left = {};
  float[] right = {};
  private float[] lane = {};

  FloatPanels(int columns) {
    super(columns);
  }

  @Override
  final void reserve(int leftLength, int rightLength) {
    if (left.length < leftLength) {
      left = new float[leftLength];
    }
    if (right.length < rightLength) {
      right = new float[rightLength];
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
    float[] panel = isLeft ? left : right;
    int width = isLeft ? ROWS : columns();
    if (lanes < width) {
      Arrays.fill(panel, to, to + depth * width, 0);
    }
    if (laneStride == Float.BYTES) {
      for (int k = 0; k < depth; k++) {
        MemorySegment.copy(
            memory, Precision.FLOAT, from + k * stride, panel, to + k * width, lanes);
      }
      return;
    }
    if (lane.length < depth) {
      lane = new float[depth];
    }
    float[] run = lane;
    for (int i = 0; i < lanes; i++) {
      long begin = from + i * laneStride;
      if (stride == Float.BYTES) {
        MemorySegment.copy(memory, Precision.FLOAT, begin, run, 0, depth);
      } else {
        for (int k = 0; k < depth; k++) {
          run[k] = memory.get(Precision.FLOAT, begin + k * stride);
        }
      }
      for (int k = 0; k < depth; k++) {
        panel[to + k * width + i] = run[k];
      }
    }
  }
}
