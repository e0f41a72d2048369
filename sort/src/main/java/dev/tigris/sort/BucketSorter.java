package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.util.Arrays;

/// Sorts a bucket of records, which stay where [Pieces] has them: what is sorted is an *entry* of 8
/// bytes for each, and at the end the records are handed out in order.
///
/// ```
///   63                              indexBits           0
///   +-----------------------------------+---------------+
///   | top bits of the normalised prefix |     index     |
///   +-----------------------------------+---------------+
///   |<-- digits -->|
/// ```
///
/// The *prefix* is eight bytes of the key, the first eight to begin with. It is *normalised* to the
/// bucket: the smallest is subtracted, and the rest shifted left until the largest uses the top
/// bit. Then a least-significant-digit radix sort over as many of the top bits as tell nearly all
/// records apart (two passes for what fits a cache) leaves short runs of entries that agree in
/// them. A short run is sorted by insertion, comparing whole keys. A long one is sorted like a
/// bucket of its own: its prefixes are read again and normalised to the run, or, where they are all
/// equal, taken from after what the keys have in common. Each such step resolves at least
/// [#MIN_DIGIT_BITS] bits of the key or skips bytes that are equal, so the worst distribution of
/// keys costs a number of passes in proportion to the length of the keys, and not to the number of
/// records.
///
/// Thread rule: one thread at a time.
final class BucketSorter {
  private static final int MIN_DIGIT_BITS = 8;
  private static final int MAX_DIGIT_BITS = 11;

  /// So many bits more than the number of records has leave one record in sixty-four in a run.
  private static final int SPARE_BITS = 6;

  private static final int INSERTION_LIMIT = 24;

  /// What sorting a record takes of the heap.
  static final int ENTRY_BYTES = 2 * Long.BYTES;

  private final RecordFormat format;
  private final Pieces pieces;

  private int loadedFrom;
  private long[] entries;
  private long[] scratch;

  private final int[] counters = new int[1 << MAX_DIGIT_BITS];

  // Runs that are still to be sorted: first entry, end, and the key byte from which on.
  private int[] runs = new int[48];
  private int runsEnd;

  /// A sorter with room for `capacity` records at first; it grows as needed. Records of up to
  /// `copyBytes` in all are sorted in a copy on the heap.
  BucketSorter(RecordFormat format, int capacity, int copyBytes) {
    this.format = format;
    this.pieces = new Pieces(format, copyBytes);
    this.entries = new long[capacity];
    this.scratch = new long[capacity];
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
    if (entries.length < records) {
      entries = new long[records];
      scratch = new long[records];
    }
    pieces.fetch();
    if (load()) {
      runsEnd = 0;
      sortRange(0, records, loadedFrom);
      while (runsEnd > 0) {
        runsEnd -= 3;
        deepen(runs[runsEnd], runs[runsEnd + 1], runs[runsEnd + 2]);
      }
      for (int i = 0; i < records; i++) {
        pieces.put(entries[i], sink);
      }
    } else {
      pieces.putAll(sink);
    }
  }

