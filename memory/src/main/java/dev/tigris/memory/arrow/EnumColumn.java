package dev.tigris.memory.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// A column of constants of an enum: indices of a dictionary with their names, or the names
/// themselves. A constant is stored as the hash code of its name, and null as 0.
final class EnumColumn extends Column {
  private static final ValueLayout.OfInt CODE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Field field;
  private final String path;
  private final int offset;
  private final byte[][] names;

  /// The codes of all constants, rising, and the index of the name of each.
  private final int[] codes;

  private final int[] indices;
  private final boolean isText;
  private final int indexBytes;
  private final Bits valid = new Bits();
  private final Growing data = new Growing();
  private final Growing ends = new Growing();
  private int nulls;

  /// @param dictionary its number; below zero for a column of texts
  EnumColumn(Cell cell, List<String> names, long dictionary) {
    this.path = cell.path();
    this.offset = cell.offset();
    this.names =
        names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    List<Integer> order =
        IntStream.range(0, names.size())
            .boxed()
            .sorted(Comparator.comparingInt(index -> names.get(index).hashCode()))
            .toList();
    this.codes = order.stream().mapToInt(index -> names.get(index).hashCode()).toArray();
    this.indices = order.stream().mapToInt(Integer::intValue).toArray();
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
  void append(MemorySegment rows, int strideBytes, int count) throws ArrowException {
    int lastCode = 0;
    int lastIndex = -1;
    for (long i = 0, from = offset; i < count; i++, from += strideBytes) {
      int code = rows.get(CODE, from);
      int index = code == lastCode ? lastIndex : indexOf(code, i);
      lastCode = code;
      lastIndex = index;
      valid.add(index >= 0);
      nulls += index < 0 ? 1 : 0;
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

  private int indexOf(int code, long row) throws ArrowException {
    if (code == 0) {
      return -1;
    }
    int at = Arrays.binarySearch(codes, code);
    if (at < 0) {
      throw new ArrowException(
          "%s of row %d of the table's part is %08x, the code of no constant. The program that wrote it knew another version of the enum, or the container is damaged"
              .formatted(path, row, code));
    }
    return indices[at];
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
    batch.node(valid.count(), nulls);
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
    nulls = 0;
  }
}
