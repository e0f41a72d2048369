package dev.tigris.memory.arrow;

import dev.tigris.memory.Primitive;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/// A column of numbers, whose bytes are those of the fields.
final class FixedColumn extends Column {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Field field;
  private final int offset;
  private final int width;
  private final Growing data = new Growing();

  FixedColumn(Cell cell, Primitive primitive) {
    this.field = new Field(cell.name(), cell.typeOf(primitive), false, null, List.of());
    this.offset = cell.offset();
    this.width = primitive.sizeBytes();
  }

  @Override
  Field field() {
    return field;
  }

  @Override
  void append(MemorySegment rows, int strideBytes, int count) {
    int to = data.take(count * width);
    byte[] target = data.bytes();
    long from = offset;
    switch (width) {
      case Byte.BYTES -> bytes(rows, from, strideBytes, target, to, count);
      case Short.BYTES -> shorts(rows, from, strideBytes, target, to, count);
      case Integer.BYTES -> ints(rows, from, strideBytes, target, to, count);
      default -> longs(rows, from, strideBytes, target, to, count);
    }
  }

  private static void bytes(
      MemorySegment rows, long from, long stride, byte[] target, int to, int count) {
    for (int i = 0; i < count; i++) {
      target[to + i] = rows.get(ValueLayout.JAVA_BYTE, from + i * stride);
    }
  }

  private static void shorts(
      MemorySegment rows, long from, long stride, byte[] target, int to, int count) {
    for (int i = 0; i < count; i++) {
      Growing.SHORT.set(target, to + i * Short.BYTES, rows.get(SHORT, from + i * stride));
    }
  }

  private static void ints(
      MemorySegment rows, long from, long stride, byte[] target, int to, int count) {
    for (int i = 0; i < count; i++) {
      Growing.INT.set(target, to + i * Integer.BYTES, rows.get(INT, from + i * stride));
    }
  }

  private static void longs(
      MemorySegment rows, long from, long stride, byte[] target, int to, int count) {
    for (int i = 0; i < count; i++) {
      Growing.LONG.set(target, to + i * Long.BYTES, rows.get(LONG, from + i * stride));
    }
  }

  @Override
  void addTo(Batch batch) {
    batch.node(data.length() / width, 0);
    batch.noNulls();
    batch.buffer(data.bytes(), data.length());
  }

  @Override
  void clear() {
    data.clear();
  }
}
