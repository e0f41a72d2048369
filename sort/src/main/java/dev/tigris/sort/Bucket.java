package dev.tigris.sort;

import dev.tigris.flow.Water;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The records of one range of keys that a sorter has received: waters in memory, and what was
/// spilled of them.
///
/// Of the extents that it was spilled to, a bucket knows the last one only, which names the one
/// before it, and so on ([SpillFile]). So extents take the same of the heap however many there are.
///
/// Thread rule: its sorter's thread.
final class Bucket {
  final List<Water> waters = new ArrayList<>();

  /// The last of the chain of extents, and how many bytes of the file all of them are.
  SpillFile.@Nullable Extent lastExtent;

  long extentBytes;

  /// Where in the spill file single records are that belong to this bucket too: of one that a
  /// larger bucket was divided into.
  final List<Long> singles = new ArrayList<>();

  long records;
  long heldBytes;

  void add(Water water, long count) {
    waters.add(water);
    heldBytes += water.footprintBytes();
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
