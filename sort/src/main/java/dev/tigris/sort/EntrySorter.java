package dev.tigris.sort;

import java.util.Arrays;

/// Sorts *entries* of 8 bytes, each of which stands for something with a key:
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
/// entries apart (two passes for what fits a cache) leaves short runs of entries that agree in
/// them. A short run is sorted by insertion, comparing what follows in the keys behind what they
/// have in common. A long one is sorted like a bucket of its own: by the bits of its entries that
/// no pass has looked at, or, where they are all equal, by prefixes from after what the keys have
/// in common. Each such step resolves at least [#MIN_DIGIT_BITS] bits of the key or skips bytes
/// that are equal, so the worst distribution of keys costs a number of passes in proportion to the
/// length of the keys, and not to the number of entries. What no prefix tells apart is merged by
/// comparing whole keys, if the keys ask for it.
///
/// Every step is stable: entries with equal keys keep their order.
///
/// Thread rule: one thread at a time.
final class EntrySorter {
  private static final int MIN_DIGIT_BITS = 8;
  private static final int MAX_DIGIT_BITS = 11;

  /// So many bits more than the number of entries has leave one entry in sixty-four in a run.
  private static final int SPARE_BITS = 6;

  private static final int INSERTION_LIMIT = 24;

  /// What sorting an entry takes of the heap.
  static final int ENTRY_BYTES = 2 * Long.BYTES;

  private final SortKeys keys;
  private long[] entries;
  private long[] scratch;

  private final int[] counters = new int[1 << MAX_DIGIT_BITS];

  /// Of the entries that are being sorted.
  private int indexBits;

  // Runs that are still to be sorted: first entry, end, and the key byte from which on.
  private int[] runs = new int[48];
  private int runsEnd;

  /// A sorter with room for `capacity` entries at first; it grows as needed.
  EntrySorter(SortKeys keys, int capacity) {
    this.keys = keys;
    this.entries = new long[capacity];
    this.scratch = new long[capacity];
  }

  /// The entries: room for `count` prefixes, in the order of the indexes. What was there is lost if
  /// there was less room.
  long[] entries(int count) {
    if (entries.length < count) {
      entries = new long[count];
      scratch = new long[count];
    }
    return entries;
  }

  /// Normalises the prefixes in the first `count` entries, which are not all equal, and leaves the
  /// bits of the indexes zero.
  void normalise(int count, long min, long max) {
    int shift = Long.numberOfLeadingZeros(max - min);
    long indexMask = (1L << keys.indexBits()) - 1;
    for (int i = 0; i < count; i++) {
      entries[i] = (entries[i] - min) << shift & ~indexMask;
    }
  }

  /// Sorts the first `count` entries, normalised prefixes of the key from byte `from` on with their
  /// indexes.
  void sort(int count, int from) {
    runsEnd = 0;
    indexBits = keys.indexBits();
    sortRange(0, count, from);
    sortPutAside();
  }

  /// Makes entries of the indexes below `count`, and sorts them; they stay until the next call.
  long[] sortAll(int count) {
    runsEnd = 0;
    indexBits = keys.indexBits();
    long[] sorted = entries(count);
    for (int i = 0; i < count; i++) {
      sorted[i] = i;
    }
    if (count > 1) {
      spread(0, count, 0);
      sortPutAside();
    }
    return sorted;
  }

  private void sortPutAside() {
    while (runsEnd > 0) {
      runsEnd -= 3;
      deepen(runs[runsEnd], runs[runsEnd + 1], runs[runsEnd + 2]);
    }
  }

