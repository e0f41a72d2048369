package dev.tigris.sort;

import dev.tigris.memory.Bytes;

/// Sorts a bucket of records, which stay where [Pieces] has them, by an [EntrySorter]: at the end
/// the records are handed out in order.
///
/// Thread rule: one thread at a time.
final class BucketSorter {
  /// What sorting a record takes of the heap.
  static final int ENTRY_BYTES = EntrySorter.ENTRY_BYTES;

  private final RecordFormat format;
  private final Pieces pieces;
  private final EntrySorter sorter;

  private int loadedFrom;

  /// A sorter with room for `capacity` records at first; it grows as needed. Records of up to
  /// `copyBytes` in all are sorted in a copy on the heap.
  BucketSorter(RecordFormat format, int capacity, int copyBytes) {
    this.format = format;
    this.pieces = new Pieces(format, copyBytes);
    this.sorter = new EntrySorter(pieces, capacity);
  }

  /// Forgets all records.
  void clear() {
    pieces.clear();
  }

  /// Adds records that follow one another from `offset` on.
  void add(Bytes bytes, long offset, int count) {
    pieces.add(bytes, offset, count);
  }

  /// Sorts the records and hands them to `sink` in order. Records with equal keys come in no
  /// particular order.
  void sortTo(RecordSink sink) throws SortException {
    int records = pieces.records();
    long[] entries = sorter.entries(records);
    pieces.fetch();
    if (load(entries)) {
      sorter.sort(records, loadedFrom);
      for (int i = 0; i < records; i++) {
        pieces.put(entries[i], sink);
      }
    } else {
      pieces.putAll(sink);
    }
  }

  /// Makes the entries of all records, over the first bytes of the keys that are not equal in all
  /// of them. Returns false if the keys are equal.
  private boolean load(long[] entries) {
    int records = pieces.records();
    int from = records > 1 ? 0 : format.keySize();
    while (from < format.keySize()) {
      long min = -1;
      long max = 0;
      pieces.prefixes(from, entries);
      for (int i = 0; i < records; i++) {
        long prefix = entries[i];
        min = Long.compareUnsigned(prefix, min) < 0 ? prefix : min;
        max = Long.compareUnsigned(prefix, max) > 0 ? prefix : max;
      }
      if (min != max) {
        sorter.normalise(records, min, max);
        pieces.addIndexes(entries);
        loadedFrom = from;
        return true;
      }
      from = pieces.commonBytes(from + Long.BYTES);
    }
    return false;
  }
}
