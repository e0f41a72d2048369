package dev.tigris.sort;

/// Takes lines one by one.
interface LineTaker {
  /// Takes the line in `[start, end)`, with the byte that ends it.
  void take(byte[] block, int start, int end) throws SortException;
}
