package dev.tigris.sort;

import java.util.Arrays;

/// The lines of a bucket, copied to the heap, and their order.
///
/// ```
///   text      first line \n second \n third line ... \n
///             ^             ^         ^                 ^
///   starts    0             1         2       ...      count
/// ```
///
/// Each line ends with the delimiter. The index of an entry is the number of its line, in the order
/// of the input where the lines were added in that order.
///
/// Thread rule: one thread at a time.
final class LineText implements SortKeys {
  private final LineOrder order;
  private final KeyLevels levels;
  private final EntrySorter sorter;

  /// Per level, where its keys lie in the lines, as far as that was asked for; 0 for unknown.
  private final long[][] found;

  private byte[] text;
  private int bytes;
  private int[] starts;
  private int count;
  private byte[] sorted = {};
  private int indexBits;
  private long[] entries = {};
  private int kept;
  private LineChecksum checksum = new LineChecksum();

  /// Room for so many bytes at first; it grows as needed.
  LineText(LineOrder order, int initialBytes) {
    this.order = order;
    this.levels = order.levels();
    this.found = new long[levels.count()][0];
    this.text = new byte[initialBytes];
    this.starts = new int[Math.max(16, initialBytes / 16)];
    this.sorter = new EntrySorter(this, starts.length);
  }

  /// Forgets all lines.
  void clear() {
    bytes = 0;
    count = 0;
  }

  /// Makes room for whole lines, which the caller puts into [#text]; returns where.
  int grow(int length) {
    makeRoom(length);
    int at = bytes;
    bytes += length;
    return at;
  }

  /// Where the lines lie, until the next [#grow].
  byte[] text() {
    return text;
  }

  private void makeRoom(int length) {
    if (text.length - bytes < length) {
      text =
          Arrays.copyOf(
              text, Math.max(Math.addExact(bytes, length), text.length + text.length / 2));
    }
  }

  /// Finds the lines; returns whether there are at most so many.
  boolean findLines(int most) {
    RowEnds rows = order.rows();
    count = 0;
    int start = rows.quoted() ? 0 : findPlain(rows.delimiter(), most);
    if (count > most) {
      return false;
    }
    while (start < bytes) {
      if (count == most) {
        return false;
      }
      if (count + 1 >= starts.length) {
        starts = Arrays.copyOf(starts, 2 * starts.length);
      }
      starts[count++] = start;
      start = rows.find(text, start, bytes) + 1;
    }
    starts[count] = start;
    return true;
  }

  /// Finds lines that end at each delimiter, not many more than `most`; returns where the next one
  /// begins.
  private int findPlain(byte delimiter, int most) {
    starts[0] = 0;
    int found;
    do {
      if (starts.length - count < 4 * Long.BYTES) {
        starts = Arrays.copyOf(starts, 2 * starts.length);
      }
      found = LineScan.findAll(text, starts[count], bytes, delimiter, starts, count + 1);
      for (int i = count + 1; i <= count + found; i++) {
        starts[i]++;
      }
      count += found;
    } while (found > 0 && count <= most);
    return starts[count];
  }

  /// Puts the lines that were found into order, and returns how many bytes are left of them: fewer
  /// where only the first of equal lines is kept.
  int sort() {
    indexBits = Pieces.bitsFor(count);
    forgetKeys();
    entries = sorter.sortAll(count);
    return gather();
  }

  /// What [#sort] has left, in order.
  byte[] sorted() {
    return sorted;
  }

  /// How many lines [#sort] has left.
  int kept() {
    return kept;
  }

  /// The sum of the lines that [#sort] has left.
  long checksum() {
    return checksum.sum();
  }

  private int gather() {
    if (sorted.length < bytes) {
      sorted = new byte[text.length];
    }
    int at = 0;
    int before = -1;
    kept = 0;
    checksum = new LineChecksum();
    for (int i = 0; i < count; i++) {
      int line = line(entries[i]);
      if (order.isUnique() && before >= 0 && compare(before, line, 0) == 0) {
        continue;
      }
      int length = starts[line + 1] - starts[line];
      ShortCopy.copy(text, starts[line], sorted, at, length);
      checksum.add(sorted, at, at + length);
      at += length;
      before = line;
      kept++;
    }
    return at;
  }

  private int end(int line) {
    return starts[line + 1] - 1;
  }

  private int line(long entry) {
    return (int) (entry & ((1L << indexBits) - 1));
  }

  private void forgetKeys() {
    for (int level = 0; level < found.length; level++) {
      if (levels.isAllBytes(level)) {
        continue;
      }
      if (found[level].length < count) {
        found[level] = new long[starts.length];
      } else {
        Arrays.fill(found[level], 0, count, 0);
      }
    }
  }

  /// Where the key of a level lies in a line.
  private long find(int level, int line) {
    if (levels.isAllBytes(level)) {
      return FieldFinder.place(starts[line], end(line));
    }
    long known = found[level][line];
    if (known == 0) {
      known = levels.find(level, text, starts[line], end(line));
      found[level][line] = known;
    }
    return known;
  }

  /// Compares two lines that agree in the levels before `firstLevel`.
  private int compare(int left, int right, int firstLevel) {
    for (int level = firstLevel; level < found.length; level++) {
      int compared = levels.compare(level, text, find(level, left), text, find(level, right));
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  @Override
  public int indexBits() {
    return indexBits;
  }

  /// Places of the order are what bytes are to other keys.
  @Override
  public int keySize() {
    return levels.places();
  }

  @Override
  public long prefix(long entry, int from) {
    return levels.prefix(from, text, find(KeyLevels.level(from), line(entry)));
  }

  @Override
  public int commonBytes(long left, long right, int from, int most) {
    int level = KeyLevels.level(from);
    return Math.min(
        most,
        levels.agreement(from, text, find(level, line(left)), text, find(level, line(right))));
  }

  @Override
  public int compareKeys(long left, long right, int from) {
    return compare(line(left), line(right), KeyLevels.level(from));
  }

  @Override
  public boolean resolvesTies() {
    return true;
  }
}
