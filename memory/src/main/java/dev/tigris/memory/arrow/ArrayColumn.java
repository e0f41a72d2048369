package dev.tigris.memory.arrow;

import dev.tigris.memory.Primitive;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A column of arrays in place: as many elements in each row. Bytes are a binary value of a fixed
/// size.
final class ArrayColumn extends Column {
  private final Field field;
  private final int offset;
  private final int length;
  private final int rowBytes;
  private final boolean isBinary;
  private final Growing data = new Growing();

  ArrayColumn(Cell cell, Primitive element, int length) {
    this.offset = cell.offset();
    this.length = length;
    this.rowBytes = length * element.sizeBytes();
    this.isBinary = cell.isBinary();
    this.field =
        isBinary
            ? new Field(cell.name(), new ArrowType.FixedBinary(length), false, null, List.of())
            : new Field(
                cell.name(),
                new ArrowType.FixedList(length),
                false,
                null,
                List.of(new Field("item", cell.typeOf(element), false, null, List.of())));
  }

  @Override
  Field field() {
    return field;
  }

  @Override
  void append(MemorySegment rows, int strideBytes, int count) {
    for (long i = 0, from = offset; i < count; i++, from += strideBytes) {
      data.add(rows, from, rowBytes);
    }
  }

  @Override
  void addTo(Batch batch) {
    long rows = data.length() / rowBytes;
    batch.node(rows, 0);
    batch.noNulls();
    if (!isBinary) {
      batch.node(rows * length, 0);
      batch.noNulls();
    }
    batch.buffer(data.bytes(), data.length());
  }

  @Override
  void clear() {
    data.clear();
  }
}
