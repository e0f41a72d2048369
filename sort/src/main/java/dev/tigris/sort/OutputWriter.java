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

  /// Writes from byte `start` of the file on. The buffer must have room for so much as is gathered
  /// at a time, and two blocks.
  OutputWriter(OutputFile file, long start, AlignedBuffer buffer, int recordSize) {
    this.file = file;
    this.buffer = buffer;
    this.bytes = buffer.bytes();
    this.recordSize = recordSize;
    this.checksum = new RecordChecksum(recordSize);
    this.block = new byte[isLarge() ? BLOCK_BYTES : BLOCK_BYTES / recordSize * recordSize];
    this.blockSegment = MemorySegment.ofArray(block);
    this.limit = buffer.capacity() - block.length;
    this.position = AlignedBuffer.roundDown(start);
    this.from = start - position;
    this.used = from;
  }

  private boolean isLarge() {
    return recordSize > BLOCK_BYTES;
  }

  /// What takes the records: this itself where they can be gathered.
  RecordSink sink() {
    return isLarge() ? new LargeRecords() : this;
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

  @Override
  public void putAll(Bytes source, long offset, long count) throws SortException {
    long end = offset + count * recordSize;
    int length;
    for (long at = offset; at < end; at += length) {
      length = (int) Math.min(block.length - gathered, end - at);
      source.copyTo(at, blockSegment, gathered, length);
      gathered += length;
      if (gathered == block.length) {
        sumAndAppend();
      }
    }
  }

  private void advance() throws SortException {
    gathered += recordSize;
    if (gathered == block.length) {
      sumAndAppend();
    }
  }

  /// Takes records that are larger than the block, and pass through it in parts.
  private final class LargeRecords implements RecordSink {
    @Override
    public void put(Bytes source, long offset) throws SortException {
      put(source.segment(), offset);
    }

    @Override
    public void put(byte[] source, int index) throws SortException {
      put(MemorySegment.ofArray(source), index);
    }

    @Override
    public void putAll(Bytes source, long offset, long count) throws SortException {
      MemorySegment segment = source.segment();
      for (long record = 0; record < count; record++) {
        put(segment, offset + record * recordSize);
      }
    }

    private void put(MemorySegment source, long offset) throws SortException {
      int length;
      for (int part = 0; part < recordSize; part += length) {
        length = Math.min(block.length, recordSize - part);
        MemorySegment.copy(source, offset + part, blockSegment, 0, length);
        checksum.addPart(block, length);
        gathered = length;
        append();
      }
      checksum.endRecord();
    }
  }

  private void sumAndAppend() throws SortException {
    checksum.add(block, 0, gathered);
    append();
  }

  /// Appends what was gathered to what is to be written.
  private void append() throws SortException {
    if (used > limit) {
      flush();
    }
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
    sumAndAppend();
    if (used > from) {
      file.write(buffer, from, used, position);
    }
    return checksum.sum();
  }
}