  /// Sorts the entries from `low` to `high`, made over the key bytes from `from` on, except for
  /// long runs, which it puts aside.
  private void sortRange(int low, int high, int from) {
    int keyBits = Long.SIZE - keys.indexBits();
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
      } else if (i - start > 2) {
        sortShort(start, i, from);
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

  /// Sorts a long run, whose keys agree in the bytes before `from`, like a bucket of its own.
  private void deepen(int low, int high, int from) {
    if (!sortByKnownBits(low, high, from)) {
      spread(low, high, commonBytes(low, high, from));
    }
  }

  /// Sorts entries whose keys agree in the bytes before `first` by the prefixes from there on, or,
  /// where all of those are equal, from after what the keys have in common.
  private void spread(int low, int high, int first) {
    long indexMask = (1L << keys.indexBits()) - 1;
    int from = first;
    while (from >= 0 && from < keys.keySize()) {
      long min = -1;
      long max = 0;
      for (int i = low; i < high; i++) {
        long prefix = keys.prefix(entries[i], from);
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
    if (from < 0) { // otherwise all of the keys are equal
      mergeTied(low, high);
    }
  }

  /// Sorts a long run by the bits of its entries that no pass has looked at yet, if they differ: no
  /// key has to be read for that.
  private boolean sortByKnownBits(int low, int high, int from) {
    long min = entries[low] >>> indexBits;
    long max = min;
    for (int i = low + 1; i < high; i++) {
      long known = entries[i] >>> indexBits;
      min = Math.min(known, min);
      max = Math.max(known, max);
    }
    if (min == max) {
      return false;
    }
    int shift = Long.numberOfLeadingZeros(max - min);
    long indexMask = (1L << indexBits) - 1;
    for (int i = low; i < high; i++) {
      long normalised = ((entries[i] >>> indexBits) - min) << shift;
      entries[i] = normalised | (entries[i] & indexMask);
    }
    sortRange(low, high, from);
    return true;
  }

  /// Sorts a run of which no prefix is left by comparing whole keys: pieces that insertion has
  /// sorted are merged, in longer and longer ones.
  private void mergeTied(int low, int high) {
    if (!keys.resolvesTies() || isInOrder(low, high)) {
      return;
    }
    for (int piece = low; piece < high; piece += INSERTION_LIMIT) {
      insertTied(piece, Math.min(high, piece + INSERTION_LIMIT));
    }
    for (long width = INSERTION_LIMIT; width < high - low; width *= 2) {
      for (long piece = low; piece + width < high; piece += 2 * width) {
        merge((int) piece, (int) (piece + width), (int) Math.min(high, piece + 2 * width));
      }
    }
  }

  private boolean isInOrder(int low, int high) {
    for (int i = low + 1; i < high; i++) {
      if (keys.compareKeys(entries[i - 1], entries[i], 0) > 0) {
        return false;
      }
    }
    return true;
  }

  private void insertTied(int low, int high) {
    for (int i = low + 1; i < high; i++) {
      long entry = entries[i];
      int at = i;
      while (at > low && keys.compareKeys(entries[at - 1], entry, 0) > 0) {
        entries[at] = entries[at - 1];
        at--;
      }
      entries[at] = entry;
    }
  }

  private void merge(int low, int middle, int high) {
    if (keys.compareKeys(entries[middle - 1], entries[middle], 0) <= 0) {
      return;
    }
    System.arraycopy(entries, low, scratch, low, middle - low);
    int left = low;
    int right = middle;
    int to = low;
    while (left < middle && right < high) {
      entries[to++] =
          keys.compareKeys(scratch[left], entries[right], 0) <= 0
              ? scratch[left++]
              : entries[right++];
    }
    System.arraycopy(scratch, left, entries, to, middle - left);
  }

  /// In how many bytes the keys of a run agree, which is known of the first `from`; negative if
  /// some differ in what no prefix shows.
  private int commonBytes(int low, int high, int from) {
    int common = keys.keySize();
    for (int i = low + 1; i < high && from < common; i++) {
      common = keys.commonBytes(entries[low], entries[i], from, common);
    }
    return common;
  }

  /// Sorts a short run. Keys whose entries are equal agree up to some byte most often: only what
  /// comes from there on is compared.
  private void sortShort(int low, int high, int from) {
    int common = hasEqualBits(low, high) ? commonBytes(low, high, from) : -1;
    if (common < 0) {
      insertionSort(low, high, from);
    } else if (common < keys.keySize()) { // otherwise all of the keys are equal
      insertByPrefix(low, high, common);
    }
  }

  private boolean hasEqualBits(int low, int high) {
    long known = entries[low] >>> indexBits;
    for (int i = low + 1; i < high; i++) {
      if (entries[i] >>> indexBits != known) {
        return false;
      }
    }
    return true;
  }

  /// Sorts entries whose keys agree in the bytes before `from` by insertion.
  private void insertByPrefix(int low, int high, int from) {
    scratch[low] = keys.prefix(entries[low], from);
    for (int i = low + 1; i < high; i++) {
      long entry = entries[i];
      long prefix = keys.prefix(entry, from);
      int at = i;
      while (at > low && isAfter(at - 1, prefix, entry, from)) {
        entries[at] = entries[at - 1];
        scratch[at] = scratch[at - 1];
        at--;
      }
      entries[at] = entry;
      scratch[at] = prefix;
    }
  }

  private boolean isAfter(int at, long prefix, long entry, int from) {
    int compared = Long.compareUnsigned(scratch[at], prefix);
    return (compared == 0 ? keys.compareKeys(entries[at], entry, from) : compared) > 0;
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
    return (compared == 0 ? keys.compareKeys(left, right, from) : compared) > 0;
  }
}
