// Over 400 lines: an order with its description, and the places of keys that sorting uses.
package dev.tigris.sort;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An order over lines of text: that of POSIX `sort` in the C locale, with GNU's kinds of keys.
/// Lines compare by their keys, one after the other, and lines with equal keys byte by byte as a
/// whole, unless the order is [Builder#stable] or [Builder#unique].
///
/// ```java
/// LineOrder byAmount = LineOrder.builder().separator(',').key("3,3nr").key("1,1").build();
/// ```
///
/// Thread rule: immutable, any thread.
public final class LineOrder {
  /// Where in a prefix's place the byte of a key stands; the number of the key stands above.
  private static final int LEVEL_BITS = 24;

  private static final int OFFSET_MASK = (1 << LEVEL_BITS) - 1;

  /// What some programs begin a file with, in UTF-8.
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /// Says that lines differ in what only [#compare] sees.
  static final int UNSEEN = -1;

  private final Builder described;
  private final FieldFinder fields;
  private final List<LineKey> keys;

  /// The keys, and after them the whole line, where that decides between lines with equal keys.
  private final LineKey[] levels;

  /// Per level, whether it is all bytes of a line: looked at for each line, and so known before.
  private final boolean[] allBytes;

  private final boolean stable;
  private final boolean unique;
  private final RowEnds rows;

  private LineOrder(Builder from, List<LineKey> keys) {
    this.described = from;
    this.fields = new FieldFinder(from.separator, from.csv);
    this.keys = List.copyOf(keys);
    this.stable = from.stable;
    this.unique = from.unique;
    this.rows = new RowEnds(from.delimiter, from.csv);
    var all = new ArrayList<>(keys);
    if (keys.isEmpty() || !(stable || unique)) {
      all.add(LineKey.bytes(from.options.reversed));
    }
    this.levels = all.toArray(LineKey[]::new);
    this.allBytes = new boolean[levels.length];
    for (int level = 0; level < levels.length; level++) {
      allBytes[level] = levels[level].isAllBytes();
    }
  }

  /// The order of whole lines, byte by byte.
  public static LineOrder bytes() {
    return builder().build();
  }

  /// An order to describe. Without keys, whole lines are compared.
  public static Builder builder() {
    return new Builder();
  }

  /// Describes an order.
  ///
  /// Thread rule: one thread at a time.
  public static final class Builder {
    private int separator = FieldFinder.BY_BLANKS;
    private final List<String> keys = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();
    private final LineKey.Options options = new LineKey.Options();
    private String letters = "";
    private boolean stable;
    private boolean unique;
    private boolean csv;
    private byte delimiter = '\n';

    private record Column(String name, LineKey.Options options) {}

    private Builder() {}

    /// Separates fields by a byte; without this, by the change from blanks to other bytes, or in
    /// CSV by a comma.
    ///
    /// @throws IllegalArgumentException if it is not a single byte
    public Builder separator(char between) {
      if (between > 0xff) {
        throw new IllegalArgumentException(
            "the separator '%s' has more than one byte: fields are separated by one"
                .formatted(between));
      }
      separator = between;
      return this;
    }

    /// Adds a key, in the form of `sort -k`: `FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]]`. It is
    /// read when the order is built.
    public Builder key(String key) {
      keys.add(key);
      return this;
    }

    /// Takes rows of CSV (RFC 4180) for lines: a field may stand in quotes, with separators and
    /// ends of lines in it, and with two quotes for each one. The first row names the columns and
    /// stays where it is.
    public Builder csv() {
      csv = true;
      separator = separator == FieldFinder.BY_BLANKS ? ',' : separator;
      return this;
    }

    /// Adds a column of CSV as a key.
    ///
    /// @param name its name in the first row, or its number from 1
    /// @param letters its options, as for [#options]; none for those of all keys
    /// @throws IllegalArgumentException if there is no such option
    public Builder column(String name, String letters) {
      var own = new LineKey.Options();
      for (int i = 0; i < letters.length(); i++) {
        own.add(letters.charAt(i), true, true, letters);
      }
      own.requireCompatible(letters);
      columns.add(new Column(name, own));
      return this;
    }

