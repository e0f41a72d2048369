package dev.tigris.memory.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Bytes at the end of which more are added: a buffer of a column.
///
/// Thread rule: one thread.
final class Growing {
  static final VarHandle SHORT = view(short[].class);
  static final VarHandle INT = view(int[].class);
  static final VarHandle LONG = view(long[].class);

  private byte[] bytes = new byte[0];
  private int length;

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN)
        .withInvokeExactBehavior();
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /// Makes room for `count` more bytes, which the caller fills, and returns where they begin.
  int take(int count) {
    int from = length;
    int end = Math.addExact(from, count);
    if (end > bytes.length) {
      bytes =
          Arrays.copyOf(bytes, Math.max(end, (int) Math.min(2L * bytes.length, end + (16 << 20))));
    }
    length = end;
    return from;
  }

  /// Makes room for `count` more bytes that are not taken yet.
  void reserve(int count) {
    int before = length;
    int _ = take(count);
    length = before;
  }

  void addInt(int value) {
    int at = take(Integer.BYTES);
    INT.set(bytes, at, value);
  }

  void addLong(long value) {
    int at = take(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  void add(MemorySegment from, long offset, int count) {
    int at = take(count);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, bytes, at, count);
  }

  void add(byte value) {
    int at = take(1);
    bytes[at] = value;
  }

  void add(byte[] from) {
    int at = take(from.length);
    System.arraycopy(from, 0, bytes, at, from.length);
  }

  void add(byte[] from, int start, int count) {
    int at = take(count);
    System.arraycopy(from, start, bytes, at, count);
  }

  /// Forgets what lies behind the first `count` bytes.
  void cut(int count) {
    length = count;
  }

  void clear() {
    length = 0;
  }
}
