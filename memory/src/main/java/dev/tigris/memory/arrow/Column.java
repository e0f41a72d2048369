package dev.tigris.memory.arrow;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// A column that is being made of the cells of rows. It keeps its buffers from batch to batch.
///
/// Thread rule: one thread.
abstract sealed class Column
    permits FixedColumn, BoolColumn, TextColumn, EnumColumn, ArrayColumn, StructColumn {
  /// Returns its field of the schema.
  abstract Field field();

  /// Adds the cells of rows that lie together.
  ///
  /// @param rows the bytes of whole objects
  /// @param strideBytes from one to the next
  /// @throws ArrowException if a cell holds what cannot be
  abstract void append(MemorySegment rows, int strideBytes, int count) throws ArrowException;

  /// Adds nodes and buffers. They stay as they are until [#clear].
  abstract void addTo(Batch batch);

  /// Forgets the rows.
  abstract void clear();

  /// Adds the columns with dictionaries, this one and those in it, in the order of their numbers.
  void addEnums(List<EnumColumn> enums) {}
}
