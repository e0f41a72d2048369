package dev.tigris.sort;

import dev.tigris.flow.Water;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The records of one range of keys that a sorter has received: waters in memory, and extents in
/// the spill file.
///
/// A bucket knows the last of its extents only; each extent names the one before it ([SpillFile]).
/// So a bucket needs the same heap however many extents it has.
///
/// Thread rule: its sorter's thread.
final class Bucket {
  final List<Water> waters = new ArrayList<>();

  /// The last of the chain of extents, and the bytes of all of them in the file.
  SpillFile.@Nullable Extent lastExtent;

  long extentBytes;

  /// The places in the spill file of single records that belong to this bucket too, if it is part
  /// of a larger bucket that was divided.
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
