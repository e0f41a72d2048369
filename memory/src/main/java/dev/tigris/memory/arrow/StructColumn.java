package dev.tigris.memory.arrow;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// A column of objects in place: a column for each field of theirs.
final class StructColumn extends Column {
  private final Field field;
  private final List<Column> columns;
  private long rows;

  StructColumn(Cell cell, List<Column> columns) {
    this.columns = columns;
    this.field =
        new Field(
            cell.name(),
            new ArrowType.Struct(),
            false,
            null,
            columns.stream().map(Column::field).toList());
  }

  @Override
  Field field() {
    return field;
  }

  @Override
  void addEnums(List<EnumColumn> enums) {
    columns.forEach(column -> column.addEnums(enums));
  }

  @Override
  void append(MemorySegment from, int strideBytes, int count) throws ArrowException {
    for (Column column : columns) {
      column.append(from, strideBytes, count);
    }
    rows += count;
  }

  @Override
  void addTo(Batch batch) {
    batch.node(rows, 0);
    batch.noNulls();
    columns.forEach(column -> column.addTo(batch));
  }

  @Override
  void clear() {
    rows = 0;
    columns.forEach(Column::clear);
  }
}
