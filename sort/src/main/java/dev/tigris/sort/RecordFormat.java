package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The format of records of one fixed size, ordered by the unsigned bytes of a key at a fixed
/// place.
///
/// ```
///   0         keyOffset        keyOffset + keySize       recordSize
///   +-------------+--------------------+----------------------+
///   |    ...      |        key         |         ...          |
///   +-------------+--------------------+----------------------+
/// ```
///
/// @param recordSize bytes in a record, from 1 to [#MAX_RECORD_SIZE]
/// @param keyOffset where the key begins in the record
/// @param keySize bytes in the key, at least 1
public record RecordFormat(int recordSize, int keyOffset, int keySize) {
  /// The size of the largest record, 1 GiB: a buffer of a size that fits an `int` holds it with the
  /// blocks around it. A sort with too little memory for its records says how much it needs.
  public static final int MAX_RECORD_SIZE = 1 << 30;

  /// gensort's records: 100 bytes, of which the first 10 are the key.
  public static final RecordFormat GENSORT = new RecordFormat(100, 0, 10);

  /// Keys are compared word by word up to here, and then by the JDK, for which a segment has to be
  /// made first.
  private static final int NEAR_BYTES = 1024;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /// @throws IllegalArgumentException if the key does not lie inside the record
  public RecordFormat {
    if (recordSize < 1 || recordSize > MAX_RECORD_SIZE) {
      throw new IllegalArgumentException(
          "a record cannot have %2$d bytes: its size is from 1 to %1$d"
              .formatted(MAX_RECORD_SIZE, recordSize));
    }
    if (keySize < 1 || keyOffset < 0 || keyOffset > recordSize - keySize) {
      throw new IllegalArgumentException(
          "a key of %d bytes at offset %d does not lie inside a record of %d bytes"
              .formatted(keySize, keyOffset, recordSize));
    }
  }

  /// Describes the format in words for a message.
  String describe() {
    return "records of %d bytes with keys of %d at %d".formatted(recordSize, keySize, keyOffset);
  }

  /// Eight bytes of the key of the record at `record`, from byte `from` of the key on, as an
  /// unsigned number that orders as they do. Past the end of the key it continues with zeros.
  long prefix(Bytes bytes, long record, int from) {
    return leading(bytes, record + keyOffset + from, (long) keySize - from);
  }

  /// Returns the prefix of the key of a record in an array.
  long prefix(byte[] bytes, int record, int from) {
    return leading(bytes, record + keyOffset + from, keySize - from);
  }

  /// Compares the keys of two records from byte `from` of the key on; the bytes before it are
  /// known to be equal.
  int compareKeys(Bytes left, long leftRecord, Bytes right, long rightRecord, int from) {
    return compare(left, leftRecord + keyOffset, right, rightRecord + keyOffset, from, keySize);
  }

  /// Returns the same of two records in an array.
  int compareKeys(byte[] bytes, int leftRecord, int rightRecord, int from) {
    int left = leftRecord + keyOffset;
    int right = rightRecord + keyOffset;
    // Past the end of a key there is nothing to compare.
    int start = Math.min(from, keySize);
    return Arrays.compareUnsigned(
        bytes, left + start, left + keySize, bytes, right + start, right + keySize);
  }

  /// In how many of their first `most` bytes the keys of two records agree, if they agree in the
  /// first `from`.
  int commonBytes(Bytes left, long leftRecord, Bytes right, long rightRecord, int from, int most) {
    return mismatch(left, leftRecord + keyOffset, right, rightRecord + keyOffset, from, most);
  }

  /// Returns the same of two records in an array.
  int commonBytes(byte[] bytes, int leftRecord, int rightRecord, int from, int most) {
    int left = leftRecord + keyOffset;
    int right = rightRecord + keyOffset;
    int start = Math.min(from, most);
    int differs =
        Arrays.mismatch(bytes, left + start, left + most, bytes, right + start, right + most);
    return differs < 0 ? most : start + differs;
  }

  /// Compares bytes `from` to `to` of what begins at `leftStart` with those of what begins at
  /// `rightStart`, as unsigned bytes.
  static int compare(Bytes left, long leftStart, Bytes right, long rightStart, int from, int to) {
    int differs = mismatch(left, leftStart, right, rightStart, from, to);
    return differs >= to
        ? 0
        : Byte.compareUnsigned(left.get(leftStart + differs), right.get(rightStart + differs));
  }

  /// Returns the first of the bytes `from` to `to` in which what begins at `leftStart` differs from
  /// what begins at `rightStart`; `to` if they are equal.
  static int mismatch(Bytes left, long leftStart, Bytes right, long rightStart, int from, int to) {
    int near = Math.min(to, from + NEAR_BYTES);
    for (int at = from; at < near; at += Long.BYTES) {
      long different =
          leading(left, leftStart + at, (long) to - at)
              ^ leading(right, rightStart + at, (long) to - at);
      if (different != 0) {
        return at + Long.numberOfLeadingZeros(different) / Byte.SIZE;
      }
    }
    if (near >= to) {
      return to;
    }
    long differs =
        MemorySegment.mismatch(
            left.segment(),
            leftStart + near,
            leftStart + to,
            right.segment(),
            rightStart + near,
            rightStart + to);
    return differs < 0 ? to : near + (int) differs;
  }

  /// Returns the `left` bytes from `at` on, of which only the first eight are looked at, as an
  /// unsigned number that orders as they do.
  static long leading(byte[] bytes, int at, int left) {
    if (left >= Long.BYTES) {
      return (long) LONG.get(bytes, at);
    }
    if (at + Long.BYTES <= bytes.length) {
      return (long) LONG.get(bytes, at) & -1L << (Long.SIZE - Byte.SIZE * left);
    }
    long prefix = 0;
    for (int i = 0; i < left; i++) {
      prefix |= (bytes[at + i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i + 1));
    }
    return prefix;
  }

  private static long leading(Bytes bytes, long at, long left) {
    if (left >= Long.BYTES) {
      return bytes.getLongBigEndian(at);
    }
    if (at + Long.BYTES <= bytes.length()) {
      return bytes.getLongBigEndian(at) & -1L << (Long.SIZE - Byte.SIZE * left);
    }
    long prefix = 0;
    for (int i = 0; i < left; i++) {
      prefix |= (bytes.get(at + i) & 0xFFL) << (Long.SIZE - Byte.SIZE * (i + 1));
    }
    return prefix;
  }
}
