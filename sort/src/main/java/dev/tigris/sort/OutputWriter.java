package dev.tigris.sort;

import dev.tigris.memory.Bytes;

/// Writes one sorter's part of the output, from its first record to its last, and sums the
/// checksum of what it writes.
///
/// ```
///   file   ...|------block------|------block------|------block--...
///   buffer    |  from ########## summed ##### used |
/// ```
///
/// Byte 0 of the buffer belongs at a block boundary of the file. Whole blocks are written when the
/// buffer is full; the last incomplete one moves to the front.
///
/// Thread rule: one thread at a time.
final class OutputWriter implements RecordSink {
  /// The checksum is summed while the records are still in the first-level cache.
  private static final int SUM_BYTES = 16 << 10;

  private final OutputFile file;
  private final AlignedBuffer buffer;
  private final Bytes bytes;
  private final int recordSize;
  private final RecordChecksum checksum;
  private final long limit;

  private long position;
  private long from;
  private long summed;
  private long used;

  /// Writes from byte `start` of the file on. The buffer must have room for a record and two
  /// blocks.
  OutputWriter(OutputFile file, long start, AlignedBuffer buffer, int recordSize) {
    this.file = file;
    this.buffer = buffer;
    this.bytes = buffer.bytes();
    this.recordSize = recordSize;
    this.checksum = new RecordChecksum(recordSize);
    this.limit = buffer.capacity() - recordSize;
    this.position = AlignedBuffer.roundDown(start);
    this.from = start - position;
    this.summed = from;
    this.used = from;
  }

  @Override
  public void put(Bytes source, long offset) throws SortException {
    if (used > limit) {
      flush();
    }
    source.copyTo(offset, bytes, used, recordSize);
    used += recordSize;
    if (used - summed >= SUM_BYTES) {
      sum();
    }
  }

  private void sum() {
    checksum.add(bytes, summed, (used - summed) / recordSize);
    summed = used;
  }

  private void flush() throws SortException {
    sum();
    long last = AlignedBuffer.roundDown(used);
    file.write(buffer, from, last, position);
    bytes.copyTo(last, bytes, 0, used - last);
    position += last;
    used -= last;
    summed = used;
    from = 0;
  }

  /// Writes what is left, and returns the checksum of all that was written.
  UInt128 finish() throws SortException {
    sum();
    if (used > from) {
      file.write(buffer, from, used, position);
    }
    return checksum.sum();
  }
}
