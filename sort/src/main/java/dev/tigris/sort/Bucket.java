package dev.tigris.sort;

import dev.tigris.flow.Water;
import java.util.ArrayList;
import java.util.List;

/// The records of one range of keys that a sorter has received: waters in memory, and extents of
/// its spill file.
///
/// Thread rule: its sorter's thread.
final class Bucket {
  /// A run of records in the spill file; one that was spilled begins at a block boundary.
  record Extent(long position, long records) {}

  final List<Water> waters = new ArrayList<>(4);
  final List<Extent> extents = new ArrayList<>(0);
  long records;
  long heldBytes;

  void add(Water water, long count, long waterBytes) {
    waters.add(water);
    heldBytes += waterBytes;
    records += count;
  }

  /// Gives the waters back to their springs.
  void release() {
    for (Water water : waters) {
      water.release();
    }
    waters.clear();
    heldBytes = 0;
  }
}
