package dev.tigris.sort;

/// What an [EntrySorter] sorts by: keys, each known by the entry that stands for it.
///
/// Thread rule: one thread at a time.
interface SortKeys {
  /// How many of the lowest bits of an entry are the index.
  int indexBits();

  /// How many bytes of a key prefixes can be taken from.
  int keySize();

  /// Eight bytes of a key from byte `from` on, which order it, unsigned, among those that agree in
  /// the bytes before.
  long prefix(long entry, int from);

  /// In how many of their first `most` bytes two keys agree, if they agree in the first `from`;
  /// negative if they differ in what no prefix shows.
  int commonBytes(long left, long right, int from, int most);

  /// Compares two keys that agree in the first `from` bytes.
  int compareKeys(long left, long right, int from);

  /// Whether keys of which all prefixes are equal can be told apart by [#compareKeys].
  boolean resolvesTies();
}
