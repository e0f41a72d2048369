package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.util.Arrays;

/// Sorts a bucket of records that lie in *pieces* of memory. The records stay where they are; what
/// is sorted is an *entry* of 8 bytes for each, and at the end the records are handed out in order.
/// Entries lie in an array on the heap, which code that is not optimized yet reaches at once
/// (docs/decisions/033-buckets.md):
///
/// ```
///   63                              indexBits               0
///   +-----------------------------------+-------------------+
///   | top bits of the normalised prefix |   piece | record  |
///   +-----------------------------------+-------------------+
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
  private static final int CACHE_LINE_BYTES = 64;

  /// What sorting a record takes of the heap.
  static final int ENTRY_BYTES = 2 * Long.BYTES;

  private final RecordFormat format;
  private final int recordSize;

  private Bytes[] pieces = new Bytes[64];
  private long[] offsets = new long[64];
  private int[] counts = new int[64];
  private int pieceCount;
  private int largestPiece;
  private int records;

  /// A sum that nobody wants, so that the reads that it sums are not compiled away.
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  private int recordBits;
  private int indexBits;
  private int loadedFrom;
  private long[] entries;
  private long[] scratch;
  private final int[] counters = new int[1 << MAX_DIGIT_BITS];

  // Runs that are still to be sorted: first entry, end, and the key byte from which on.
  private int[] runs = new int[48];
  private int runsEnd;

  /// A sorter with room for `capacity` records at first; it grows as needed.
  BucketSorter(RecordFormat format, int capacity) {
    this.format = format;
    this.recordSize = format.recordSize();
    this.entries = new long[capacity];
    this.scratch = new long[capacity];
  }

  /// Forgets all pieces.
  void clear() {
    Arrays.fill(pieces, 0, pieceCount, null);
    pieceCount = 0;
    largestPiece = 0;
    records = 0;
  }

  /// Adds records that follow one another from `offset` on.
  @SuppressWarnings("NullAway") // the slots from pieceCount on are null, and never read
  void add(Bytes bytes, long offset, int count) {
    if (pieceCount == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * pieceCount);
      offsets = Arrays.copyOf(offsets, 2 * pieceCount);
      counts = Arrays.copyOf(counts, 2 * pieceCount);
    }
    pieces[pieceCount] = bytes;
    offsets[pieceCount] = offset;
    counts[pieceCount] = count;
    pieceCount++;
    largestPiece = Math.max(largestPiece, count);
    records = Math.addExact(records, count);
  }

  /// Sorts the records and hands them to `sink` in order. Records with equal keys come in no
  /// particular order.
  void sortTo(RecordSink sink) throws SortException {
    recordBits = bitsFor(largestPiece);
    indexBits = recordBits + bitsFor(pieceCount);
    if (entries.length < records) {
      entries = new long[records];
      scratch = new long[records];
    }
    if (load()) {
      runsEnd = 0;
      sortRange(0, records, loadedFrom);
      while (runsEnd > 0) {
        runsEnd -= 3;
        deepen(runs[runsEnd], runs[runsEnd + 1], runs[runsEnd + 2]);
      }
      emitSorted(sink);
    } else {
      emitAsTheyAre(sink);
    }
  }

  /// How many bits tell `count` things apart.
  private static int bitsFor(long count) {
    return Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, count - 1));
  }

  /// Makes the entries of all records, over the first bytes of the keys that are not equal in all
  /// of them. Returns false if the keys are equal.
  private boolean load() {
    int from = records > 1 ? 0 : format.keySize();
    while (from < format.keySize()) {
      long min = -1;
      long max = 0;
      int index = 0;
      for (int piece = 0; piece < pieceCount; piece++) {
        Bytes bytes = pieces[piece];
        long at = offsets[piece];
        if (from == 0) {
          fetch(bytes, at, at + (long) counts[piece] * recordSize);
        }
        for (int i = 0; i < counts[piece]; i++, at += recordSize, index++) {
          long prefix = format.prefix(bytes, at, from);
          entries[index] = prefix;
          min = Long.compareUnsigned(prefix, min) < 0 ? prefix : min;
          max = Long.compareUnsigned(prefix, max) > 0 ? prefix : max;
        }
      }
      if (min != max) {
        pack(min, max);
        loadedFrom = from;
        return true;
      }
      from = commonBytes(from + Long.BYTES);
    }
    return false;
  }

  /// In how many bytes all keys agree, which is known of the first `from`.
  private int commonBytes(int from) {
    int common = format.keySize();
    for (int piece = 0; piece < pieceCount; piece++) {
      long at = offsets[piece];
      for (int i = 0; i < counts[piece] && from < common; i++, at += recordSize) {
        common = format.commonBytes(pieces[0], offsets[0], pieces[piece], at, from, common);
      }
    }
    return common;
  }

  /// Reads from every cache line, in order, which the processor foresees: the records are then in
  /// the cache when they are gathered in another order, which it does not
  /// (docs/decisions/033-buckets.md).
  private void fetch(Bytes bytes, long from, long to) {
    long sum = 0;
    for (long at = from; at + Long.BYTES <= to; at += CACHE_LINE_BYTES) {
      sum += bytes.getLong(at);
    }
    fetched += sum;
  }

  private void pack(long min, long max) {
    int shift = Long.numberOfLeadingZeros(max - min);
    long indexMask = (1L << indexBits) - 1;
    int index = 0;
    for (int piece = 0; piece < pieceCount; piece++) {
      long first = (long) piece << recordBits;
      for (int i = 0; i < counts[piece]; i++, index++) {
        long normalised = (entries[index] - min) << shift;
        entries[index] = (normalised & ~indexMask) | (first + i);
      }
    }
  }

  /// Sorts the entries from `low` to `high`, made over the key bytes from `from` on, except for
  /// long runs, which it puts aside.
  private void sortRange(int low, int high, int from) {
    int keyBits = Long.SIZE - indexBits;
    int wanted = Math.min(keyBits, bitsFor(high - low) + SPARE_BITS);
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
    long indexMask = (1L << indexBits) - 1;
    int from = first;
    while (from < format.keySize()) {
      long min = -1;
      long max = 0;
      for (int i = low; i < high; i++) {
        long entry = entries[i];
        long prefix = format.prefix(piece(entry), offset(entry), from);
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
    long head = entries[low];
    for (int i = low + 1; i < high && from < common; i++) {
      long entry = entries[i];
      common =
          format.commonBytes(piece(head), offset(head), piece(entry), offset(entry), from, common);
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
    int compared = Long.compareUnsigned(left >>> indexBits, right >>> indexBits);
    if (compared == 0) {
      compared = format.compareKeys(piece(left), offset(left), piece(right), offset(right), from);
    }
    return compared > 0;
  }

  private Bytes piece(long entry) {
    return pieces[(int) ((entry & ((1L << indexBits) - 1)) >>> recordBits)];
  }

  private long offset(long entry) {
    int piece = (int) ((entry & ((1L << indexBits) - 1)) >>> recordBits);
    return offsets[piece] + (entry & ((1L << recordBits) - 1)) * recordSize;
  }

  private void emitSorted(RecordSink sink) throws SortException {
    for (int i = 0; i < records; i++) {
      long entry = entries[i];
      sink.put(piece(entry), offset(entry));
    }
  }

  private void emitAsTheyAre(RecordSink sink) throws SortException {
    for (int piece = 0; piece < pieceCount; piece++) {
      long at = offsets[piece];
      for (int i = 0; i < counts[piece]; i++, at += recordSize) {
        sink.put(pieces[piece], at);
      }
    }
  }
}
