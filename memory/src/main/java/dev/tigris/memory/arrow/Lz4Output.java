package dev.tigris.memory.arrow;

import java.util.Arrays;

/// Compresses bytes to a frame of LZ4, which [Lz4Frame] draws: blocks of up to 64 KiB that do not
/// refer to one another, without checksums.
///
/// It looks up each four bytes in a table of where such bytes were last, and copies what is equal
/// from there. Where it finds nothing for long, it takes larger steps.
///
/// Thread rule: one thread.
final class Lz4Output {
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int TABLE_BITS = 13;
  private static final int LEAST_MATCH = 4;

  /// The format demands that a block ends with so many literals, and that no match begins behind
  /// the second number of bytes before its end.
  private static final int LAST_LITERALS = 5;

  private static final int LAST_MATCH = 12;

  /// Behind 2^6 bytes without a match, each step is a byte longer.
  private static final int STEP_BITS = 6;

  /// Version 1, independent blocks of up to 64 KiB; the last byte is the checksum of the two before
  /// it.
  private static final byte[] HEADER = {0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, (byte) 0x82};

  private final int[] table = new int[1 << TABLE_BITS];
  private byte[] out = new byte[0];
  private int at;

  /// Returns a frame with the first bytes of an array.
  byte[] frame(byte[] bytes, int length) {
    int blocks = (length + BLOCK_BYTES - 1) / BLOCK_BYTES;
    int most = HEADER.length + length + (blocks + 1) * Integer.BYTES + BLOCK_BYTES;
    if (out.length < most) {
      out = new byte[most];
    }
    System.arraycopy(HEADER, 0, out, 0, HEADER.length);
    at = HEADER.length;
    for (int from = 0; from < length; from += BLOCK_BYTES) {
      addBlock(bytes, from, Math.min(length, from + BLOCK_BYTES));
    }
    Growing.INT.set(out, at, 0);
    return Arrays.copyOf(out, at + Integer.BYTES);
  }

  private void addBlock(byte[] bytes, int from, int end) {
    int size = at;
    at += Integer.BYTES;
    compress(bytes, from, end);
    int compressed = at - size - Integer.BYTES;
    if (compressed < end - from) {
      Growing.INT.set(out, size, compressed);
    } else {
      Growing.INT.set(out, size, (end - from) | Integer.MIN_VALUE);
      System.arraycopy(bytes, from, out, size + Integer.BYTES, end - from);
      at = size + Integer.BYTES + end - from;
    }
  }

  private static int slot(int four) {
    return (four * 0x9e37_79b1) >>> (Integer.SIZE - TABLE_BITS);
  }

  private static int four(byte[] bytes, int from) {
    return (int) Growing.INT.get(bytes, from);
  }

  private void compress(byte[] bytes, int from, int end) {
    Arrays.fill(table, -1);
    int literals = from;
    int here = from;
    int missed = 0;
    while (here <= end - LAST_MATCH) {
      int four = four(bytes, here);
      int slot = slot(four);
      int candidate = table[slot];
      table[slot] = here;
      if (candidate < 0 || four(bytes, candidate) != four) {
        here += 1 + (missed++ >>> STEP_BITS);
        continue;
      }
      missed = 0;
      int length = LEAST_MATCH;
      while (here + length < end - LAST_LITERALS
          && bytes[here + length] == bytes[candidate + length]) {
        length++;
      }
      addSequence(bytes, literals, here, here - candidate, length);
      here += length;
      literals = here;
    }
    addLiterals(bytes, literals, end);
  }

  private void addSequence(byte[] bytes, int literals, int here, int distance, int length) {
    int token = at;
    addLiterals(bytes, literals, here);
    out[at++] = (byte) distance;
    out[at++] = (byte) (distance >>> Byte.SIZE);
    int more = length - LEAST_MATCH;
    out[token] |= (byte) Math.min(more, 15);
    addLength(more);
  }

  private void addLiterals(byte[] bytes, int literals, int end) {
    int count = end - literals;
    out[at++] = (byte) (Math.min(count, 15) << 4);
    addLength(count);
    System.arraycopy(bytes, literals, out, at, count);
    at += count;
  }

  /// Adds what a length has beyond the 15 that its token holds.
  private void addLength(int length) {
    if (length >= 15) {
      int left = length - 15;
      for (; left >= 255; left -= 255) {
        out[at++] = (byte) 255;
      }
      out[at++] = (byte) left;
    }
  }
}
