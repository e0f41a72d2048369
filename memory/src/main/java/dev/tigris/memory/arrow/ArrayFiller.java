package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.ArrowType.Size;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Fills an array in place from lists that have as many elements each, or from binary values of
/// that size.
final class ArrayFiller extends Filler {
  private final int length;
  private final Numbers numbers;

  /// The column of the lists' elements, or that of the binary values.
  private final SourceColumn elements;

  private final Filler elementNulls;

  ArrayFiller(Cell cell, SourceColumn source, boolean nullsAreZero, int length, Numbers numbers) {
    super(cell, source.want(), nullsAreZero);
    this.length = length;
    this.numbers = numbers;
    this.elements = source.children().isEmpty() ? source : source.children().getFirst().want();
    this.elementNulls = new NumberFiller(cell, elements, nullsAreZero, numbers);
  }

  @Override
  void fill(Part part) throws IOException {
    switch (source.field().type()) {
      case ArrowType.FixedBinary _ -> fillBinary(part);
      case ArrowType.FixedList _ -> {
        byte[] absent = absent(part, source.nulls(part.from(), part.count()));
        elements.requireRows(source.rows() * length);
        long first = part.from() * length;
        long[] starts = new long[part.count()];
        for (int i = 0; i < starts.length; i++) {
          starts[i] = first + (long) i * length;
        }
        fillLists(part, absent, starts, first, part.count() * length);
      }
      case ArrowType.Many(Size size, boolean _) -> {
        byte[] absent = absent(part, source.nulls(part.from(), part.count()));
        long[] offsets = source.offsets(size, part.from(), part.count(), elements.rows());
        long count = 0;
        for (int i = 0; i < part.count(); i++) {
          boolean isThere = absent == null || absent[i] == 0;
          if (isThere && offsets[i + 1] - offsets[i] != length) {
            throw failed(
                part,
                i,
                "has %d elements, and %%s has %d always"
                    .formatted(offsets[i + 1] - offsets[i], length));
          }
          count += isThere ? length : 0;
        }
        fillMany(part, absent, offsets, count);
      }
      default -> throw new IllegalStateException("no list: " + source.field());
    }
  }

  private void fillBinary(Part part) throws IOException {
    Cells cells = source.cells(part.from(), part.count());
    byte[] absent = absent(part, cells.isNull());
    for (int i = 0; i < part.count(); i++) {
      if (absent == null || absent[i] == 0) {
        MemorySegment.copy(
            cells.fixed(),
            i * length,
            part.rows(),
            ValueLayout.JAVA_BYTE,
            cell.offset() + (long) i * part.strideBytes(),
            length);
      }
    }
  }

  /// Reads lists that lie one after the other at once, and others, between which there are elements
  /// of null lists, one by one.
  private void fillMany(Part part, byte @Nullable [] absent, long[] offsets, long count)
      throws IOException {
    long first = offsets[0];
    long all = offsets[part.count()] - first;
    if (all == count) {
      fillLists(part, absent, offsets, first, (int) count);
      return;
    }
    for (int i = 0; i < part.count(); i++) {
      if (absent == null || absent[i] == 0) {
        storeList(part, i, elements.cells(offsets[i], length), 0);
      }
    }
  }

  private void fillLists(Part part, byte @Nullable [] absent, long[] starts, long first, int count)
      throws IOException {
    Cells cells = elements.cells(first, count);
    for (int i = 0; i < part.count(); i++) {
      if (absent == null || absent[i] == 0) {
        storeList(part, i, cells, (int) (starts[i] - first));
      }
    }
  }

  /// Stores the elements of a row's list, which begin at an index of cells.
  private void storeList(Part part, int row, Cells cells, int start) throws ArrowException {
    long at = cell.offset() + (long) row * part.strideBytes();
    int width = numbers.to().sizeBytes();
    if (cells.isNull() == null && numbers.isPlain()) {
      MemorySegment.copy(
          cells.fixed(), start * width, part.rows(), ValueLayout.JAVA_BYTE, at, length * width);
      return;
    }
    for (int i = 0; i < length; i++) {
      if (cells.isNull(start + i)) {
        Part one = new Part(part.rows(), part.strideBytes(), 1, 0, part.number() + row, null);
        byte[] _ = elementNulls.absent(one, new byte[] {1});
      } else {
        numbers.storeOne(cells.fixed(), start + i, part.rows(), at + (long) i * width);
      }
    }
  }
}
