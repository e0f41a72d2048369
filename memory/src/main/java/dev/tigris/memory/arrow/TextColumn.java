package dev.tigris.memory.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/// A column of texts: their bytes one after the other, and where each begins. Texts are mostly
/// short, so that they are copied in words: what a word has beyond a text is written over by the
/// next one.
final class TextColumn extends Column {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int SHORT_BYTES = 2 * Long.BYTES;

  private final Field field;
  private final String path;
  private final int offset;
  private final int capacityBytes;
  private final Growing data = new Growing();
  private final Growing ends = new Growing();

  TextColumn(Cell cell, int capacityBytes) {
    this.field =
        new Field(cell.name(), new ArrowType.Text(ArrowType.Size.SMALL), false, null, List.of());
    this.path = cell.path();
    this.offset = cell.offset();
    this.capacityBytes = capacityBytes;
    clear();
  }

  @Override
  Field field() {
    return field;
  }

  @Override
  void append(MemorySegment rows, int strideBytes, int count) throws ArrowException {
    int before = data.length();
    int to = ends.take(count * Integer.BYTES);
    byte[] target = ends.bytes();
    long from = offset;
    long last = rows.byteSize() - Long.BYTES;
    for (int i = 0; i < count; i++, from += strideBytes) {
      int length = rows.get(INT, from);
      if (length < 0 || length > capacityBytes) {
        throw new ArrowException(
            "%s of row %d of the table's part has %d bytes, and room for %d: the container is damaged"
                .formatted(path, i, Integer.toUnsignedLong(length), capacityBytes));
      }
      if (length <= SHORT_BYTES && from + Integer.BYTES <= last - Long.BYTES) {
        addShort(rows, from + Integer.BYTES, length);
      } else {
        data.add(rows, from + Integer.BYTES, length);
      }
      Growing.INT.set(target, to + i * Integer.BYTES, data.length());
    }
    byte[] bytes = data.bytes();
    if (!Utf8Check.isAscii(bytes, before, data.length())) {
      requireUtf8(bytes, before, target, to, count);
    }
  }

  /// Adds a text of up to two words, behind which a row has as many bytes.
  private void addShort(MemorySegment rows, long from, int length) {
    data.reserve(SHORT_BYTES);
    int at = data.take(length);
    byte[] bytes = data.bytes();
    Growing.LONG.set(bytes, at, rows.get(LONG, from));
    Growing.LONG.set(bytes, at + Long.BYTES, rows.get(LONG, from + Long.BYTES));
  }

  private void requireUtf8(byte[] bytes, int before, byte[] target, int to, int count)
      throws ArrowException {
    int start = before;
    for (int i = 0; i < count; i++) {
      int end = (int) Growing.INT.get(target, to + i * Integer.BYTES);
      if (!Utf8Check.isUtf8(bytes, start, end)) {
        throw new ArrowException(
            "%s of row %d of the table's part is not UTF-8: the container is damaged"
                .formatted(path, i));
      }
      start = end;
    }
  }

  @Override
  void addTo(Batch batch) {
    batch.node(ends.length() / Integer.BYTES - 1, 0);
    batch.noNulls();
    batch.buffer(ends.bytes(), ends.length());
    batch.buffer(data.bytes(), data.length());
  }

  @Override
  void clear() {
    data.clear();
    ends.clear();
    ends.addInt(0);
  }
}
