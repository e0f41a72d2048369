package dev.tigris.sort;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.nio.file.Path;

/// Where a sorter puts the records that it cannot hold, one bucket at a time, so that each bucket
/// has few and long extents.
///
/// Thread rule: its sorter's thread.
final class SpillFile implements AutoCloseable {
  /// A file of this size is likely to grow by as much again.
  private static final long RESERVED_BYTES = 64 << 20;

  private final OutputFile file;
  private final AlignedBuffer buffer;
  private long end;
  private long reserved;
  private long written;

  /// A new file; `buffer` is used during each call only.
  SpillFile(Path path, AlignedBuffer buffer) throws SortException {
    this.file = OutputFile.create(path, 0);
    this.buffer = buffer;
  }

  /// Writes the records that a bucket holds, and releases its waters.
  void spill(Bucket bucket) throws SortException {
    long start = end;
    long used = 0;
    long records = 0;
    for (Water water : bucket.waters) {
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
    }
    if (used > 0) {
      write(buffer, 0, AlignedBuffer.roundUp(used));
    }
    bucket.extents.add(new Bucket.Extent(start, records));
    bucket.release();
  }

  /// Adds records to a bucket. They begin at `from` of the buffer, a block boundary.
  void append(Bucket bucket, AlignedBuffer source, long from, long records, int recordSize)
      throws SortException {
    bucket.extents.add(new Bucket.Extent(end, records));
    bucket.records += records;
    write(source, from, AlignedBuffer.roundUp(records * recordSize));
  }

  /// Forgets what was written since the file was `bytes` long: that is written over.
  void rewind(long bytes) {
    end = bytes;
  }

  // Always whole blocks: what follows the last record is not read.
  private void write(AlignedBuffer source, long from, long length) throws SortException {
    if (end >= RESERVED_BYTES && end + length > reserved) {
      reserved = end + RESERVED_BYTES;
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

  /// How long the file is.
  long bytes() {
    return end;
  }

  /// How much was written to it, what was written over included.
  long writtenBytes() {
    return written;
  }

  @Override
  public void close() throws SortException {
    file.close();
  }
}
