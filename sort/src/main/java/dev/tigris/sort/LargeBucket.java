package dev.tigris.sort;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Sorts a bucket that is larger than what can be loaded: because one key is very frequent, the
/// sample was unlucky, or the input has many times the memory.
///
/// A first scan counts how many records lie in each of a few thousand parts of the bucket's range.
/// Neighbouring parts make up groups that can be loaded. Where these are few, a scan for each
/// copies its records, and they are sorted. Where they are many, scans would grow with the square
/// of the bucket: one scan distributes the records to buckets of their own instead. Large records
/// stay where they are for that, and their buckets know where; others are copied to the end of the
/// spill file. A group that is too large to load is treated in the same way. Records whose keys are
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
  private final SortPlan plan;
  private final Bucket bucket;
  private final @Nullable SpillFile spill;
  private final SpillBuffers buffers;

  /// So many bytes all keys of the bucket begin with, and no scan has to compare.
  private int common;

  // What is being scanned: a water, or else the buffer for that, whose first byte is this one of
  // the spill file.
  private @Nullable Water scannedWater;
  private long scannedPosition;

  /// Records that a scan looks for: those whose keys begin with the first `from` bytes of the known
  /// prefix, and go on with eight bytes from `min` to `max`.
  ///
  /// A range inside of another one has a longer prefix that begins with that of the other, so one
  /// buffer holds those of all ranges that are being worked on.
  private record Range(int from, long min, long max) {}

  /// Neighbouring parts, up to part `end`, and how many records they have.
  private record Group(Range range, int end, long records) {}

  /// Looks at a record.
  private interface Visitor {
    void visit(Bytes bytes, long record, long prefix) throws SortException;
  }

  /// Takes records that follow one another.
  private interface Reader {
    void take(Bytes bytes, long offset, long count) throws SortException;
  }

  LargeBucket(
      RecordFormat format,
      SortPlan plan,
      Bucket bucket,
      int common,
      @Nullable SpillFile spill,
      SpillBuffers buffers) {
    this.format = format;
    this.recordSize = format.recordSize();
    this.plan = plan;
    this.bucket = bucket;
    this.common = common;
    this.spill = spill;
    this.buffers = buffers;
  }

  /// Hands the records to `sink` in order. `sorter` is used meanwhile.
  void sortTo(RecordSink sink, BucketSorter sorter) throws SortException {
    sort(new Range(0, 0, -1), bucket.records, sink, sorter);
  }

  private void sort(Range wide, long records, RecordSink sink, BucketSorter sorter)
      throws SortException {
    if (records <= plan.loadRecords()) {
      load(wide, sink, sorter);
      return;
    }
    Range range = narrow(wide);
    if (range == null) {
      putEqual(wide, records, sink);
      return;
    }
    if (records == bucket.records) { // so that nothing is scanned from now on but inside of it
      common = range.from;
    }
    int shift =
        Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(range.max - range.min) - PART_BITS);
    long[] counts = new long[1 << PART_BITS];
    scan(range, (bytes, record, prefix) -> counts[(int) ((prefix - range.min) >>> shift)]++);
    List<Group> groups = group(range, shift, counts, plan.loadRecords());
    SpillFile file = spill;
    long most =
        buffers.load().capacity() / Math.max(MIN_PIECE_BYTES, SpillFile.extentBytes(1, recordSize));
    if (groups.size() > MOST_SCANS && canDivide(records)) {
      sortParts(divide(range, shift, groups), groups, sink, sorter);
    } else if (groups.size() > MOST_SCANS && most > MOST_SCANS && file != null) {
      if (groups.size() > most) {
        // Two neighbours have more than the limit: so many make no more than `most`.
        groups = group(range, shift, counts, 2 * records / (most - 1) + 1);
      }
      long end = file.bytes();
      sortParts(distribute(range, shift, groups, file), groups, sink, sorter);
      file.rewind(end);
    } else {
      for (Group group : groups) {
        sort(group.range, group.records, sink, sorter);
      }
    }
  }

  /// Returns whether it may be known of so many records where each is, because no water has two.
  private boolean canDivide(long records) {
    return SortPlan.perWater(plan.waterBytes(), recordSize) == 1 && records <= plan.knownRecords();
  }

  /// Hands out the records of a range, whose keys are equal.
  private void putEqual(Range range, long records, RecordSink sink) throws SortException {
    if (records == bucket.records) {
      read(sink::putAll); // without a look at each
    } else {
      scan(range, (bytes, record, prefix) -> sink.put(bytes, record));
    }
  }

  /// Sorts groups whose records have buckets of their own.
  private void sortParts(
      List<Bucket> parts, List<Group> groups, RecordSink sink, BucketSorter sorter)
      throws SortException {
    for (int i = 0; i < parts.size(); i++) {
      Group group = groups.get(i);
      new LargeBucket(format, plan, parts.get(i), group.range.from, spill, buffers)
          .sort(group.range, group.records, sink, sorter);
    }
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
        groups.add(new Group(new Range(range.from, low, high), next, sum));
      }
      first = next;
    }
    return groups;
  }

  /// Per part of a range, the group that it belongs to.
  private static int[] groupOf(List<Group> groups) {
    int[] groupOf = new int[1 << PART_BITS];
    int start = 0;
    for (int i = 0; i < groups.size(); i++) {
      Arrays.fill(groupOf, start, groups.get(i).end, i);
      start = groups.get(i).end;
    }
    return groupOf;
  }

  private static List<Bucket> emptyBuckets(int count) {
    return Stream.generate(Bucket::new).limit(count).toList();
  }

  /// Notes for each group where its records are.
  private List<Bucket> divide(Range range, int shift, List<Group> groups) throws SortException {
    List<Bucket> parts = emptyBuckets(groups.size());
    int[] groupOf = groupOf(groups);
    scan(
        range,
        (bytes, record, prefix) -> {
          Bucket part = parts.get(groupOf[(int) ((prefix - range.min) >>> shift)]);
          Water water = scannedWater;
          if (water != null) {
            part.waters.add(water);
          } else {
            part.singles.add(scannedPosition + record);
          }
          part.records++;
        });
    return parts;
  }

  /// Copies the records of each group to a bucket of its own in the spill file. Meanwhile the
  /// buffer for loading has a piece for each.
  private List<Bucket> distribute(Range range, int shift, List<Group> groups, SpillFile file)
      throws SortException {
    List<Bucket> parts = emptyBuckets(groups.size());
    int[] groupOf = groupOf(groups);
    AlignedBuffer pieces = buffers.load();
    long pieceBytes = AlignedBuffer.roundDown(pieces.capacity() / parts.size());
    long pieceRecords = (pieceBytes - SpillFile.HEADER_BYTES) / recordSize;
    long[] filled = new long[parts.size()];
    scan(
        range,
        (bytes, record, prefix) -> {
          int group = groupOf[(int) ((prefix - range.min) >>> shift)];
          long piece = group * pieceBytes;
          long to = piece + SpillFile.HEADER_BYTES + filled[group] * recordSize;
          bytes.copyTo(record, pieces.bytes(), to, recordSize);
          filled[group]++;
          if (filled[group] == pieceRecords) {
            file.append(parts.get(group), pieces, piece, pieceRecords);
            filled[group] = 0;
          }
        });
    for (int group = 0; group < parts.size(); group++) {
      if (filled[group] > 0) {
        file.append(parts.get(group), pieces, group * pieceBytes, filled[group]);
      }
    }
    return parts;
  }

  /// Returns the same records as a range that begins where their keys first differ, and goes from
  /// the smallest to the largest that is really there; null if the keys are equal.
  private @Nullable Range narrow(Range wide) throws SortException {
    int keySize = format.keySize();
    int known = wide.from;
    Bytes any = buffers.prefix().bytes();
    int[] agreeing = {-1};
    scan(
        wide,
        (bytes, record, prefix) -> {
          long key = record + format.keyOffset();
          if (agreeing[0] < 0) {
            bytes.copyTo(key + known, any, known, keySize - known);
            agreeing[0] = keySize;
          }
          agreeing[0] = RecordFormat.mismatch(bytes, key, any, 0, known, agreeing[0]);
        });
    int from = agreeing[0];
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
    return new Range(from, bounds[0], bounds[1]);
  }

  private void load(Range range, RecordSink sink, BucketSorter sorter) throws SortException {
    long[] used = {0};
    Bytes target = buffers.load().bytes();
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

  /// Shows each record of a range to `visitor`.
  private void scan(Range range, Visitor visitor) throws SortException {
    Bytes prefix = buffers.prefix().bytes();
    read((bytes, offset, count) -> scan(bytes, offset, count, range, prefix, visitor));
  }

  /// Reads all records of the bucket, wherever they are.
  private void read(Reader reader) throws SortException {
    for (Water water : bucket.waters) {
      scannedWater = water;
      long count = water.bytes().getLong(PartitionSource.COUNT);
      reader.take(water.bytes(), PartitionSource.HEADER_BYTES, count);
    }
    scannedWater = null;
    SpillFile file = spill;
    if (file == null) {
      return;
    }
    SpillFile.Extent extent = bucket.lastExtent;
    while (extent != null) {
      extent = read(file, extent, reader);
    }
    for (long position : bucket.singles) {
      read(file, position, 1, reader);
    }
  }

  /// Reads the records of an extent; returns the one before it.
  private SpillFile.@Nullable Extent read(SpillFile file, SpillFile.Extent extent, Reader reader)
      throws SortException {
    AlignedBuffer buffer = buffers.scan();
    long scanRecords = plan.scanBytes() / recordSize;
    long count = Math.min(scanRecords, extent.records());
    SpillFile.Extent before = file.read(extent, count, buffer, 0);
    scannedPosition = extent.position();
    reader.take(buffer.bytes(), SpillFile.HEADER_BYTES, count);
    for (long first = count; first < extent.records(); first += count) {
      count = Math.min(scanRecords, extent.records() - first);
      long position = extent.position() + SpillFile.HEADER_BYTES + first * recordSize;
      read(file, position, count, reader);
    }
    return before;
  }

  /// Reads records that follow one another at `position`.
  private void read(SpillFile file, long position, long count, Reader reader) throws SortException {
    AlignedBuffer buffer = buffers.scan();
    long lead = position % AlignedBuffer.BLOCK;
    file.read(buffer, lead, position, count * recordSize);
    scannedPosition = position - lead;
    reader.take(buffer.bytes(), lead, count);
  }

  private void scan(Bytes bytes, long offset, long count, Range range, Bytes known, Visitor visitor)
      throws SortException {
    int from = range.from;
    long at = offset;
    for (long i = 0; i < count; i++, at += recordSize) {
      long prefix = format.prefix(bytes, at, from);
      if (Long.compareUnsigned(prefix, range.min) >= 0
          && Long.compareUnsigned(prefix, range.max) <= 0
          && RecordFormat.mismatch(bytes, at + format.keyOffset(), known, 0, common, from)
              == from) {
        visitor.visit(bytes, at, prefix);
      }
    }
  }
}
