package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Copies the records of a block to the heap and groups them by their buckets, so that a bucket
/// gets all that the block has for it in one copy. Access to an array is fast even in code that is
/// not optimized yet.
///
/// ```
///   block      a3 b1 c3 d2 e1 f3           records in the order of the input
///   grouped    b1 e1 | d2 | a3 c3 f3       those of bucket 1, of bucket 2, of bucket 3
///   ends             2    3          6     in records here, in bytes in the array
/// ```
///
/// Records with typed keys are encoded first.
///
/// Thread rule: one thread at a time.
final class BlockGroups {
  /// Null where records are sorted as they are.
  private final @Nullable RecordCode code;

  /// How large a record is in the input, and in a group.
  private final int readSize;

  private final int recordSize;
  private final int keyOffset;
  private final Splitters splitters;
  private final byte[] read;
  private final byte[] block;
  private final byte[] grouped;
  private final int[] bucketOf;
  private final int[] ends;

  /// Makes groups for blocks of up to `blockBytes`; a record must fit a block.
  ///
  /// @param format the format of records in the groups
  /// @param readSize how large a record is in the input
  BlockGroups(
      RecordFormat format,
      int readSize,
      @Nullable RecordCode code,
      Splitters splitters,
      int blockBytes) {
    this.code = code;
    this.readSize = readSize;
    this.recordSize = format.recordSize();
    this.keyOffset = format.keyOffset();
    this.splitters = splitters;
    int records = blockBytes / readSize;
    this.block = new byte[records * recordSize];
    this.read = code == null ? block : new byte[records * readSize];
    this.grouped = new byte[block.length];
    this.bucketOf = new int[records];
    this.ends = new int[splitters.buckets()];
  }

  /// Takes records from `from` on, up to `to` if so many fit, groups them, and returns how many
  /// bytes they have in the input.
  ///
  /// @param first the number of the first one in the input
  int take(Bytes bytes, long from, long to, long first, RecordChecksum checksum) {
    int length = (int) Math.min(read.length, to - from);
    bytes.copyTo(from, read, 0, length);
    checksum.add(read, 0, length);
    int records = length / readSize;
    if (code != null) {
      code.encode(read, 0, records, first, block);
    }
    find(records);
    group(records);
    return length;
  }

  /// Finds the bucket of each record, and where its group begins.
  private void find(int records) {
    Arrays.fill(ends, 0);
    for (int i = 0, key = keyOffset; i < records; i++, key += recordSize) {
      int bucket = splitters.bucket(block, key);
      bucketOf[i] = bucket;
      ends[bucket] += recordSize;
    }
    int sum = 0;
    for (int bucket = 0; bucket < ends.length; bucket++) {
      int size = ends[bucket];
      ends[bucket] = sum;
      sum += size;
    }
  }

  private void group(int records) {
    for (int i = 0, at = 0; i < records; i++, at += recordSize) {
      int bucket = bucketOf[i];
      System.arraycopy(block, at, grouped, ends[bucket], recordSize);
      ends[bucket] += recordSize;
    }
  }

  /// Returns the records of the block, those of the same bucket one after the other.
  byte[] grouped() {
    return grouped;
  }

  /// Returns where in [#grouped] the records of a bucket begin.
  int start(int bucket) {
    return bucket == 0 ? 0 : ends[bucket - 1];
  }

  /// Returns where they end.
  int end(int bucket) {
    return ends[bucket];
  }
}
