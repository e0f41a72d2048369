package dev.tigris.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Numbers of one to eight bytes in arrays, in either byte order.
final class KeyBytes {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private KeyBytes() {}

  /// The number in `length` bytes, unsigned.
  static long get(byte[] bytes, int at, int length, boolean littleEndian) {
    if (length == Long.BYTES) {
      long value = (long) LONG.get(bytes, at);
      return littleEndian ? Long.reverseBytes(value) : value;
    }
    if (length == Integer.BYTES) {
      int value = (int) INT.get(bytes, at);
      return Integer.toUnsignedLong(littleEndian ? Integer.reverseBytes(value) : value);
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      int b = bytes[littleEndian ? at + length - 1 - i : at + i] & 0xff;
      value = (value << Byte.SIZE) | b;
    }
    return value;
  }

  /// Stores the lowest `length` bytes of a number.
  static void put(byte[] bytes, int at, int length, boolean littleEndian, long value) {
    if (length == Long.BYTES) {
      LONG.set(bytes, at, littleEndian ? Long.reverseBytes(value) : value);
      return;
    }
    if (length == Integer.BYTES) {
      INT.set(bytes, at, littleEndian ? Integer.reverseBytes((int) value) : (int) value);
      return;
    }
    long rest = value;
    for (int i = 0; i < length; i++) {
      bytes[littleEndian ? at + i : at + length - 1 - i] = (byte) rest;
      rest >>>= Byte.SIZE;
    }
  }
}
