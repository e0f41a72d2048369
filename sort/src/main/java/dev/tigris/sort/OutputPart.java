package dev.tigris.sort;

/// What a sorter writes of the output.
///
/// Thread rule: one thread at a time.
sealed interface OutputPart permits FilePart, StreamPart, TurnPart {
  /// Appends the first bytes of an array, of which nothing is kept.
  void append(byte[] source, int length) throws SortException;

  /// Writes what is left.
  void finish() throws SortException;
}
