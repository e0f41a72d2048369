package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.util.zip.CRC32;

/// Sums the CRC-32 of records. The sum does not depend on their order, so that what was read can be
/// compared with what is to be written.
///
/// The records are copied to the heap, a block at a time, because a CRC over an array costs half of
/// one over a buffer.
///
/// Thread rule: one thread at a time.
final class RecordChecksum {
  private static final int BLOCK_BYTES = 32 << 10;

  private final int recordSize;
  private final CRC32 crc = new CRC32(); // of the parts of a record so far
  private UInt128 sum = UInt128.ZERO;

  RecordChecksum(int recordSize) {
    this.recordSize = recordSize;
  }

  /// Adds `count` records that follow one another in `bytes`.
  void add(Bytes bytes, long offset, long count) {
    byte[] block = new byte[Math.max(1, BLOCK_BYTES / recordSize) * recordSize];
    long at = offset;
    long end = offset + count * recordSize;
    while (at < end) {
      int length = (int) Math.min(block.length, end - at);
      bytes.copyTo(at, block, 0, length);
      add(block, 0, length);
      at += length;
    }
  }

  /// Adds the records that are the bytes from `from` to `to`.
  void add(byte[] records, int from, int to) {
    // An array has less than 2^32 records, so a long holds the sum of their CRCs.
    long arraySum = 0;
    for (int at = from; at < to; at += recordSize) {
      crc.update(records, at, recordSize);
      arraySum += crc.getValue();
      crc.reset();
    }
    sum = sum.plus(arraySum);
  }

  /// Adds a part of a record that is too large to be added at once; after its last part comes
  /// [#endRecord].
  void addPart(byte[] part, int length) {
    crc.update(part, 0, length);
  }

  /// The same of a part outside of the heap.
  void addPart(Bytes bytes, long offset, long length) {
    byte[] block = new byte[(int) Math.min(BLOCK_BYTES, length)];
    long end = offset + length;
    for (long at = offset; at < end; at += block.length) {
      int count = (int) Math.min(block.length, end - at);
      bytes.copyTo(at, block, 0, count);
      addPart(block, count);
    }
  }

  /// The parts that were added are a whole record.
  void endRecord() {
    sum = sum.plus(crc.getValue());
    crc.reset();
  }

  UInt128 sum() {
    return sum;
  }
}
