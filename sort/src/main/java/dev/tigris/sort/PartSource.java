package dev.tigris.sort;

import dev.tigris.flow.Source;

/// A partitioner, which takes the parts of the input by itself, or is dealt them by their numbers.
interface PartSource extends Source {
  /// Reads and partitions a part of the input.
  void take(long part) throws SortException;
}
