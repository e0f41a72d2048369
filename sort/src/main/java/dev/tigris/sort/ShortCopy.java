package dev.tigris.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Copies lines, most of which are short: eight bytes at a time, also beyond the end of a line.
final class ShortCopy {
  /// So many bytes behind a copy may change.
  static final int SLACK_BYTES = Long.BYTES - 1;

  /// From here on the JDK's way is the faster one.
  private static final int LONG_BYTES = 64;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private ShortCopy() {}

  /// Copies bytes. Up to [#SLACK_BYTES] behind the copy in `target` are changed, too, if there are
  /// so many.
  static void copy(byte[] source, int from, byte[] target, int to, int length) {
    int reach = length + SLACK_BYTES;
    if (length >= LONG_BYTES || from + reach > source.length || to + reach > target.length) {
      System.arraycopy(source, from, target, to, length);
      return;
    }
    for (int i = 0; i < length; i += Long.BYTES) {
      LONG.set(target, to + i, (long) LONG.get(source, from + i));
    }
  }
}
