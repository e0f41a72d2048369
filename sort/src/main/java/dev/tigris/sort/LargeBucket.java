package dev.tigris.sort;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import org.jspecify.annotations.Nullable;

/// Sorts a bucket that is larger than what can be loaded: because one key is very frequent, or
/// because the sample was unlucky.
///
/// The bucket is scanned several times. A first scan counts how many records lie in each of a few
/// thousand parts of the bucket's range; then, for as many parts at a time as can be loaded, a scan
/// copies the records in them, and they are sorted. A part that is too large alone is treated in
/// the same way. Records whose keys are equal need no sorting, and are handed out as a scan meets
/// them.
///
/// The range is one of eight bytes of the key: those from `from` on, of the records whose keys
/// begin with `from` known bytes.
///
/// Thread rule: its sorter's thread.
final class LargeBucket {
  private static final int PART_BITS = 12;

  private final RecordFormat format;
  private final int recordSize;
  private final Bucket bucket;
  private final @Nullable SpillFile spill;
  private final Buffers buffers;

  /// Where to load records to, how many, and how much to read at a time while scanning.
  record Buffers(AlignedBuffer load, long loadRecords, int scanBytes) {}

  /// Records that a scan looks for: those whose keys begin with the first `from` bytes of
  /// `reference`, and go on with eight bytes from `min` to `max`.
  private static final class Range {
    final byte[] reference;
    final int from;
    final long min;
    final long max;

    Range(byte[] reference, int from, long min, long max) {
      this.reference = reference;
      this.from = from;
      this.min = min;
      this.max = max;
    }
  }

  /// Looks at a record.
  private interface Visitor {
    void visit(Bytes bytes, long record, long prefix) throws SortException;
  }

  LargeBucket(RecordFormat format, Bucket bucket, @Nullable SpillFile spill, Buffers buffers) {
    this.format = format;
    this.recordSize = format.recordSize();
    this.bucket = bucket;
    this.spill = spill;
    this.buffers = buffers;
  }

  /// Hands the records to `sink` in order. `sorter` is used meanwhile.
  void sortTo(RecordSink sink, BucketSorter sorter) throws SortException {
    sort(new Range(new byte[0], 0, 0, -1), bucket.records, sink, sorter);
  }

  private void sort(Range wide, long records, RecordSink sink, BucketSorter sorter)
      throws SortException {
    if (records <= buffers.loadRecords) {
      load(wide, sink, sorter);
      return;
    }
    Range range = narrow(wide);
    if (range == null) {
      scan(wide, (bytes, record, prefix) -> sink.put(bytes, record)); // all keys are equal
      return;
    }
    int shift =
        Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(range.max - range.min) - PART_BITS);
    long[] counts = new long[1 << PART_BITS];
    scan(range, (bytes, record, prefix) -> counts[(int) ((prefix - range.min) >>> shift)]++);
    int first = 0;
    while (first < counts.length) {
      long sum = counts[first];
      int next = first + 1;
      while (next < counts.length && sum + counts[next] <= buffers.loadRecords) {
        sum += counts[next];
        next++;
      }
      if (sum > 0) {
        long low = range.min + ((long) first << shift);
        long last = next == counts.length ? -1 : ((long) next << shift) - 1;
        boolean isBeyond = Long.compareUnsigned(last, range.max - range.min) > 0;
        long high = isBeyond ? range.max : range.min + last;
        sort(new Range(range.reference, range.from, low, high), sum, sink, sorter);
      }
      first = next;
    }
  }

  /// The range from the smallest to the largest key that is really there; over later bytes of the
  /// key, where the earlier ones are all equal; null if the keys are equal.
  private @Nullable Range narrow(Range wide) throws SortException {
    Range range = wide;
    while (range.from < format.keySize()) {
      long[] bounds = {-1, 0};
      byte[] any = new byte[Math.min(range.from + Long.BYTES, format.keySize())];
      scan(
          range,
          (bytes, record, prefix) -> {
            bounds[0] = Long.compareUnsigned(prefix, bounds[0]) < 0 ? prefix : bounds[0];
            if (Long.compareUnsigned(prefix, bounds[1]) >= 0) {
              bounds[1] = prefix;
              bytes.copyTo(record + format.keyOffset(), any, 0, any.length);
            }
          });
      if (bounds[0] != bounds[1]) {
        return new Range(range.reference, range.from, bounds[0], bounds[1]);
      }
      range = new Range(any, range.from + Long.BYTES, 0, -1);
    }
    return null;
  }

  private void load(Range range, RecordSink sink, BucketSorter sorter) throws SortException {
    long[] used = {0};
    Bytes target = buffers.load.bytes();
    scan(
        range,
        (bytes, record, prefix) -> {
          bytes.copyTo(record, target, used[0], recordSize);
          used[0] += recordSize;
        });
    sorter.clear();
    sorter.add(target, 0, Math.toIntExact(used[0] / recordSize));
    sorter.sortTo(sink);
  }

  private void scan(Range range, Visitor visitor) throws SortException {
    for (Water water : bucket.waters) {
      long count = water.bytes().getLong(PartitionSource.COUNT);
      scan(water.bytes(), PartitionSource.HEADER_BYTES, count, range, visitor);
    }
    SpillFile file = spill;
    if (bucket.extents.isEmpty() || file == null) {
      return;
    }
    long scanRecords = Math.max(1, buffers.scanBytes / recordSize);
    try (AlignedBuffer buffer = new AlignedBuffer(scanRecords * recordSize, "sort scan")) {
      for (Bucket.Extent extent : bucket.extents) {
        for (long first = 0; first < extent.records(); first += scanRecords) {
          long count = Math.min(scanRecords, extent.records() - first);
          long position = extent.position() + first * recordSize;
          long lead = position % AlignedBuffer.BLOCK;
          file.read(buffer, lead, position, count * recordSize);
          scan(buffer.bytes(), lead, count, range, visitor);
        }
      }
    }
  }

  private void scan(Bytes bytes, long offset, long count, Range range, Visitor visitor)
      throws SortException {
    long at = offset;
    for (long i = 0; i < count; i++, at += recordSize) {
      long prefix = format.prefix(bytes, at, range.from);
      if (Long.compareUnsigned(prefix, range.min) >= 0
          && Long.compareUnsigned(prefix, range.max) <= 0
          && beginsWith(bytes, at + format.keyOffset(), range)) {
        visitor.visit(bytes, at, prefix);
      }
    }
  }

  private static boolean beginsWith(Bytes bytes, long key, Range range) {
    for (int i = 0; i < range.from && i < range.reference.length; i++) {
      if (bytes.get(key + i) != range.reference[i]) {
        return false;
      }
    }
    return true;
  }
}
