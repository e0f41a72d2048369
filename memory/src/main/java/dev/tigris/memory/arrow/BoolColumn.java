package dev.tigris.memory.arrow;

import dev.tigris.memory.Primitive;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// A column of booleans: a bit each.
final class BoolColumn extends Column {
  private final Field field;
  private final int offset;
  private final Bits bits = new Bits();

  BoolColumn(Cell cell) {
    this.field = new Field(cell.name(), cell.typeOf(Primitive.BOOLEAN), false, null, List.of());
    this.offset = cell.offset();
  }

  @Override
  Field field() {
    return field;
  }

  @Override
  void append(MemorySegment rows, int strideBytes, int count) {
    for (long i = 0, from = offset; i < count; i++, from += strideBytes) {
      bits.add((rows.get(ValueLayout.JAVA_BYTE, from) & 1) != 0);
    }
  }

  @Override
  void addTo(Batch batch) {
    batch.node(bits.count(), 0);
    batch.noNulls();
    bits.addTo(batch);
  }

  @Override
  void clear() {
    bits.clear();
  }
}
