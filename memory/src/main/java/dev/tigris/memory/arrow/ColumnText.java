package dev.tigris.memory.arrow;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A column of a file, or a part of a struct, whose values are read as texts. A list becomes an
/// array of JSON.
///
/// Thread rule: one thread.
final class ColumnText {
  /// The most bytes of texts, or elements of lists, that are read at once, unless one has more.
  private static final int MOST_AT_ONCE = 4 << 20;

  /// The most elements of a list.
  private static final int MOST_ELEMENTS = 16 << 20;

  private final SourceColumn source;

  /// The structs that it is a part of.
  private final List<SourceColumn> parents;

  private final String name;

  /// The elements of a list.
  private final @Nullable ColumnText elements;

  private final Growing text = new Growing();

  private ColumnText(SourceColumn source, List<SourceColumn> parents, String name)
      throws ArrowException {
    this.source = source.want();
    this.parents = parents;
    this.name = name;
    parents.forEach(SourceColumn::want);
    Field field = source.field();
    boolean isList =
        field.type() instanceof ArrowType.FixedList
            || (field.type() instanceof ArrowType.Many(ArrowType.Size _, boolean hasSizes)
                && !hasSizes);
    boolean isText =
        field.type() instanceof ArrowType.Text || field.type() instanceof ArrowType.Binary;
    boolean isKnown = isText || isList || ValueText.isKnown(field.type());
    if (!isKnown || (field.dictionary() != null && isList)) {
      throw new ArrowException(
          "%s has the type %s, which has no text: name the columns to read, without it"
              .formatted(source, field.typeText()));
    }
    this.elements = isList ? new ColumnText(source.children().getFirst(), List.of(), name) : null;
  }

  /// Returns the columns of a file, and of a struct each part.
  static List<ColumnText> of(List<SourceColumn> columns) throws ArrowException {
    List<ColumnText> found = new ArrayList<>();
    addTo(found, columns, List.of(), "");
    return found;
  }

  private static void addTo(
      List<ColumnText> found, List<SourceColumn> columns, List<SourceColumn> parents, String prefix)
      throws ArrowException {
    for (SourceColumn column : columns) {
      Field field = column.field();
      String path = prefix + field.name();
      if (field.type() instanceof ArrowType.Struct && field.dictionary() == null) {
        List<SourceColumn> around = new ArrayList<>(parents);
        around.add(column);
        addTo(found, column.children(), List.copyOf(around), path + ".");
      } else {
        found.add(new ColumnText(column, parents, path));
      }
    }
  }

  String name() {
    return name;
  }

  /// Returns how many of some rows, one at least, can be read at once.
  int rowsWithin(long from, int count) throws IOException {
    return source.rowsWithin(from, count, MOST_AT_ONCE);
  }

  /// Reads the texts of rows.
  Cells read(long from, int count) throws IOException {
    SourceColumn around = null;
    byte[] absent = null;
    for (SourceColumn parent : parents) {
      absent = both(absent, parent.nulls(from, count));
      around = parent;
    }
    if (around != null) {
      source.requireRows(around.rows());
    }
    Cells cells = elements == null ? values(from, count) : lists(from, count, elements);
    return absent == null
        ? cells
        : new Cells(
            count,
            both(absent, cells.isNull()),
            cells.fixed(),
            cells.datas(),
            cells.which(),
            cells.starts(),
            cells.lengths());
  }

  private static byte @Nullable [] both(byte @Nullable [] one, byte @Nullable [] other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    for (int i = 0; i < one.length; i++) {
      one[i] |= other[i];
    }
    return one;
  }

  private Cells values(long from, int count) throws IOException {
    Cells cells = source.cells(from, count);
    ArrowType type = source.field().type();
    if (type instanceof ArrowType.Text) {
      return cells;
    }
    text.clear();
    int[] starts = new int[count];
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      starts[i] = text.length();
      if (!cells.isNull(i)) {
        if (type instanceof ArrowType.Binary) {
          ValueText.addHex(cells.data(i), cells.starts()[i], cells.lengths()[i], text);
        } else {
          add(type, cells.fixed(), i, from);
        }
      }
      lengths[i] = text.length() - starts[i];
    }
    byte[][] datas = {text.bytes()};
    return new Cells(count, cells.isNull(), new byte[0], datas, null, starts, lengths);
  }

  private void add(ArrowType type, byte[] values, int index, long from) throws ArrowException {
    try {
      ValueText.add(type, values, index, text);
    } catch (ArrowException e) {
      throw new ArrowException(
          "%s, row %d of its batch: %s".formatted(source, from + index, e.getMessage()), e);
    }
  }

  private Cells lists(long from, int count, ColumnText inner) throws IOException {
    byte[] absent = source.nulls(from, count);
    long[] offsets;
    if (source.field().type() instanceof ArrowType.FixedList(int length)) {
      inner.source.requireRows(source.rows() * length);
      offsets = new long[count + 1];
      for (int i = 0; i <= count; i++) {
        offsets[i] = (from + i) * length;
      }
    } else if (source.field().type() instanceof ArrowType.Many(ArrowType.Size size, boolean _)) {
      offsets = source.offsets(size, from, count, inner.source.rows());
    } else {
      throw new IllegalStateException("no list: " + source.field());
    }
    text.clear();
    int[] starts = new int[count];
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      starts[i] = text.length();
      if (absent == null || absent[i] == 0) {
        addList(offsets[i], offsets[i + 1] - offsets[i], inner);
      }
      lengths[i] = text.length() - starts[i];
    }
    byte[][] datas = {text.bytes()};
    return new Cells(count, absent, new byte[0], datas, null, starts, lengths);
  }

  private void addList(long first, long count, ColumnText inner) throws IOException {
    if (count > MOST_ELEMENTS) {
      throw new ArrowException(
          "%s has a list of %d elements, and up to %d have a text"
              .formatted(source, count, MOST_ELEMENTS));
    }
    text.add((byte) '[');
    for (long at = first; at < first + count; ) {
      int part = inner.rowsWithin(at, (int) (first + count - at));
      Cells cells = inner.read(at, part);
      for (int i = 0; i < part; i++) {
        if (at + i > first) {
          text.add((byte) ',');
        }
        if (cells.isNull(i)) {
          text.add(NULL);
        } else {
          inner.addElement(cells.data(i), cells.starts()[i], cells.lengths()[i], text);
        }
      }
      at += part;
    }
    text.add((byte) ']');
  }

  private static final byte[] NULL = {'n', 'u', 'l', 'l'};

  /// Adds a text as an element of JSON.
  private void addElement(byte[] data, int start, int length, Growing out) {
    if (elements != null || ValueText.isNumber(source.field().type())) {
      out.add(data, start, length);
      return;
    }
    out.add((byte) '"');
    for (int i = start; i < start + length; i++) {
      byte each = data[i];
      if (each == '"' || each == '\\') {
        out.add((byte) '\\');
        out.add(each);
      } else if (each >= 0 && each < ' ') {
        out.add("\\u00%02x".formatted(each).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      } else {
        out.add(each);
      }
    }
    out.add((byte) '"');
  }
}
