package dev.tigris.sort;

import dev.tigris.memory.Bytes;

/// The records of gensort 1.5, bit for bit: binary or ASCII, plain or skewed.
///
/// All come from one sequence of 128-bit numbers, `X' = aX + c mod 2^128` from `X = 0`, of which
/// record n uses the ones from n+1 on:
///
/// ```
/// binary  | key: top 10 bytes of random n+1 | 9 parts: top 10 bytes of random n+1+p, XORed |
///         0                                10                                            100
///
/// ascii   | key | 2 sp | record number, 32 hex digits | 2 sp | 13 hex digits, each 4x | CR LF |
///         0    10     12                             44     46                       98     100
/// ```
///
/// In skewed records the head of the key is that of one of 129 fixed records, so that some keys
/// are frequent.
///
/// Thread rule: one thread at a time; instances are independent.
final class Gensort {
  static final int RECORD_SIZE = RecordFormat.GENSORT.recordSize();

  private static final UInt128 MULTIPLIER = new UInt128(0x2360ed051fc65da4L, 0x4385df649fccf645L);
  private static final UInt128 INCREMENT = new UInt128(0x4a696d4772617952L, 0x4950202020202001L);

  /// What the nine parts after a binary key are XORed with: 8 bytes, then 2.
  private static final long[] PART_HIGH = {
    0xf0e8e4e2e1d8d4d2L, 0xcac9c6c5c3b8b4b2L, 0xaaa9a6a5a39c9a99L,
    0x938e8d8b87787472L, 0x6a696665635c5a59L, 0x534e4d4b473c3a39L,
    0x332e2d2b271e1d1bL, 0xc8c4c2c198949291L, 0x170f332e2d2b271eL,
  };

  private static final int[] PART_LOW = {
    0xd1cc, 0xb1ac, 0x9695, 0x716c, 0x5655, 0x3635, 0x170f, 0x8ce0, 0x1d1b,
  };

  private static final int PARTS = PART_HIGH.length;
  private static final int BATCH = 512;

  /// Record numbers have up to 128 significant bits, so this many records lend their key heads.
  private static final int SKEWS = 129;