  /// Makes the entries of all records, over the first bytes of the keys that are not equal in all
  /// of them. Returns false if the keys are equal.
  private boolean load() {
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
        pack(min, max);
        loadedFrom = from;
        return true;
      }
      from = pieces.commonBytes(from + Long.BYTES);
    }
    return false;
  }

  private void pack(long min, long max) {
    int shift = Long.numberOfLeadingZeros(max - min);
    long indexMask = (1L << pieces.indexBits()) - 1;
    for (int i = 0; i < pieces.records(); i++) {
      entries[i] = (entries[i] - min) << shift & ~indexMask;
    }
    pieces.addIndexes(entries);
  }

  /// Sorts the entries from `low` to `high`, made over the key bytes from `from` on, except for
  /// long runs, which it puts aside.
  private void sortRange(int low, int high, int from) {
    int keyBits = Long.SIZE - pieces.indexBits();
    int wanted = Math.min(keyBits, Pieces.bitsFor(high - low) + SPARE_BITS);
    int digits = (wanted + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
    int digitBits = Math.max(MIN_DIGIT_BITS, (wanted + digits - 1) / digits);
    digitBits = Math.min(digitBits, keyBits / digits);
    int sortedBits = digits * digitBits;
    if (high - low <= INSERTION_LIMIT) {
      insertionSort(low, high, from);
      return;
    }
    boolean inEntries = true;
    for (int digit = digits - 1; digit >= 0; digit--) {
      int shift = Long.SIZE - digitBits * (digit + 1);
      if (inEntries) {
        scatter(entries, scratch, low, high, shift, digitBits);
      } else {
        scatter(scratch, entries, low, high, shift, digitBits);
      }
      inEntries = !inEntries;
    }
    if (!inEntries) {
      System.arraycopy(scratch, low, entries, low, high - low);
    }
    sortRuns(low, high, from, Long.SIZE - sortedBits);
  }

  private void scatter(long[] source, long[] target, int low, int high, int shift, int digitBits) {
    int[] next = counters;
    int mask = (1 << digitBits) - 1;
    Arrays.fill(next, 0, mask + 1, 0);
    for (int i = low; i < high; i++) {
      next[(int) (source[i] >>> shift) & mask]++;
    }
    int sum = 0;
    for (int i = 0; i <= mask; i++) {
      int count = next[i];
      next[i] = sum;
      sum += count;
    }
    for (int i = low; i < high; i++) {
      long entry = source[i];
      int digit = (int) (entry >>> shift) & mask;
      target[low + next[digit]++] = entry;
    }
  }

  /// Sorts runs of entries that agree in the bits from `shift` on.
  private void sortRuns(int low, int high, int from, int shift) {
    int start = low;
    long head = entries[low] >>> shift;
    for (int i = low + 1; i <= high; i++) {
      if (i < high && entries[i] >>> shift == head) {
        continue;
      }
      if (i - start > INSERTION_LIMIT) {
        putAside(start, i, from);
      } else if (i - start > 1) {
        insertionSort(start, i, from);
      }
      if (i < high) {
        start = i;
        head = entries[i] >>> shift;
      }
    }
  }

  private void putAside(int low, int high, int from) {
    if (runsEnd == runs.length) {
      runs = Arrays.copyOf(runs, 2 * runsEnd);
    }
    runs[runsEnd++] = low;
    runs[runsEnd++] = high;
    runs[runsEnd++] = from;
  }

  /// Sorts a long run, whose keys agree in the bytes before `first`, like a bucket of its own.
  private void deepen(int low, int high, int first) {
    long indexMask = (1L << pieces.indexBits()) - 1;
    int from = first;
    while (from < format.keySize()) {
      long min = -1;
      long max = 0;
      for (int i = low; i < high; i++) {
        long prefix = pieces.prefix(entries[i], from);
        scratch[i] = prefix;
        min = Long.compareUnsigned(prefix, min) < 0 ? prefix : min;
        max = Long.compareUnsigned(prefix, max) > 0 ? prefix : max;
      }
      if (min != max) {
        int shift = Long.numberOfLeadingZeros(max - min);
        for (int i = low; i < high; i++) {
          long normalised = (scratch[i] - min) << shift;
          entries[i] = (normalised & ~indexMask) | (entries[i] & indexMask);
        }
        sortRange(low, high, from);
        return;
      }
      from = commonBytes(low, high, from + Long.BYTES);
    }
  }

  /// In how many bytes the keys of a run agree, which is known of the first `from`.
  private int commonBytes(int low, int high, int from) {
    int common = format.keySize();
    for (int i = low + 1; i < high && from < common; i++) {
      common = pieces.commonBytes(entries[low], entries[i], from, common);
    }
    return common;
  }

  private void insertionSort(int low, int high, int from) {
    for (int i = low + 1; i < high; i++) {
      long entry = entries[i];
      int at = i;
      while (at > low && isAfter(entries[at - 1], entry, from)) {
        entries[at] = entries[at - 1];
        at--;
      }
      entries[at] = entry;
    }
  }

  private boolean isAfter(long left, long right, int from) {
    int shift = pieces.indexBits();
    int compared = Long.compareUnsigned(left >>> shift, right >>> shift);
    return (compared == 0 ? pieces.compareKeys(left, right, from) : compared) > 0;
  }
}
