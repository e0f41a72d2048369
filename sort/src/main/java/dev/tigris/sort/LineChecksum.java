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
  private static final long FIRST = 0x9E3779B97F4A7C15L;
  private static final long SECOND = 0xD6E8FEB86659FD93L;

  private long sum;

  /// Adds a line, with the byte that ends it.
  void add(byte[] text, int start, int end) {
    int length = end - start;
    if (length > 2 * Long.BYTES) {
      sum += ofLong(text, start, end);
      return;
    }
    long head = 0;
    long tail = 0;
    if (length >= Long.BYTES) { // the two may overlap: the length tells how far
      head = (long) LONG.get(text, start);
      tail = (long) LONG.get(text, end - Long.BYTES);
    } else if (length > 0) {
      head = few(text, start, length);
    }
    sum += mix(head ^ FIRST, tail ^ SECOND ^ length);
  }

  private static long ofLong(byte[] text, int start, int end) {
    long hash = (long) end - start;
    int at = start;
    for (; at < end - 2 * Long.BYTES; at += 2 * Long.BYTES) {
      long next = (long) LONG.get(text, at + Long.BYTES);
      hash = mix((long) LONG.get(text, at) ^ FIRST, next ^ SECOND ^ hash);
    }
    long head = (long) LONG.get(text, end - 2 * Long.BYTES);
    return mix(head ^ FIRST, (long) LONG.get(text, end - Long.BYTES) ^ SECOND ^ hash);
  }

  /// One to seven bytes, the first one lowest.
  private static long few(byte[] text, int start, int length) {
    if (start + Long.BYTES <= text.length) {
      return (long) LONG.get(text, start) << (Long.SIZE - Byte.SIZE * length);
    }
    long few = 0;
    for (int i = 0; i < length; i++) {
      few |= (text[start + i] & 0xffL) << (Byte.SIZE * (i + Long.BYTES - length));
    }
    return few;
  }

  /// All bits of the product of two numbers, folded.
  private static long mix(long one, long other) {
    return one * other ^ Math.unsignedMultiplyHigh(one, other);
  }

  /// The sum of all lines added so far.
  long sum() {
    return sum;
  }
}
