package dev.tigris.memory.arrow;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Fills a text in place.
final class TextFiller extends Filler {
  private final int capacityBytes;

  TextFiller(Cell cell, SourceColumn source, boolean nullsAreZero, int capacityBytes) {
    super(cell, source.want(), nullsAreZero);
    this.capacityBytes = capacityBytes;
  }

  @Override
  void fill(Part part) throws IOException {
    Cells cells = source.cells(part.from(), part.count());
    byte[] absent = absent(part, cells.isNull());
    MemorySegment rows = part.rows();
    long at = cell.offset();
    for (int i = 0; i < part.count(); i++, at += part.strideBytes()) {
      if (absent != null && absent[i] != 0) {
        continue;
      }
      byte[] data = cells.data(i);
      int start = cells.starts()[i];
      int length = cells.lengths()[i];
      if (length > capacityBytes) {
        throw failed(
            part,
            i,
            "has %d bytes, and %%s has room for %d: declare a larger @Capacity"
                .formatted(length, capacityBytes));
      }
      if (!Utf8Check.isAscii(data, start, start + length)
          && !Utf8Check.isUtf8(data, start, start + length)) {
        throw failed(part, i, "is not UTF-8, which %s has to be");
      }
      rows.set(Numbers.INT, at, length);
      MemorySegment.copy(data, start, rows, ValueLayout.JAVA_BYTE, at + Integer.BYTES, length);
    }
  }
}
