package dev.tigris.memory.arrow;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The values of a dictionary. More may be added behind them.
///
/// Thread rule: one thread.
final class DictionaryValues {
  /// The most values, and bytes of all values.
  static final int MOST = 1 << 24;

  private static final long MOST_BYTES = 512 << 20;

  private final int width;
  private final Growing fixed = new Growing();
  private byte[] isNull = new byte[0];
  private byte[][] datas = new byte[0][];
  private int arrays;
  private int[] which = new int[0];
  private int[] starts = new int[0];
  private int[] lengths = new int[0];
  private int count;
  private long textBytes;

  /// @param width of a value of a fixed size; 0 for texts
  DictionaryValues(int width) {
    this.width = width;
  }

  int count() {
    return count;
  }

  /// Adds values behind those that are there.
  void add(Cells cells) throws ArrowException {
    for (byte[] data : cells.datas()) {
      textBytes += data.length;
    }
    if (Math.max((long) fixed.length() + cells.fixed().length, textBytes) > MOST_BYTES) {
      throw new ArrowException(
          "a dictionary has more than %d bytes: write the column without one"
              .formatted(MOST_BYTES));
    }
    int sum = count + cells.count();
    if (sum > isNull.length) {
      int room = Math.max(sum, (int) Math.min(2L * isNull.length, Integer.MAX_VALUE - 8));
      isNull = Arrays.copyOf(isNull, room);
      if (width == 0) {
        which = Arrays.copyOf(which, room);
        starts = Arrays.copyOf(starts, room);
        lengths = Arrays.copyOf(lengths, room);
      }
    }
    for (int i = 0; i < cells.count(); i++) {
      isNull[count + i] = (byte) (cells.isNull(i) ? 1 : 0);
    }
    if (width > 0) {
      fixed.add(cells.fixed());
    } else {
      addTexts(cells);
    }
    count = sum;
  }

  private void addTexts(Cells cells) {
    byte[][] more = cells.datas();
    int needed = arrays + more.length;
    if (needed > datas.length) {
      datas = Arrays.copyOf(datas, Math.max(needed, 2 * datas.length));
    }
    System.arraycopy(more, 0, datas, arrays, more.length);
    int[] from = cells.which();
    for (int i = 0; i < cells.count(); i++) {
      which[count + i] = arrays + (from == null ? 0 : from[i]);
    }
    System.arraycopy(cells.starts(), 0, starts, count, cells.count());
    System.arraycopy(cells.lengths(), 0, lengths, count, cells.count());
    arrays = needed;
  }

  /// The values that indices stand for.
  ///
  /// @param absent by row, not 0 where there is no index; changed to have the nulls of the
  ///     dictionary too
  Cells gather(int[] indices, byte[] absent) {
    int rows = indices.length;
    byte[] values = new byte[rows * width];
    int texts = width == 0 ? rows : 0;
    int[] itsWhich = new int[texts];
    int[] itsStarts = new int[texts];
    int[] itsLengths = new int[texts];
    for (int i = 0; i < rows; i++) {
      int index = indices[i];
      if (absent[i] != 0) {
        continue;
      }
      absent[i] = isNull[index];
      if (width > 0) {
        System.arraycopy(fixed.bytes(), index * width, values, i * width, width);
      } else {
        itsWhich[i] = which[index];
        itsStarts[i] = starts[index];
        itsLengths[i] = lengths[index];
      }
    }
    return new Cells(rows, absent, values, datas, itsWhich, itsStarts, itsLengths);
  }

  /// Values that are texts need no width, and others have one.
  static @Nullable DictionaryValues of(ArrowType type) {
    int width = SourceColumn.width(type);
    if (type instanceof ArrowType.Text || type instanceof ArrowType.Binary) {
      return new DictionaryValues(0);
    }
    return width > 0 ? new DictionaryValues(width) : null;
  }
}
