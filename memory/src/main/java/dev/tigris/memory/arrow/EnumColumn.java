package dev.tigris.memory.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A column of constants of an enum: indices of a dictionary with their names, or the names
/// themselves. A constant is stored as the hash code of its name, and null as 0.
final class EnumColumn extends Column {
  private static final ValueLayout.OfInt CODE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Field field;
  private final String path;
  private final int offset;
  private final byte[][] names;

  /// The codes of all constants, by a few bits of theirs, and the index of the name of each; a code
  /// of 0 where there is none. At least half of the places are free.
  private final int[] codes;

  private final int[] indices;
  private final boolean isText;
  private final int indexBytes;

  /// Which rows are not null; empty while none is.
  private final Bits valid = new Bits();

  private final Growing data = new Growing();
  private final Growing ends = new Growing();
  private int count;
  private int nulls;

  /// @param dictionary its number; below zero for a column of texts
  EnumColumn(Cell cell, List<String> names, long dictionary) {
    this.path = cell.path();
    this.offset = cell.offset();
    this.names =
        names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    this.codes = new int[2 * Integer.highestOneBit(Math.max(1, names.size())) * 2];
    this.indices = new int[codes.length];
    for (int i = 0; i < names.size(); i++) {
      int code = names.get(i).hashCode();
      int at = place(code);
      codes[at] = code;
      indices[at] = i;
    }
    this.isText = dictionary < 0;
    this.indexBytes =
        names.size() <= Byte.MAX_VALUE + 1
            ? Byte.BYTES
            : names.size() <= Short.MAX_VALUE + 1 ? Short.BYTES : Integer.BYTES;
    var index = new ArrowType.Whole(indexBytes * Byte.SIZE, true);
    this.field =
        new Field(
            cell.name(),
            new ArrowType.Text(ArrowType.Size.SMALL),
            true,
            isText ? null : new Field.Dictionary(dictionary, index, false),
            List.of());
    clear();
  }

  @Override
  Field field() {
    return field;
  }

  @Override
  void addEnums(List<EnumColumn> enums) {
    if (!isText) {
      enums.add(this);
    }
  }

  @Override
  void append(MemorySegment rows, int strideBytes, int added) throws ArrowException {
    for (long i = 0, from = offset; i < added; i++, from += strideBytes) {
      int index = indexOf(rows.get(CODE, from), i);
      if (index < 0 || nulls > 0) {
        addValidity(index >= 0);
      }
      count++;
      if (isText) {
        if (index >= 0) {
          data.add(names[index]);
        }
        ends.addInt(data.length());
      } else {
        addIndex(Math.max(0, index));
      }
    }
  }

  /// Adds a bit, and at the first null those of the rows before.
  private void addValidity(boolean isValid) {
    for (int i = 0; nulls == 0 && i < count; i++) {
      valid.add(true);
    }
    valid.add(isValid);
    nulls += isValid ? 0 : 1;
  }

  private int indexOf(int code, long row) throws ArrowException {
    if (code == 0) {
      return -1;
    }
    int at = place(code);
    if (codes[at] == 0) {
      throw new ArrowException(
          "%s of row %d of the table's part is %08x, the code of no constant. The program that wrote it knew another version of the enum, or the container is damaged"
              .formatted(path, row, code));
    }
    return indices[at];
  }

  /// Returns where a code is, or where it would be.
  private int place(int code) {
    int mask = codes.length - 1;
    int at = (code ^ code >>> 16) & mask;
    while (codes[at] != 0 && codes[at] != code) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void addIndex(int index) {
    int at = data.take(indexBytes);
    byte[] bytes = data.bytes();
    switch (indexBytes) {
      case Byte.BYTES -> bytes[at] = (byte) index;
      case Short.BYTES -> Growing.SHORT.set(bytes, at, (short) index);
      default -> Growing.INT.set(bytes, at, index);
    }
  }

  @Override
  void addTo(Batch batch) {
    batch.node(count, nulls);
    if (nulls == 0) {
      batch.noNulls();
    } else {
      valid.addTo(batch);
    }
    if (isText) {
      batch.buffer(ends.bytes(), ends.length());
    }
    batch.buffer(data.bytes(), data.length());
  }

  /// Adds the dictionary's one column.
  void addDictionaryTo(Batch batch) {
    Growing text = new Growing();
    Growing places = new Growing();
    places.addInt(0);
    for (byte[] name : names) {
      text.add(name);
      places.addInt(text.length());
    }
    batch.node(names.length, 0);
    batch.noNulls();
    batch.buffer(places.bytes(), places.length());
    batch.buffer(text.bytes(), text.length());
  }

  int dictionaryValues() {
    return names.length;
  }

  @Override
  void clear() {
    valid.clear();
    data.clear();
    ends.clear();
    ends.addInt(0);
    count = 0;
    nulls = 0;
  }
}
