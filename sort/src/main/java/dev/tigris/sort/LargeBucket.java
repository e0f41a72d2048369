package dev.tigris.sort;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
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

  /// Where to load records to, how many, and where to read them while scanning. There are as many
  /// scans as it takes, and memory comes back only when the collector runs: so all use the same.
  record Buffers(AlignedBuffer load, long loadRecords, AlignedBuffer scan, int scanBytes) {}

  /// Records that a scan looks for: those whose keys begin with the first `from` bytes of
  /// `reference`, and go on with eight bytes from `min` to `max`.
  private static final class Range {
    final Bytes reference;
    final int from;
    final long min;
    final long max;

    Range(Bytes reference, int from, long min, long max) {
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
    sort(new Range(buffers.load.bytes(), 0, 0, -1), bucket.records, sink, sorter);
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

  /// The same records as a range that begins where their keys first differ, and goes from the
  /// smallest to the largest that is really there; null if the keys are equal.
  private @Nullable Range narrow(Range wide) throws SortException {
    int keySize = format.keySize();
    Bytes any = Jbuf.allocate(keySize, "sort scan").asBytes();
    int[] common = {-1};
    scan(
        wide,
        (bytes, record, prefix) -> {
          long key = record + format.keyOffset();
          if (common[0] < 0) {
            bytes.copyTo(key, any, 0, keySize);
            common[0] = keySize;
          }
          common[0] = RecordFormat.mismatch(bytes, key, any, 0, wide.from, common[0]);
        });
    int from = common[0];
    if (from >= keySize) {
      return null;
    }
    long[] bounds = {-1, 0};
    scan(
        wide,
        (bytes, record, prefix) -> {
          long next = format.prefix(bytes, record, from);
          bounds[0] = Long.compareUnsigned(next, bounds[0]) < 0 ? next : bounds[0];
          bounds[1] = Long.compareUnsigned(next, bounds[1]) > 0 ? next : bounds[1];
        });
    return new Range(any, from, bounds[0], bounds[1]);
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
    AlignedBuffer buffer = buffers.scan;
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

  private void scan(Bytes bytes, long offset, long count, Range range, Visitor visitor)
      throws SortException {
    long at = offset;
    for (long i = 0; i < count; i++, at += recordSize) {
      long prefix = format.prefix(bytes, at, range.from);
      if (Long.compareUnsigned(prefix, range.min) >= 0
          && Long.compareUnsigned(prefix, range.max) <= 0
          && isSame(bytes, at + format.keyOffset(), range)) {
        visitor.visit(bytes, at, prefix);
      }
    }
  }

  private static boolean isSame(Bytes bytes, long key, Range range) {
    return RecordFormat.mismatch(bytes, key, range.reference, 0, 0, range.from) == range.from;
  }
}
