package dev.tigris.memory.arrow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Whether bytes are UTF-8: without code points that have a shorter form, halves of surrogate
/// pairs, and what lies beyond U+10FFFF.
///
/// Thread rule: any thread.
final class Utf8Check {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private Utf8Check() {}

  static boolean isAscii(byte[] bytes, int from, int to) {
    long bits = 0;
    int at = from;
    for (; at <= to - 4 * Long.BYTES; at += 4 * Long.BYTES) {
      bits |=
          (long) LONG.get(bytes, at)
              | (long) LONG.get(bytes, at + Long.BYTES)
              | (long) LONG.get(bytes, at + 2 * Long.BYTES)
              | (long) LONG.get(bytes, at + 3 * Long.BYTES);
    }
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      bits |= (long) LONG.get(bytes, at);
    }
    for (; at < to; at++) {
      bits |= bytes[at];
    }
    return (bits & 0x8080_8080_8080_8080L) == 0;
  }

  static boolean isUtf8(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int length = lengthAt(bytes, at, to);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }

  /// Returns how many bytes the character has that begins here; 0 if none does.
  private static int lengthAt(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    if (lead < 0x80) {
      return 1;
    }
    int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || to - at < length) {
      return 0;
    }
    int second = bytes[at + 1] & 0xff;
    int least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) {
      return 0;
    }
    for (int next = at + 2; next < at + length; next++) {
      if ((bytes[next] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return length;
  }
}