    /// Sets the options of all keys that have none of their own, by their letters: `b`, `d`, `f`,
    /// `g`, `h`, `i`, `M`, `n`, `r`, `V`.
    ///
    /// @throws IllegalArgumentException if there is no such option
    public Builder options(String more) {
      for (int i = 0; i < more.length(); i++) {
        options.add(more.charAt(i), true, true, more);
      }
      letters += more;
      return this;
    }

    /// Leaves lines with equal keys in the order of the input.
    public Builder stable() {
      stable = true;
      return this;
    }

    /// Keeps the first of several lines with equal keys.
    public Builder unique() {
      unique = true;
      return this;
    }

    /// Ends lines with a NUL byte in place of a newline.
    public Builder zeroTerminated() {
      delimiter = 0;
      return this;
    }

    /// Makes the order. What is added to the builder later changes it no more.
    ///
    /// @throws IllegalArgumentException if a key cannot be read, or options contradict each other
    public LineOrder build() {
      if (csv ? !keys.isEmpty() : !columns.isEmpty()) {
        throw new IllegalArgumentException(
            csv
                ? "keys of CSV are columns: give their names or numbers"
                : "columns have names in CSV only");
      }
      var made = new ArrayList<LineKey>();
      for (String each : keys) {
        made.add(LineKey.parse(each, options));
      }
      options.requireCompatible(letters);
      if (made.isEmpty() && columns.isEmpty() && !options.isDefaultOrder()) {
        made.add(LineKey.wholeLine(options));
      }
      return new LineOrder(copy(), made);
    }

    private Builder copy() {
      var copy = new Builder();
      copy.separator = separator;
      copy.columns.addAll(columns);
      copy.options.reversed = options.reversed;
      copy.letters = letters;
      copy.stable = stable;
      copy.unique = unique;
      copy.csv = csv;
      copy.delimiter = delimiter;
      return copy;
    }
  }

  /// Whether lines are rows of CSV, of which the first one names the columns.
  boolean isCsv() {
    return described.csv;
  }

  /// As [#withHeader], for a header that was read; null where no input has a first row.
  LineOrder withHeaderOf(byte @Nullable [] row) throws SortException {
    try {
      return withHeader(row == null ? new byte[0] : row);
    } catch (IllegalArgumentException e) {
      throw new SortException(SortException.Kind.INPUT, String.valueOf(e.getMessage()), e);
    }
  }

  /// The order for rows under this first one: with its columns as keys.
  ///
  /// @throws IllegalArgumentException if it has no column of a name
  LineOrder withHeader(byte[] row) {
    List<String> names = names(withoutMark(row));
    var made = new ArrayList<LineKey>(keys);
    for (Builder.Column column : described.columns) {
      int index = names.indexOf(column.name);
      if (index < 0 && column.name.matches("[0-9]{1,6}")) {
        index = Integer.parseInt(column.name) - 1;
      }
      if (index < 0 || index >= names.size()) {
        throw new IllegalArgumentException(
            "there is no column '%s': the first row has the columns %s"
                .formatted(column.name, String.join(", ", names)));
      }
      var own = column.options;
      var global = new LineKey.Options();
      for (int i = 0; i < described.letters.length(); i++) {
        global.add(described.letters.charAt(i), true, true, described.letters);
      }
      made.add(LineKey.field(index, own.isPlain() ? global : own));
    }
    return new LineOrder(described, made);
  }

  /// A first row without the byte order mark that some programs begin UTF-8 with: it is no part of
  /// a column's name, and would hide the quotes around it.
  private static byte[] withoutMark(byte[] row) {
    boolean marked = row.length >= 3 && row[0] == (byte) 0xEF && row[1] == (byte) 0xBB;
    return marked && row[2] == (byte) 0xBF ? Arrays.copyOfRange(row, 3, row.length) : row;
  }

