package dev.tigris.sort;

import dev.tigris.memory.Bytes;

/// Takes records in order, and copies what it needs later.
interface RecordSink {
  /// Takes the record that begins at `index`.
  void put(byte[] bytes, int index) throws SortException;

  /// Takes the record that begins at `offset`.
  void put(Bytes bytes, long offset) throws SortException;

  /// Takes `count` records that follow one another from `offset` on.
  void putAll(Bytes bytes, long offset, long count) throws SortException;
}
