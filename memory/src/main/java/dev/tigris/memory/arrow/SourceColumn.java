package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.ArrowType.Size;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A column, or a part of one, that rows are read from. Each message with rows says where its
/// buffers are.
///
/// ```
///   numbers   nulls | values
///   texts     nulls | where each begins, and the last one ends | bytes
///   views     nulls | 16 bytes each: length, and the text or its place | any number of bytes
/// ```
///
/// Thread rule: one thread.
final class SourceColumn {
  /// The most rows of a batch: sizes that are computed from them fit 64 bits.
  static final long MOST_ROWS = 1L << 40;

  /// The most bytes that are read at once, which is more than fields have room for in a part of the
  /// rows. A dictionary is read as a whole.
  static final long MOST_BYTES = 256 << 20;

  /// The most bytes of buffers that views lead to which are kept for the next rows.
  private static final long MOST_KEPT_BYTES = 32 << 20;

  private static final int VIEW_BYTES = 16;
  private static final int SHORT_VIEW_BYTES = 12;

  private final Field field;

  /// The column that it is a part of.
  private final @Nullable SourceColumn parent;

  private final List<SourceColumn> children;
  private boolean isWanted;
  private long rows;
  private boolean hasNulls;
  private List<BufferRange> buffers = List.of();

  /// The values that the indices stand for.
  private @Nullable DictionaryValues values;

  private SourceColumn(Field field, @Nullable SourceColumn parent) {
    this.field = field;
    this.parent = parent;
    this.children = field.children().stream().map(child -> new SourceColumn(child, this)).toList();
  }

  static List<SourceColumn> of(List<Field> fields) {
    return fields.stream().map(each -> new SourceColumn(each, null)).toList();
  }

  Field field() {
    return field;
  }

  /// Names it in messages: `column 'origin.x'`.
  @Override
  public String toString() {
    return "column '%s'".formatted(path());
  }

  private String path() {
    return parent == null ? field.name() : parent.path() + "." + field.name();
  }

  List<SourceColumn> children() {
    return children;
  }

  long rows() {
    return rows;
  }

  /// Says that the column's values are read: its buffers are kept.
  SourceColumn want() {
    isWanted = true;
    return this;
  }

  /// Adds the dictionaries that wanted columns need.
  void addDictionaries(Map<Long, Field> wanted) throws ArrowException {
    Field.Dictionary dictionary = field.dictionary();
    if (dictionary != null && isWanted) {
      Field other = wanted.put(dictionary.id(), field);
      if (other != null && !other.type().equals(field.type())) {
        throw new ArrowException(
            "%s has a dictionary of %s, and '%s' has it too, of %s: the file is damaged"
                .formatted(this, field.type(), other.name(), other.type()));
      }
      if (DictionaryValues.of(field.type()) == null) {
        throw new ArrowException(
            "%s has a dictionary of %s, which is not read".formatted(this, field.type()));
      }
    }
    for (SourceColumn child : children) {
      child.addDictionaries(wanted);
    }
  }

