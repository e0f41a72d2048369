package dev.tigris.sort;

import dev.tigris.memory.Bytes;

/// Takes records one by one, in order.
@FunctionalInterface
interface RecordSink {
  /// Takes the record that begins at `offset`; copies it if it is needed later.
  void put(Bytes bytes, long offset) throws SortException;
}
