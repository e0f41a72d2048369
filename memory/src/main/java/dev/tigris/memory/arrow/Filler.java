package dev.tigris.memory.arrow;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Fills a field of rows from a column.
///
/// Thread rule: one thread.
abstract sealed class Filler
    permits NumberFiller, TextFiller, EnumFiller, ArrayFiller, StructFiller {
  final Cell cell;
  final SourceColumn source;
  private final boolean nullsAreZero;

  /// Rows that lie together, and what they are filled from.
  ///
  /// @param rows the bytes of whole objects, all zero
  /// @param strideBytes from one to the next
  /// @param from the row of the batch that the first one is filled from
  /// @param number of that row in the file or stream, for messages
  /// @param absent by row, not 0 where it stays as it is; null if it stays nowhere
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Part(
      MemorySegment rows,
      int strideBytes,
      int count,
      long from,
      long number,
      byte @Nullable [] absent) {
    boolean isAbsent(int row) {
      byte[] known = absent;
      return known != null && known[row] != 0;
    }
  }

  Filler(Cell cell, SourceColumn source, boolean nullsAreZero) {
    this.cell = cell;
    this.source = source;
    this.nullsAreZero = nullsAreZero;
  }

  /// Fills the field of the rows.
  abstract void fill(Part part) throws IOException;

  /// Returns which rows have no value to store: those that are null, if that is allowed, and those
  /// that are absent already.
  byte @Nullable [] absent(Part part, byte @Nullable [] isNull) throws ArrowException {
    if (isNull == null) {
      return part.absent();
    }
    for (int i = 0; i < part.count(); i++) {
      if (part.isAbsent(i)) {
        isNull[i] = 1;
      } else if (isNull[i] != 0 && !nullsAreZero) {
        throw failed(
            part, i, "is null, which %s cannot be: ArrowRows.withZeroForNull takes zero for it");
      }
    }
    return isNull;
  }

  /// Says why the value of a row cannot be stored.
  ///
  /// @param why with `%s` for the field
  ArrowException failed(Part part, int row, String why) {
    return new ArrowException(
        "%s, row %d: the value ".formatted(source, part.number() + row)
            + why.formatted(cell.path()));
  }
}
