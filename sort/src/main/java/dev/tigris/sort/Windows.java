package dev.tigris.sort;

/// Numbers in unsigned order, and where among them another one belongs: a table over their range
/// says between which two to look.
///
/// Thread rule: immutable; any thread.
final class Windows {
  private static final int CELL_BITS = 14;
  private static final int CELLS = 1 << CELL_BITS;

  private final long[] windows;
  private final long first;
  private final int cellShift;

  /// Per cell, how many windows lie in the cells before it.
  private final int[] before = new int[CELLS + 1];

  Windows(long[] windows) {
    this.windows = windows;
    int count = windows.length;
    this.first = count == 0 ? 0 : windows[0];
    long range = count == 0 ? 0 : windows[count - 1] - first;
    this.cellShift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(range) - CELL_BITS);
    for (long window : windows) {
      before[cell(window) + 1]++;
    }
    for (int cell = 0; cell < CELLS; cell++) {
      before[cell + 1] += before[cell];
    }
  }

  int count() {
    return windows.length;
  }

  long get(int index) {
    return windows[index];
  }

  /// The first window that may be above this value.
  int low(long value) {
    return Long.compareUnsigned(value, first) < 0 ? 0 : before[cell(value)];
  }

  /// The first window that is above it for sure.
  int high(long value) {
    return Long.compareUnsigned(value, first) < 0 ? 0 : before[cell(value) + 1];
  }

  private int cell(long value) {
    long cell = (value - first) >>> cellShift; // unsigned
    return cell >= 0 && cell < CELLS ? (int) cell : CELLS - 1;
  }
}
