package dev.tigris.os;

/// Compares eight bytes at a time: `x ^ times8(b)` has a zero byte wherever `x` has a `b`.
public final class ByteWord {
  private static final long ONES = 0x0101010101010101L;
  private static final long REST = 0x7F7F7F7F7F7F7F7FL;

  private ByteWord() {}

  /// Returns this byte eight times.
  public static long times8(byte b) {
    return ONES * (b & 0xff);
  }

  /// Returns a word whose bytes have their highest bit set where those of `x` are zero, and nowhere
  /// else: the sum cannot carry from one byte into the next.
  public static long zeros(long x) {
    return ~(((x & REST) + REST) | x | REST);
  }

  /// Returns such a word up to its lowest byte that is zero; bytes above may be marked in error. It
  /// takes fewer steps than [#zeros].
  public static long zerosUpToFirst(long x) {
    return (x - ONES) & ~x & ~REST;
  }

  /// Returns the number of the byte that the lowest bit of such a word marks.
  public static int first(long zeros) {
    return Long.numberOfTrailingZeros(zeros) >>> 3;
  }
}