  /// Finds the column's buffers in a message.
  void place(BatchWalk walk, Map<Long, DictionaryValues> dictionaries) throws IOException {
    close();
    int node = walk.nextNode(this);
    rows = walk.count(node);
    hasNulls = walk.nulls(node) != 0;
    if (rows < 0 || rows > MOST_ROWS || walk.nulls(node) < 0 || walk.nulls(node) > rows) {
      throw new ArrowException(
          "%s has %d rows, %d of them null, which cannot be"
              .formatted(this, rows, walk.nulls(node)));
    }
    Field.Dictionary dictionary = field.dictionary();
    ArrowType type = dictionary == null ? field.type() : dictionary.index();
    int count = type.buffers();
    if (isView(type)) {
      count += walk.nextVariadic(this);
    }
    if (isWanted) {
      buffers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        buffers.add(walk.nextBuffer(this));
      }
    } else {
      walk.skipBuffers(count);
    }
    if (dictionary == null) {
      for (SourceColumn child : children) {
        child.place(walk, dictionaries);
      }
    } else {
      values = dictionaries.get(dictionary.id());
    }
  }

  /// Gives up the buffers of the last message.
  void close() throws IOException {
    for (BufferRange buffer : buffers) {
      buffer.close();
    }
    buffers = List.of();
    for (SourceColumn child : children) {
      child.close();
    }
  }

  private static boolean isView(ArrowType type) {
    return (type instanceof ArrowType.Text(Size text) && text == Size.VIEW)
        || (type instanceof ArrowType.Binary(Size binary) && binary == Size.VIEW);
  }

  /// How many bytes a value of a type has; 0 if that is not fixed. A bit takes a byte once it is
  /// read.
  static int width(ArrowType type) {
    return switch (type) {
      case ArrowType.Bool _ -> 1;
      case ArrowType.Whole(int bits, boolean _) -> bits / Byte.SIZE;
      case ArrowType.Real(int bits) -> bits / Byte.SIZE;
      case ArrowType.Decimal(int _, int _, int bits) -> bits / Byte.SIZE;
      case ArrowType.Date(boolean isMillis) -> isMillis ? Long.BYTES : Integer.BYTES;
      case ArrowType.Time(ArrowType.Unit _, int bits) -> bits / Byte.SIZE;
      case ArrowType.Timestamp _, ArrowType.Duration _ -> Long.BYTES;
      case ArrowType.FixedBinary(int bytes) -> bytes;
      default -> 0;
    };
  }

  /// Requires that the column has as many rows as another one has, or leads to.
  void requireRows(long needed) throws ArrowException {
    if (rows != needed) {
      throw new ArrowException(
          "%s has %d rows, and should have %d: the file is damaged".formatted(this, rows, needed));
    }
  }

  /// Says which rows are null, by rows from one on; null if none is.
  byte @Nullable [] nulls(long from, int count) throws IOException {
    if (field.type() instanceof ArrowType.Null) {
      byte[] all = new byte[count];
      java.util.Arrays.fill(all, (byte) 1);
      return all;
    }
    if (!hasNulls) {
      return null;
    }
    byte[] valid = bits(buffers.getFirst(), from, count);
    for (int i = 0; i < count; i++) {
      valid[i] ^= 1;
    }
    return valid;
  }

  /// Reads bits, and returns a byte for each.
  private static byte[] bits(BufferRange buffer, long from, int count) throws IOException {
    long first = from >>> 3;
    byte[] packed = buffer.read(first, count == 0 ? 0 : ((from + count - 1) >>> 3) - first + 1);
    byte[] bits = new byte[count];
    int shift = (int) (from & 7);
    for (int i = 0; i < count; i++) {
      int at = shift + i;
      bits[i] = (byte) (packed[at >>> 3] >>> (at & 7) & 1);
    }
    return bits;
  }

  /// Reads the values of rows, of a fixed size or texts.
  Cells cells(long from, int count) throws IOException {
    byte[] absent = nulls(from, count);
    Field.Dictionary dictionary = field.dictionary();
    if (dictionary == null) {
      return cells(field.type(), from, count, absent);
    }
    byte[] known = absent == null ? new byte[count] : absent;
    DictionaryValues looked = values;
    if (looked == null) {
      throw new ArrowException(
          "%s has indices of dictionary %d, which did not come before it"
              .formatted(this, dictionary.id()));
    }
    ArrowType.Whole type = dictionary.index();
    byte[] raw = fixed(type, from, count);
    int[] indices = new int[count];
    for (int i = 0; i < count; i++) {
      if (known[i] == 0) {
        long index = Numbers.whole(raw, i, type);
        if (index < 0 || index >= looked.count()) {
          throw new ArrowException(
              "%s has the index %s in row %d, and its dictionary has %d values"
                  .formatted(this, Long.toUnsignedString(index), from + i, looked.count()));
        }
        indices[i] = (int) index;
      }
    }
    return looked.gather(indices, known);
  }

  private Cells cells(ArrowType type, long from, int count, byte @Nullable [] absent)
      throws IOException {
    return switch (type) {
      case ArrowType.Text(Size size) -> texts(size, from, count, absent);
      case ArrowType.Binary(Size size) -> texts(size, from, count, absent);
      case ArrowType.Null _ -> Cells.ofFixed(count, absent, new byte[0]);
      default -> Cells.ofFixed(count, absent, fixed(type, from, count));
    };
  }

  private byte[] fixed(ArrowType type, long from, int count) throws IOException {
    BufferRange buffer = buffers.get(1);
    if (type instanceof ArrowType.Bool) {
      return bits(buffer, from, count);
    }
    long width = width(type);
    if (width * count > MOST_BYTES) {
      throw new ArrowException(
          "%s has %d values of %d bytes, more than are read at once".formatted(this, count, width));
    }
    return buffer.read(from * width, width * count);
  }

  /// Reads where each text or list of rows begins, and where the last one ends.
  long[] offsets(Size size, long from, int count, long limit) throws IOException {
    if (count == 0) {
      return new long[1]; // a column without rows may have no offsets
    }
    int width = size == Size.LARGE ? Long.BYTES : Integer.BYTES;
    byte[] raw = buffers.get(1).read(from * width, (count + 1L) * width);
    long[] offsets = new long[count + 1];
    long before = 0;
    for (int i = 0; i <= count; i++) {
      long offset =
          width == Long.BYTES
              ? (long) Growing.LONG.get(raw, i * Long.BYTES)
              : (long) (int) Growing.INT.get(raw, i * Integer.BYTES);
      if (offset < before || offset > limit) {
        throw new ArrowException(
            "%s has the offset %d in row %d, behind one of %d and of %d at most: the file is damaged"
                .formatted(this, offset, from + i, before, limit));
      }
      offsets[i] = offset;
      before = offset;
    }
    return offsets;
  }

  /// Returns how many of some rows, one at least, have up to `most` bytes of values, or elements of
  /// lists.
  int rowsWithin(long from, int count, long most) throws IOException {
    Size size =
        switch (field.type()) {
          case ArrowType.Text(Size text) -> text;
          case ArrowType.Binary(Size binary) -> binary;
          case ArrowType.Many(Size list, boolean _) -> list;
          default -> Size.VIEW;
        };
    if (size == Size.VIEW || field.dictionary() != null) {
      long each =
          field.type() instanceof ArrowType.FixedList(int length) ? length : width(field.type());
      return Math.clamp(most / Math.max(1, each), 1, count);
    }
    long[] offsets = offsets(size, from, count, Long.MAX_VALUE);
    int rows = count;
    while (rows > 1 && offsets[rows] - offsets[0] > most) {
      rows--;
    }
    return rows;
  }

  private Cells texts(Size size, long from, int count, byte @Nullable [] absent)
      throws IOException {
    if (size == Size.VIEW) {
      return views(from, count, absent);
    }
    BufferRange data = buffers.get(2);
    long[] offsets = offsets(size, from, count, data.bytes());
    long first = offsets[0];
    long bytes = offsets[count] - first;
    if (bytes > MOST_BYTES) {
      throw new ArrowException(
          "%s has texts of %d bytes in %d rows, more than are read at once"
              .formatted(this, bytes, count));
    }
    int[] starts = new int[count];
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      starts[i] = (int) (offsets[i] - first);
      lengths[i] = (int) (offsets[i + 1] - offsets[i]);
    }
    byte[][] datas = {data.read(first, bytes)};
    return new Cells(count, absent, new byte[0], datas, null, starts, lengths);
  }

  private Cells views(long from, int count, byte @Nullable [] absent) throws IOException {
    byte[] entries = buffers.get(1).read(from * VIEW_BYTES, (long) count * VIEW_BYTES);
    byte[][] datas = new byte[buffers.size() - 1][];
    datas[0] = entries;
    int[] which = new int[count];
    int[] starts = new int[count];
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      if (absent != null && absent[i] != 0) {
        continue;
      }
      int at = i * VIEW_BYTES;
      int length = (int) Growing.INT.get(entries, at);
      starts[i] = at + Integer.BYTES;
      lengths[i] = length;
      if (length < 0 || length > SHORT_VIEW_BYTES) {
        int buffer = (int) Growing.INT.get(entries, at + 2 * Integer.BYTES);
        int start = (int) Growing.INT.get(entries, at + 3 * Integer.BYTES);
        byte[] data = viewed(datas, buffer, from + i);
        if (length < 0 || start < 0 || start > data.length - length) {
          throw new ArrowException(
              "%s has a text of %d bytes at %d of %d in row %d: the file is damaged"
                  .formatted(this, length, start, data.length, from + i));
        }
        which[i] = buffer + 1;
        starts[i] = start;
      }
    }
    long kept = 0;
    for (int i = 0; i < datas.length; i++) {
      kept += i == 0 ? 0 : buffers.get(i + 1).keptBytes();
    }
    for (int i = 0; i < datas.length; i++) {
      if (datas[i] == null) {
        datas[i] = new byte[0];
        if (i > 0 && kept > MOST_KEPT_BYTES) {
          buffers.get(i + 1).forget();
        }
      }
    }
    return new Cells(count, absent, new byte[0], datas, which, starts, lengths);
  }

  /// The bytes of a buffer that views lead to, as a whole.
  private byte[] viewed(byte[][] datas, int buffer, long row) throws IOException {
    if (buffer < 0 || buffer >= datas.length - 1) {
      throw new ArrowException(
          "%s has a text in buffer %d of %d in row %d: the file is damaged"
              .formatted(this, buffer, datas.length - 1, row));
    }
    byte[] known = datas[buffer + 1];
    if (known == null) {
      BufferRange range = buffers.get(buffer + 2);
      known = range.whole();
      datas[buffer + 1] = known;
    }
    return known;
  }
}