  /// Whether two first rows name the same columns, byte order marks apart.
  static boolean isSameHeader(byte[] one, byte[] other) {
    return Arrays.equals(withoutMark(one), withoutMark(other));
  }

  private List<String> names(byte[] row) {
    var names = new ArrayList<String>();
    int begin =
        Arrays.mismatch(row, BYTE_ORDER_MARK) == BYTE_ORDER_MARK.length
            ? BYTE_ORDER_MARK.length
            : 0;
    int end = row.length > 0 && row[row.length - 1] == '\r' ? row.length - 1 : row.length;
    int last = -1;
    for (int field = 0; last < end; field++) {
      long place = fields.find(row, begin, end, LineKey.field(field, new LineKey.Options()));
      int from = FieldFinder.start(place);
      int to = FieldFinder.end(place);
      byte[] name = FieldFinder.withoutDoubledQuotes(row, from, to);
      names.add(new String(name, StandardCharsets.UTF_8).strip());
      last = fields.endOfField(row, from > begin && row[from - 1] == '"' ? from - 1 : from, end);
    }
    return names;
  }

  /// Compares two lines, without the bytes that end them. Equal lines of a stable or unique order
  /// may differ outside their keys.
  public int compare(byte[] left, byte[] right) {
    return compare(left, 0, left.length, right, 0, right.length);
  }

