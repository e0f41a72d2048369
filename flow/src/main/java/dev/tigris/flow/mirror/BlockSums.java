package dev.tigris.flow.mirror;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/// The checksums of a segment's blocks: CRC-32C, four bytes each, little-endian, in a table behind
/// the data of each copy. A sum covers the bytes and where they belong, so a block that was written
/// to the place of another, or is one of an earlier data set, does not match:
///
/// ```
///   0            32        36       44      48
///   +------------+---------+--------+-------+---- ... ----+
///   | id, digits | segment | block  | bytes | the bytes   |      what a sum covers
///   +------------+---------+--------+-------+---- ... ----+
/// ```
///
/// The sum of the table, whose block is -1, is in the manifest.
///
/// Thread rule: one thread.
final class BlockSums {
  static final int BYTES = Integer.BYTES;
  private static final int FIRST = 64;
  private static final int SEGMENT_AT = 32;
  private static final int PREFIX_BYTES = 48;
  private static final ValueLayout.OfInt SUM =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final CRC32C sum = new CRC32C();
  private final byte[] prefix = new byte[PREFIX_BYTES];
  private final ByteBuffer fields = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN);
  private int[] sums = new int[FIRST];
  private int count;

  BlockSums(String id, int segment) {
    byte[] digits = id.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(digits, 0, prefix, 0, Math.min(digits.length, SEGMENT_AT));
    fields.putInt(SEGMENT_AT, segment);
  }

  /// Returns the sum of a block.
  int of(long block, MemorySegment bytes) {
    fields.putLong(SEGMENT_AT + Integer.BYTES, block);
    fields.putInt(SEGMENT_AT + Integer.BYTES + Long.BYTES, (int) bytes.byteSize());
    sum.reset();
    sum.update(prefix);
    sum.update(bytes.asByteBuffer());
    return (int) sum.getValue();
  }

  /// Adds the sum of the next block.
  void add(MemorySegment bytes) {
    if (count == sums.length) {
      sums = Arrays.copyOf(sums, 2 * count);
    }
    sums[count] = of(count, bytes);
    count++;
  }

  int count() {
    return count;
  }

  int sum(long block) {
    return sums[(int) block];
  }

  boolean isIntact(long block, MemorySegment bytes) {
    return of(block, bytes) == sums[(int) block];
  }

  /// Writes the table, and returns its sum.
  int store(MemorySegment table) {
    for (int block = 0; block < count; block++) {
      table.set(SUM, (long) block * BYTES, sums[block]);
    }
    return of(-1, table.asSlice(0, (long) count * BYTES));
  }

  /// Reads the table. Returns false if it is not that of a sum.
  boolean load(MemorySegment table, int tableSum) {
    if (of(-1, table) != tableSum) {
      return false;
    }
    count = (int) (table.byteSize() / BYTES);
    sums = table.toArray(SUM);
    return true;
  }
}
