package dev.tigris.memory.arrow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Writes metadata in the format of FlatBuffers, as much of it as Arrow's needs. What refers to
/// something is written after it, towards lower addresses. So the bytes are filled from the end,
/// and a place is a distance from there.
///
/// ```
///   table    offset (4 bytes) back to its list of fields | values of the fields
///   list     of 2 bytes each: its own size | the table's size | by field: where it is, 0 if absent
///   vector   number of elements (4 bytes) | elements
///   string   as a vector of bytes, with a zero behind them
/// ```
///
/// Thread rule: one thread.
final class FlatBuilder {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private byte[] bytes = new byte[1024];
  private int used;
  private int[] fields = new int[0];
  private int tableEnd;

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN)
        .withInvokeExactBehavior();
  }

  /// Makes room for `count` bytes and returns where they begin. It may replace the array.
  private int take(int count) {
    int left = bytes.length - used;
    if (left < count) {
      int larger = Math.max(2 * bytes.length, bytes.length + count);
      byte[] grown = new byte[larger];
      System.arraycopy(bytes, left, grown, larger - used, used);
      bytes = grown;
    }
    used += count;
    return bytes.length - used;
  }

  /// Pads so that what follows `more` further bytes lies at a multiple of `alignment`.
  private void align(int alignment, int more) {
    int padding = -(used + more) & (alignment - 1);
    int at = take(padding);
    Arrays.fill(bytes, at, at + padding, (byte) 0);
  }

  private void pushByte(int value) {
    int at = take(1);
    bytes[at] = (byte) value;
  }

  private void pushShort(int value) {
    align(Short.BYTES, 0);
    int at = take(Short.BYTES);
    SHORT.set(bytes, at, (short) value);
  }

  private void pushInt(int value) {
    align(Integer.BYTES, 0);
    int at = take(Integer.BYTES);
    INT.set(bytes, at, value);
  }

  private void pushLong(long value) {
    align(Long.BYTES, 0);
    int at = take(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  /// Pushes how far it is from here to something that was written before.
  private void pushOffset(int to) {
    align(Integer.BYTES, 0);
    pushInt(used + Integer.BYTES - to);
  }

  int string(String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    align(Integer.BYTES, encoded.length + 1);
    pushByte(0);
    int at = take(encoded.length);
    System.arraycopy(encoded, 0, bytes, at, encoded.length);
    pushInt(encoded.length);
    return used;
  }

  int offsets(int[] places) {
    align(Integer.BYTES, places.length * Integer.BYTES);
    for (int i = places.length - 1; i >= 0; i--) {
      pushOffset(places[i]);
    }
    pushInt(places.length);
    return used;
  }

  /// A vector of structs whose members are all 64-bit numbers, or of such numbers.
  ///
  /// @param width how many numbers a struct has
  int longs(long[] values, int count, int width) {
    align(Integer.BYTES, count * Long.BYTES);
    align(Long.BYTES, count * Long.BYTES);
    for (int i = count - 1; i >= 0; i--) {
      pushLong(values[i]);
    }
    pushInt(count / width);
    return used;
  }

  /// Begins a table with up to `count` fields. Until [#end], nothing but its fields is written.
  void begin(int count) {
    fields = new int[count];
    tableEnd = used;
  }

  void byteField(int index, int value) {
    pushByte(value);
    fields[index] = used;
  }

  void shortField(int index, int value) {
    pushShort(value);
    fields[index] = used;
  }

  void intField(int index, int value) {
    pushInt(value);
    fields[index] = used;
  }

  void longField(int index, long value) {
    pushLong(value);
    fields[index] = used;
  }

  void offsetField(int index, int place) {
    pushOffset(place);
    fields[index] = used;
  }

  int end() {
    pushInt(0); // the way to the list, once it is known
    int table = used;
    for (int i = fields.length - 1; i >= 0; i--) {
      pushShort(fields[i] == 0 ? 0 : table - fields[i]);
    }
    pushShort(table - tableEnd);
    pushShort((fields.length + 2) * Short.BYTES);
    INT.set(bytes, bytes.length - table, used - table);
    return table;
  }

  /// Returns the bytes, a multiple of eight, with the root in front.
  byte[] finish(int root) {
    align(Long.BYTES, Integer.BYTES);
    pushOffset(root);
    return Arrays.copyOfRange(bytes, bytes.length - used, bytes.length);
  }
}