  /// A skewed key takes up to this many bits (binary) or a byte for each eight (ASCII).
  private static final int SKEW_BITS = 48;

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'
  };

  private final boolean ascii;
  private final boolean skewed;
  private final long[] skews = new long[SKEWS];

  // The random numbers of a batch of records: record i of the batch uses the ones from i on.
  private final long[] high = new long[BATCH + PARTS];
  private final long[] low = new long[BATCH + PARTS];

  Gensort(boolean ascii, boolean skewed) {
    this.ascii = ascii;
    this.skewed = skewed;
    if (skewed) {
      long randomHigh = 0;
      long randomLow = 0;
      for (int i = 0; i < SKEWS; i++) {
        UInt128 random = next(new UInt128(randomHigh, randomLow));
        randomHigh = random.high();
        randomLow = random.low();
        skews[i] = ascii ? asciiHead(randomHigh) : randomHigh;
      }
    }
  }

  /// Returns the k-th number of the sequence; the 0th is 0. Takes as many steps as k has bits:
  /// applying `x -> ax + c` twice is `x -> a*a*x + (a*c + c)`.
  static UInt128 random(UInt128 k) {
    UInt128 value = UInt128.ZERO;
    UInt128 multiplier = MULTIPLIER;
    UInt128 increment = INCREMENT;
    int bits = k.significantBits();
    for (int bit = 0; bit < bits; bit++) {
      long word = bit < 64 ? k.low() : k.high();
      if ((word >>> bit & 1) != 0) {
        value = value.times(multiplier).plus(increment);
      }
      increment = increment.times(multiplier).plus(increment);
      multiplier = multiplier.times(multiplier);
    }
    return value;
  }

  private static UInt128 next(UInt128 random) {
    return random.times(MULTIPLIER).plus(INCREMENT);
  }

  /// Writes `records` records from number `first` on to `out`, from byte `offset` on.
  void fill(Bytes out, long offset, int records, UInt128 first) {
    UInt128 last = random(first);
    long done = 0;
    while (done < records) {
      int count = (int) Math.min(BATCH, records - done);
      last = advance(last, count);
      long at = offset + done * RECORD_SIZE;
      UInt128 number = first.plus(done);
      if (ascii) {
        writeAscii(out, at, count, number);
      } else {
        writeBinary(out, at, count);
      }
      if (skewed) {
        skew(out, at, count, number);
      }
      done += count;
    }
  }

  /// Computes the numbers after `last` that `count` records need, and returns the one that comes
  /// before the first number of the next record.
  private UInt128 advance(UInt128 last, int count) {
    long h = last.high();
    long l = last.low();
    long a = MULTIPLIER.low();
    for (int i = 0; i < count + PARTS; i++) {
      h = Math.unsignedMultiplyHigh(l, a) + h * a + l * MULTIPLIER.high() + INCREMENT.high();
      l *= a;
      l += INCREMENT.low();
      h += Long.compareUnsigned(l, INCREMENT.low()) < 0 ? 1 : 0;
      high[i] = h;
      low[i] = l;
    }
    return new UInt128(high[count - 1], low[count - 1]);
  }

  private void writeBinary(Bytes out, long offset, int count) {
    for (int i = 0; i < count; i++) {
      long at = offset + (long) i * RECORD_SIZE;
      out.setLongBigEndian(at, high[i]);
      out.setShort(at + 8, Short.reverseBytes((short) (low[i] >>> 48)));
      for (int part = 0; part < PARTS; part++) {
        at += 10;
        out.setLongBigEndian(at, high[i + 1 + part] ^ PART_HIGH[part]);
        int rest = (int) (low[i + 1 + part] >>> 48) ^ PART_LOW[part];
        out.setShort(at + 8, Short.reverseBytes((short) rest));
      }
    }
  }

  private void writeAscii(Bytes out, long offset, int count, UInt128 first) {
    for (int i = 0; i < count; i++) {
      long at = offset + (long) i * RECORD_SIZE;
      UInt128 number = first.plus(i);
      out.setLongBigEndian(at, asciiHead(high[i]));
      long rest = low[i];
      out.set(at + 8, (byte) (' ' + Long.remainderUnsigned(rest, 95)));
      out.set(at + 9, (byte) (' ' + Long.divideUnsigned(rest, 95) % 95));
      out.setShort(at + 10, (short) 0x2020);
      writeHex(out, at + 12, number.high());
      writeHex(out, at + 28, number.low());
      out.setShort(at + 44, (short) 0x2020);
      for (int digit = 0; digit < 13; digit++) {
        int hex = HEX[(int) (rest >>> (48 - 4 * digit)) & 0xF];
        out.setInt(at + 46 + 4L * digit, hex * 0x01010101);
      }
      out.setShort(at + 98, (short) ('\r' | '\n' << 8));
    }
  }

  private static void writeHex(Bytes out, long offset, long value) {
    for (int digit = 0; digit < 16; digit++) {
      out.set(offset + digit, HEX[(int) (value >>> (60 - 4 * digit)) & 0xF]);
    }
  }

  /// Returns the first eight bytes of an ASCII key: the remainders by 95, as printable characters.
  private static long asciiHead(long random) {
    long head = ' ' + Long.remainderUnsigned(random, 95);
    long rest = Long.divideUnsigned(random, 95);
    for (int i = 1; i < 8; i++) {
      head = head << 8 | ' ' + rest % 95;
      rest /= 95;
    }
    return head;
  }

  /// Whose key lends the head: record i for a number of i significant bits. Where one of the four
  /// highest bits of a half is set, gensort takes it for the very highest.
  private static int lender(UInt128 number) {
    int bits = number.significantBits();
    return bits % Long.SIZE > 60 ? Math.ceilDiv(bits, Long.SIZE) * Long.SIZE : bits;
  }

  private void skew(Bytes out, long offset, int count, UInt128 first) {
    for (int i = 0; i < count; i++) {
      long at = offset + (long) i * RECORD_SIZE;
      int choice = (int) (low[i] >>> 32);
      int bits = ascii ? (choice & 7) * 8 : choice & 63;
      if (bits == 0 || bits > SKEW_BITS) {
        continue;
      }
      long head = -1L << (64 - bits);
      long skew = skews[lender(first.plus(i))];
      out.setLongBigEndian(at, (skew & head) | (out.getLongBigEndian(at) & ~head));
    }
  }
}
