package dev.tigris.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A sum over lines that does not depend on their order: what was read and what was written must
/// have the same. Against damage, not against forgery.
///
/// Thread rule: one thread at a time.
final class LineChecksum {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private long sum;

  /// Adds a line, with the byte that ends it.
  void add(byte[] text, int start, int end) {
    long hash = (long) end - start;
    int at = start;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      hash = mix(hash ^ (long) LONG.get(text, at));
    }
    sum += mix(hash ^ rest(text, at, end));
  }

  /// The up to seven bytes from `at` on, the first one lowest: the top ones of the last eight bytes
  /// where there are so many.
  private static long rest(byte[] text, int at, int end) {
    if (at == end) {
      return 0;
    }
    if (end >= Long.BYTES) {
      return (long) LONG.get(text, end - Long.BYTES) >>> (Long.SIZE - Byte.SIZE * (end - at));
    }
    long rest = 0;
    for (int i = at; i < end; i++) {
      rest |= (text[i] & 0xffL) << (Byte.SIZE * (i - at));
    }
    return rest;
  }

  private static long mix(long value) {
    long product = value * MULTIPLIER;
    return product ^ (product >>> 29) ^ Math.unsignedMultiplyHigh(value, MULTIPLIER);
  }

  /// The sum of all lines added so far.
  long sum() {
    return sum;
  }
}
