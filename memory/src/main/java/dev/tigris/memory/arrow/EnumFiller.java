package dev.tigris.memory.arrow;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Fills a constant of an enum from its name. Null is null.
final class EnumFiller extends Filler {
  private static final int FOUND = 64;

  /// The codes of all constants, rising, and the name of each.
  private final int[] codes;

  private final byte[][] names;

  /// Where names lie that were found last, how many bytes they have, and their codes: those of a
  /// dictionary lie at one place for all rows.
  private final byte[] @Nullable [] foundIn = new byte[FOUND][];

  private final int[] foundAt = new int[FOUND];
  private final int[] foundLength = new int[FOUND];
  private final int[] found = new int[FOUND];

  EnumFiller(Cell cell, SourceColumn source, List<String> constants) {
    super(cell, source.want(), true);
    List<String> sorted =
        constants.stream().sorted(Comparator.comparingInt(String::hashCode)).toList();
    this.codes = sorted.stream().mapToInt(String::hashCode).toArray();
    this.names =
        sorted.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
  }

  @Override
  void fill(Part part) throws IOException {
    Cells cells = source.cells(part.from(), part.count());
    byte[] absent = absent(part, cells.isNull());
    MemorySegment rows = part.rows();
    long at = cell.offset();
    for (int i = 0; i < part.count(); i++, at += part.strideBytes()) {
      if (absent == null || absent[i] == 0) {
        rows.set(Numbers.INT, at, code(part, cells, i));
      }
    }
    Arrays.fill(foundIn, null); // texts are kept no longer than the rows
  }

  @SuppressWarnings("ReferenceEquality") // one array has one content
  private int code(Part part, Cells cells, int row) throws ArrowException {
    byte[] data = cells.data(row);
    int start = cells.starts()[row];
    int length = cells.lengths()[row];
    int slot = start & (FOUND - 1);
    if (foundIn[slot] == data && foundAt[slot] == start && foundLength[slot] == length) {
      return found[slot];
    }
    int code = code(part, row, data, start, start + length);
    foundIn[slot] = data;
    foundAt[slot] = start;
    foundLength[slot] = length;
    found[slot] = code;
    return code;
  }

  private int code(Part part, int row, byte[] data, int start, int end) throws ArrowException {
    int code =
        Utf8Check.isAscii(data, start, end)
            ? hashOfAscii(data, start, end)
            : new String(data, start, end - start, StandardCharsets.UTF_8).hashCode();
    int at = Arrays.binarySearch(codes, code);
    if (at < 0 || !Arrays.equals(names[at], 0, names[at].length, data, start, end)) {
      int shown = Math.min(end, start + 100);
      throw failed(
          part,
          row,
          "is '%s', and %%s has no such constant"
              .formatted(
                  new String(data, start, shown - start, StandardCharsets.UTF_8)
                      .replace("%", "%%")));
    }
    return code;
  }

  /// As [String#hashCode] of the characters.
  private static int hashOfAscii(byte[] data, int start, int end) {
    int hash = 0;
    for (int i = start; i < end; i++) {
      hash = 31 * hash + data[i];
    }
    return hash;
  }
}
