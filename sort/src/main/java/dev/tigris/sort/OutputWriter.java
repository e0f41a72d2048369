package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.lang.foreign.MemorySegment;

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
  /// Records are gathered in so much of the first-level cache.
  private static final int BLOCK_BYTES = 16 << 10;

  private final OutputFile file;
  private final AlignedBuffer buffer;
  private final Bytes bytes;
  private final int recordSize;
  private final RecordChecksum checksum;
  private final byte[] block;
  private final MemorySegment blockSegment;
  private final long limit;

  private long position;
  private long from;
  private long used;
  private int gathered;

  /// Writes from byte `start` of the file on. The buffer must have room for a record and two
  /// blocks.
  OutputWriter(OutputFile file, long start, AlignedBuffer buffer, int recordSize) {
    this.file = file;
    this.buffer = buffer;
    this.bytes = buffer.bytes();
    this.recordSize = recordSize;
    this.checksum = new RecordChecksum(recordSize);
    this.block = new byte[Math.max(1, BLOCK_BYTES / recordSize) * recordSize];
    this.blockSegment = MemorySegment.ofArray(block);
    this.limit = buffer.capacity() - block.length;
    this.position = AlignedBuffer.roundDown(start);
    this.from = start - position;
    this.used = from;
  }

  @Override
  public void put(Bytes source, long offset) throws SortException {
    source.copyTo(offset, blockSegment, gathered, recordSize);
    advance();
  }

  @Override
  public void put(byte[] source, int index) throws SortException {
    System.arraycopy(source, index, block, gathered, recordSize);
    advance();
  }

  private void advance() throws SortException {
    gathered += recordSize;
    if (gathered == block.length) {
      append();
    }
  }

  /// Appends what was gathered to what is to be written.
  private void append() throws SortException {
    if (used > limit) {
      flush();
    }
    checksum.add(block, 0, gathered);
    bytes.copyFrom(used, block, 0, gathered);
    used += gathered;
    gathered = 0;
  }

  private void flush() throws SortException {
    long last = AlignedBuffer.roundDown(used);
    file.write(buffer, from, last, position);
    bytes.copyTo(last, bytes, 0, used - last);
    position += last;
    used -= last;
    from = 0;
  }

  /// Writes what is left, and returns the checksum of all that was written.
  UInt128 finish() throws SortException {
    append();
    if (used > from) {
      file.write(buffer, from, used, position);
    }
    return checksum.sum();
  }
}
