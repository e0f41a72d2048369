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
    boolean isAscii = cells.which() == null && isAscii(cells.datas());
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
      if (!isAscii
          && !Utf8Check.isAscii(data, start, start + length)
          && !Utf8Check.isUtf8(data, start, start + length)) {
        throw failed(part, i, "is not UTF-8, which %s has to be");
      }
      rows.set(Numbers.INT, at, length);
      if (length <= Long.BYTES
          && capacityBytes >= Long.BYTES
          && start <= data.length - Long.BYTES) {
        long text = (long) Growing.LONG.get(data, start);
        long beyond = length == Long.BYTES ? 0 : -1L << (length * Byte.SIZE);
        rows.set(Numbers.LONG, at + Integer.BYTES, text & ~beyond); // which stays zero
      } else {
        MemorySegment.copy(data, start, rows, ValueLayout.JAVA_BYTE, at + Integer.BYTES, length);
      }
    }
  }

  private static boolean isAscii(byte[][] texts) {
    for (byte[] text : texts) {
      if (!Utf8Check.isAscii(text, 0, text.length)) {
        return false;
      }
    }
    return true;
  }
}