  /// Compares lines that lie in arrays, from `start` to before `end`.
  int compare(byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    for (int level = 0; level < levels.length; level++) {
      int compared = compareAt(level, left, leftStart, leftEnd, right, start, end);
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  private int compareAt(
      int level, byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end) {
    LineKey key = levels[level];
    int compared;
    if (allBytes[level]) {
      compared = Arrays.compareUnsigned(left, leftStart, leftEnd, right, start, end);
    } else {
      long one = fields.find(left, leftStart, leftEnd, key);
      long other = fields.find(right, start, end, key);
      compared = compareKeys(key, left, one, right, other);
    }
    return key.reversed() ? -compared : compared;
  }

  private int compareKeys(LineKey key, byte[] left, long leftPlace, byte[] right, long place) {
    int leftFrom = FieldFinder.start(leftPlace);
    int leftTo = FieldFinder.end(leftPlace);
    int from = FieldFinder.start(place);
    int to = FieldFinder.end(place);
    byte[] one = left;
    byte[] other = right;
    if (fields.hasQuotes(left, leftFrom, leftTo)) {
      one = FieldFinder.withoutDoubledQuotes(left, leftFrom, leftTo);
      leftFrom = 0;
      leftTo = one.length;
    }
    if (fields.hasQuotes(right, from, to)) {
      other = FieldFinder.withoutDoubledQuotes(right, from, to);
      from = 0;
      to = other.length;
    }
    return key.isPlainText()
        ? Arrays.compareUnsigned(one, leftFrom, leftTo, other, from, to)
        : KeyKinds.compare(key, one, leftFrom, leftTo, other, from, to);
  }

  /// How many places [#prefix] can be taken from: those below this number.
  int places() {
    return levels.length << LEVEL_BITS;
  }

  /// What decides most between lines that agree in all before a place: eight bytes of a key, or a
  /// number that stands for it, unsigned. Place 0 is the beginning of the first key; others are
  /// given by [#agreement].
  long prefix(byte[] text, int start, int end, int place) {
    int level = place >>> LEVEL_BITS;
    LineKey key = levels[level];
    int offset = place & OFFSET_MASK;
    long prefix;
    if (allBytes[level]) {
      prefix = KeyKinds.leading(text, start + (long) offset, end);
    } else {
      long found = fields.find(text, start, end, key);
      int from = FieldFinder.start(found);
      int to = FieldFinder.end(found);
      byte[] source = text;
      if (fields.hasQuotes(text, from, to)) {
        source = FieldFinder.withoutDoubledQuotes(text, from, to);
        from = 0;
        to = source.length;
      }
      prefix =
          key.isPlainText()
              ? KeyKinds.leading(source, from + (long) offset, to)
              : KeyKinds.prefix(key, source, from, to);
    }
    return key.reversed() ? ~prefix : prefix;
  }

  /// The place up to which two lines agree, if they do so before `place`: where the next prefix may
  /// differ; [#UNSEEN] if they differ in what no prefix shows.
  int agreement(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end, int place) {
    int level = Math.min(place >>> LEVEL_BITS, levels.length - 1);
    LineKey key = levels[level];
    if (!key.isPlainText()) {
      boolean same = compareAt(level, left, leftStart, leftEnd, right, start, end) == 0;
      return same ? (level + 1) << LEVEL_BITS : UNSEEN;
    }
    long one = place(key, left, leftStart, leftEnd);
    long other = place(key, right, start, end);
    int leftFrom = FieldFinder.start(one);
    int leftTo = FieldFinder.end(one);
    int from = FieldFinder.start(other);
    int to = FieldFinder.end(other);
    if (!key.isAllBytes()
        && (fields.hasQuotes(left, leftFrom, leftTo) || fields.hasQuotes(right, from, to))) {
      boolean same = compareKeys(key, left, one, right, other) == 0;
      return same ? (level + 1) << LEVEL_BITS : UNSEEN;
    }
    int differs = Arrays.mismatch(left, leftFrom, leftTo, right, from, to);
    int offset = place & OFFSET_MASK;
    if (differs < 0) {
      return (level + 1) << LEVEL_BITS;
    }
    // Behind the end of the longer key nothing is left that would differ, but zeros at its end.
    int longest = Math.max(leftTo - leftFrom, to - from);
    return differs > OFFSET_MASK || offset >= longest
        ? UNSEEN
        : (level << LEVEL_BITS) | Math.max(offset, differs);
  }

  /// Whether two lines agree in all before a place.
  boolean agrees(
      byte[] left, int leftStart, int leftEnd, byte[] right, int start, int end, int place) {
    int last = place >>> LEVEL_BITS;
    for (int level = 0; level < last; level++) {
      if (compareAt(level, left, leftStart, leftEnd, right, start, end) != 0) {
        return false;
      }
    }
    int offset = place & OFFSET_MASK;
    if (offset == 0) {
      return true;
    }
    LineKey key = levels[last];
    long one = place(key, left, leftStart, leftEnd);
    long other = place(key, right, start, end);
    int differs =
        Arrays.mismatch(
            left,
            FieldFinder.start(one),
            FieldFinder.end(one),
            right,
            FieldFinder.start(other),
            FieldFinder.end(other));
    return differs < 0 || differs >= offset;
  }

  /// Where a key lies in a line: all of the line, or as [FieldFinder#find] says.
  private long place(LineKey key, byte[] line, int start, int end) {
    return key.isAllBytes() ? FieldFinder.place(start, end) : fields.find(line, start, end, key);
  }

  /// The last place before which two lines agree. Of keys whose quotes do not count, a place is the
  /// beginning: bytes of theirs cannot be compared where they lie.
  int lastAgreement(byte[] left, byte[] right) {
    int place = 0;
    int next = agreement(left, 0, left.length, right, 0, right.length, place);
    while (next > place && next < places()) {
      boolean sameKey = next >>> LEVEL_BITS == place >>> LEVEL_BITS;
      place = next;
      next = sameKey ? place : agreement(left, 0, left.length, right, 0, right.length, place);
    }
    boolean isRaw = !isCsv() || levels[place >>> LEVEL_BITS].isAllBytes();
    return isRaw ? place : place & ~OFFSET_MASK;
  }

  /// Whether lines with equal keys stay in the order of the input.
  boolean isStable() {
    return stable || unique;
  }

  /// Whether only the first of several equal lines is kept.
  boolean isUnique() {
    return unique;
  }

  /// Where lines end.
  RowEnds rows() {
    return rows;
  }

  @Override
  public String toString() {
    return "LineOrder[%d keys%s%s%s]"
        .formatted(
            keys.size() + described.columns.size(),
            isCsv() ? ", CSV" : "",
            stable ? ", stable" : "",
            unique ? ", unique" : "");
  }
}
