package dev.tigris.flow.text;

import dev.tigris.memory.Bytes;

/// A hash of bytes, 64 bits wide, eight bytes at a time, and what else is asked of keys. The hash
/// has no seed: every replica and every run gives equal keys equal hashes.
public final class Hash {
  private static final long FIRST = 0x9E3779B97F4A7C15L;
  private static final long SECOND = 0xD6E8FEB86659FD93L;

  private Hash() {}

  /// Returns the hash of the `length` bytes from `offset` on.
  public static long of(Bytes bytes, long offset, int length) {
    long hash = length * SECOND + FIRST;
    int at = 0;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      hash = mixed(hash ^ bytes.getLong(offset + at));
    }
    if (at < length) {
      hash = mixed(hash ^ rest(bytes, offset + at, length - at));
    }
    return hash;
  }

  /// Returns which of so many parts a hash belongs to, by its upper half.
  public static int part(long hash, int parts) {
    return (int) (((hash >>> Integer.SIZE) * parts) >>> Integer.SIZE);
  }

  /// Returns another hash of what this is the hash of, for another choice of parts.
  public static long again(long hash, int times) {
    return mixed(hash + times * FIRST);
  }

  /// Returns whether two ranges have equal bytes.
  public static boolean areEqual(Bytes a, long aFrom, Bytes b, long bFrom, int length) {
    int at = 0;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      if (a.getLong(aFrom + at) != b.getLong(bFrom + at)) {
        return false;
      }
    }
    int left = length - at;
    return left == 0 || rest(a, aFrom + at, left) == rest(b, bFrom + at, left);
  }

  private static long mixed(long value) {
    long low = value * SECOND;
    long high = Math.unsignedMultiplyHigh(value, SECOND);
    return (low ^ high) + FIRST;
  }

  /// Returns up to eight bytes as a number, the first one lowest. A word is read where it lies
  /// within the view, so that no branch is taken for the first time at the end of a water: that
  /// would cost the compiled code.
  static long rest(Bytes bytes, long from, int length) {
    long last = bytes.length() - Long.BYTES;
    if (last < 0) {
      return few(bytes, from, length);
    }
    long at = Math.min(from, last);
    long word = bytes.getLong(at) >>> ((from - at) * Byte.SIZE);
    return word & (-1L >>> (Long.SIZE - length * Byte.SIZE));
  }

  private static long few(Bytes bytes, long from, int length) {
    long word = 0;
    for (int i = length - 1; i >= 0; i--) {
      word = word << Byte.SIZE | (bytes.get(from + i) & 0xff);
    }
    return word;
  }
}
