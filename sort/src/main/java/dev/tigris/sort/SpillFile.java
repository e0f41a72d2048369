package dev.tigris.sort;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where a sorter puts the records that it cannot hold, one bucket at a time, so that each bucket
/// has few and long *extents*. Those of a bucket are a chain, from the last one to the first:
///
/// ```
///   0                          8                         16
///   +--------------------------+-------------------------+-------- ... --------+-------+
///   | position of the one      | how many records that   |       records       |       |
///   | before it in the bucket  | one has, 0 if none is   |                     |       |
///   +--------------------------+-------------------------+-------- ... --------+-------+
///   ^ a block boundary                                                 a block boundary ^
/// ```
///
/// Thread rule: its sorter's thread.
final class SpillFile implements AutoCloseable {
  /// What precedes the records of an extent.
  static final int HEADER_BYTES = 2 * Long.BYTES;

  /// So much is written and read about as fast as more, even by a disk that has to seek: the rest
  /// of a bucket stays in memory.
  private static final long MOST_SPILLED_BYTES = 16 << 20;

  /// A file of this size is likely to grow by an eighth more, and gets room for that, but for no
  /// more than this at a time. What it does not need, others lack on a disk that is nearly full.
  private static final long RESERVED_BYTES = 64 << 20;

  private final Path path;
  private final OutputFile file;
  private final AlignedBuffer buffer;
  private final int recordSize;
  private long end;
  private long reserved;
  private long written;

  /// A run of records in the file, where its header is, and how many bytes the file has of its
  /// bucket up to its end.
  record Extent(long position, long records, long chainBytes) {}

  /// A new file; `buffer` is used during each call only.
  SpillFile(Path path, AlignedBuffer buffer, int recordSize) throws SortException {
    this.path = path;
    this.file = new OutputFile(path, 0);
    this.buffer = buffer;
    this.recordSize = recordSize;
  }

  /// Writes the records that a bucket holds, or some of them if they are many, and releases their
  /// waters.
  void spill(Bucket bucket) throws SortException {
    long start = end;
    long records = 0;
    putHeader(bucket, buffer, 0);
    long used = HEADER_BYTES;
    while (!bucket.waters.isEmpty() && end - start < MOST_SPILLED_BYTES) {
      Water water = bucket.waters.getLast();
      Bytes bytes = water.bytes();
      long from = PartitionSource.HEADER_BYTES;
      while (from < water.size()) {
        long length = Math.min(water.size() - from, buffer.capacity() - used);
        bytes.copyTo(from, buffer.bytes(), used, length);
        from += length;
        used += length;
        if (used == buffer.capacity()) {
          write(buffer, 0, used);
          used = 0;
        }
      }
      records += bytes.getLong(PartitionSource.COUNT);
      bucket.waters.removeLast();
      bucket.heldBytes -= water.footprintBytes();
      water.release();
    }
    if (used > 0) {
      write(buffer, 0, AlignedBuffer.roundUp(used));
    }
    link(bucket, start, records);
  }

  /// Adds records to a bucket. They lie in the buffer behind room for a header, which begins at
  /// `from`, a block boundary.
  void append(Bucket bucket, AlignedBuffer source, long from, long records) throws SortException {
    long start = end;
    putHeader(bucket, source, from);
    write(source, from, extentBytes(records, recordSize));
    link(bucket, start, records);
    bucket.records += records;
  }

  private static void putHeader(Bucket bucket, AlignedBuffer target, long at) {
    Extent before = bucket.lastExtent;
    target.bytes().setLong(at, before == null ? 0 : before.position());
    target.bytes().setLong(at + Long.BYTES, before == null ? 0 : before.records());
  }

  private void link(Bucket bucket, long position, long records) {
    bucket.extentBytes += end - position;
    bucket.lastExtent = new Extent(position, records, bucket.extentBytes);
  }

  /// Returns how many bytes of the file an extent of so many records is.
  static long extentBytes(long records, int recordSize) {
    return AlignedBuffer.roundUp(HEADER_BYTES + records * recordSize);
  }

  /// Forgets what was written since the file was `bytes` long: that is written over.
  void rewind(long bytes) {
    end = bytes;
  }

  // Always whole blocks: what follows the last record is not read.
  private void write(AlignedBuffer source, long from, long length) throws SortException {
    if (end >= RESERVED_BYTES && end + length > reserved) {
      reserved = end + length + Math.min(end / 8, RESERVED_BYTES);
      file.reserve(reserved);
    }
    file.write(source, from, from + length, end - from);
    end += length;
    written += length;
  }

  /// Reads `length` bytes at `position` to `offset` of `target`, which lie alike: their difference
  /// is a whole number of blocks.
  void read(AlignedBuffer target, long offset, long position, long length) throws SortException {
    file.read(target, offset, offset + length, position - offset);
  }

  /// Reads the header and the first records of an extent to `offset` of `target`, a block boundary,
  /// and returns the extent before it in its bucket; null if it is the first.
  @Nullable Extent read(Extent extent, long records, AlignedBuffer target, long offset)
      throws SortException {
    read(target, offset, extent.position(), HEADER_BYTES + records * recordSize);
    long position = target.bytes().getLong(offset);
    long count = target.bytes().getLong(offset + Long.BYTES);
    long left = extent.chainBytes() - extentBytes(extent.records(), recordSize);
    if (count == 0 && left == 0) {
      return null;
    }
    // It was written earlier, to lower blocks, and ended before this one began.
    long room = extent.position() - position - HEADER_BYTES;
    if (position < 0
        || position % AlignedBuffer.BLOCK != 0
        || count <= 0
        || room < 0
        || count > room / recordSize
        || extentBytes(count, recordSize) > left) {
      throw new SortException(
          SortException.Kind.DATA,
          "the temporary file %s was damaged: test this machine's disk, and sort again"
              .formatted(path));
    }
    return new Extent(position, count, left);
  }

  /// Returns how long the file is.
  long bytes() {
    return end;
  }

  /// Returns how much was written to it, what was written over included.
  long writtenBytes() {
    return written;
  }

  @Override
  public void close() throws SortException {
    file.close();
  }
}
