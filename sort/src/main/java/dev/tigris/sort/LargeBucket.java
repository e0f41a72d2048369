package dev.tigris.sort;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sorts a bucket that is larger than what can be loaded: because one key is very frequent, the
/// sample was unlucky, or the input has many times the memory.
///
/// A first scan counts how many records lie in each of a few thousand parts of the bucket's range.
/// Neighbouring parts make up groups that can be loaded. Where these are few, a scan for each
/// copies its records, and they are sorted. Where they are many, scans would grow with the square
/// of the bucket: one scan distributes the records to buckets of their own in the spill file
/// instead. A group that is too large to load is treated in the same way. Records whose keys are
/// equal need no sorting, and are handed out as a scan meets them.
///
/// The range is one of eight bytes of the key: those from `from` on, of the records whose keys
/// begin with `from` known bytes.
///
/// Thread rule: its sorter's thread.
final class LargeBucket {
  private static final int PART_BITS = 12;

  /// Distributing costs as much as so many scans.
  private static final int MOST_SCANS = 4;

  /// What is distributed goes to the disk in pieces of at least this size.
  private static final int MIN_PIECE_BYTES = 16 << 10;

  private final RecordFormat format;
  private final int recordSize;
  private final Bucket bucket;
  private final @Nullable SpillFile spill;
  private final Buffers buffers;

  /// Where to load records to, how many, and where to read them while scanning. There are as many
  /// scans as it takes, and memory comes back only when the collector runs: so all use the same.
  record Buffers(AlignedBuffer load, int loadRecords, AlignedBuffer scan, int scanBytes) {}

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

  /// Neighbouring parts, up to part `end`, and how many records they have.
  private record Group(Range range, int end, long records) {}

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
    List<Group> groups = group(range, shift, counts, buffers.loadRecords);
    SpillFile file = spill;
    long most =
        buffers.load.capacity() / Math.max(MIN_PIECE_BYTES, AlignedBuffer.roundUp(recordSize));
    if (file == null || groups.size() <= MOST_SCANS || most <= MOST_SCANS) {
      for (Group group : groups) {
        sort(group.range, group.records, sink, sorter);
      }
      return;
    }
    if (groups.size() > most) {
      // Two neighbours have more than the limit: so many make no more than `most`.
      groups = group(range, shift, counts, 2 * records / (most - 1) + 1);
    }
    long end = file.bytes();
    Bucket[] parts = distribute(range, shift, groups, file);
    for (int i = 0; i < parts.length; i++) {
      Group group = groups.get(i);
      new LargeBucket(format, parts[i], file, buffers)
          .sort(group.range, group.records, sink, sorter);
    }
    file.rewind(end);
  }

  /// Joins neighbouring parts to groups of up to `limit` records, or of one part.
  private static List<Group> group(Range range, int shift, long[] counts, long limit) {
    List<Group> groups = new ArrayList<>();
    int first = 0;
    while (first < counts.length) {
      long sum = counts[first];
      int next = first + 1;
      while (next < counts.length && sum + counts[next] <= limit) {
        sum += counts[next];
        next++;
      }
      if (sum > 0) {
        long low = range.min + ((long) first << shift);
        long last = next == counts.length ? -1 : ((long) next << shift) - 1;
        boolean isBeyond = Long.compareUnsigned(last, range.max - range.min) > 0;
        long high = isBeyond ? range.max : range.min + last;
        groups.add(new Group(new Range(range.reference, range.from, low, high), next, sum));
      }
      first = next;
    }
    return groups;
  }

  /// Copies the records of each group to a bucket of its own in the spill file. Meanwhile the
  /// buffer for loading has a piece for each.
  private Bucket[] distribute(Range range, int shift, List<Group> groups, SpillFile file)
      throws SortException {
    Bucket[] parts = new Bucket[groups.size()];
    int[] groupOf = new int[1 << PART_BITS];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new Bucket();
      Arrays.fill(groupOf, i == 0 ? 0 : groups.get(i - 1).end, groups.get(i).end, i);
    }
    long pieceBytes = AlignedBuffer.roundDown(buffers.load.capacity() / parts.length);
    long pieceRecords = pieceBytes / recordSize;
    long[] filled = new long[parts.length];
    scan(
        range,
        (bytes, record, prefix) -> {
          int group = groupOf[(int) ((prefix - range.min) >>> shift)];
          long piece = group * pieceBytes;
          long to = piece + filled[group] * recordSize;
          bytes.copyTo(record, buffers.load.bytes(), to, recordSize);
          filled[group]++;
          if (filled[group] == pieceRecords) {
            file.append(parts[group], buffers.load, piece, pieceRecords, recordSize);
            filled[group] = 0;
          }
        });
    for (int group = 0; group < parts.length; group++) {
      if (filled[group] > 0) {
        file.append(parts[group], buffers.load, group * pieceBytes, filled[group], recordSize);
      }
    }
    return parts;
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
