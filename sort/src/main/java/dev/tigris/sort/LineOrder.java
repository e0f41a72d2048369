package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
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
  /// What some programs begin a file with, in UTF-8.
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /// What separates columns in files that are called CSV all the same.
  private static final char[] OTHER_SEPARATORS = {';', '\t', '|'};

  private final Builder described;
  private final FieldFinder fields;
  private final List<LineKey> keys;

  private final KeyLevels levels;
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
    this.levels = new KeyLevels(fields, all);
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

    private record Column(String name, String letters, LineKey.Options options) {}

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
      columns.add(new Column(name, letters, own));
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
      copy.keys.addAll(keys);
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

  /// Writes what [#read] reads.
  void write(DataOutputStream out) throws IOException {
    out.writeInt(described.separator);
    out.writeBoolean(described.csv);
    out.writeByte(described.delimiter);
    out.writeUTF(described.letters);
    out.writeBoolean(described.stable);
    out.writeBoolean(described.unique);
    out.writeInt(described.keys.size());
    for (String key : described.keys) {
      out.writeUTF(key);
    }
    out.writeInt(described.columns.size());
    for (Builder.Column column : described.columns) {
      out.writeUTF(column.name);
      out.writeUTF(column.letters);
    }
  }

  /// Reads an order, of CSV without its columns' places.
  ///
  /// @throws IOException if it is none
  static LineOrder read(DataInputStream in) throws IOException {
    Builder read = builder();
    read.separator = in.readInt();
    read.csv = in.readBoolean();
    read.delimiter = in.readByte();
    try {
      read.options(in.readUTF());
      read.stable = in.readBoolean();
      read.unique = in.readBoolean();
      for (int left = in.readInt(); left > 0; left--) {
        read.key(in.readUTF());
      }
      for (int left = in.readInt(); left > 0; left--) {
        read.column(in.readUTF(), in.readUTF());
      }
      return read.build();
    } catch (IllegalArgumentException e) {
      throw new IOException("the order of a sort of lines cannot be read", e);
    }
  }

  /// Whether lines are rows of CSV, of which the first one names the columns.
  boolean isCsv() {
    return described.csv;
  }

  /// The order for rows under a first one, with its columns as keys.
  ///
  /// @param row null where no input has a first row
  /// @throws SortException if it has no column of a name, or several
  LineOrder withHeaderOf(byte @Nullable [] row) throws SortException {
    try {
      return withColumns(row == null ? List.of() : names(withoutMark(row)));
    } catch (IllegalArgumentException e) {
      throw new SortException(SortException.Kind.INPUT, String.valueOf(e.getMessage()), e);
    }
  }

  private LineOrder withColumns(List<String> names) {
    var made = new ArrayList<LineKey>(keys);
    for (Builder.Column column : described.columns) {
      int index = names.indexOf(column.name);
      if (index < 0 && column.name.matches("[0-9]{1,6}")) {
        index = Integer.parseInt(column.name) - 1;
      }
      if (index < 0 || index >= names.size()) {
        throw new IllegalArgumentException(
            names.isEmpty()
                ? "there is no column '%s': no input has a first row, which names the columns"
                    .formatted(column.name)
                : "there is no column '%s': the first row has the columns %s%s"
                    .formatted(column.name, String.join(", ", names), advice(names)));
      }
      if (names.lastIndexOf(column.name) > index) {
        throw new IllegalArgumentException(
            "the first row has more than one column '%s': give the number of the one that is meant"
                .formatted(column.name));
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

  /// Returns what to try where a first row has one column and another separator.
  private static String advice(List<String> names) {
    String only = names.size() == 1 ? names.getFirst() : "";
    for (char separator : OTHER_SEPARATORS) {
      if (only.indexOf(separator) > 0) {
        String shown = separator == '\t' ? "\\t" : String.valueOf(separator);
        return ". If '%s' separates them, say so: -t '%s'".formatted(shown, shown);
      }
    }
    return "";
  }

  /// A first row without the byte order mark that some programs begin UTF-8 with: it is no part of
  /// a column's name, and would hide the quotes around it.
  private static byte[] withoutMark(byte[] row) {
    boolean marked = row.length >= 3 && row[0] == (byte) 0xEF && row[1] == (byte) 0xBB;
    return marked && row[2] == (byte) 0xBF ? Arrays.copyOfRange(row, 3, row.length) : row;
  }

  /// Whether two first rows name the same columns, byte order marks and ends of rows apart.
  static boolean isSameHeader(byte[] one, byte[] other) {
    return Arrays.equals(withoutReturn(withoutMark(one)), withoutReturn(withoutMark(other)));
  }

  private static byte[] withoutReturn(byte[] row) {
    boolean ends = row.length > 0 && row[row.length - 1] == '\r';
    return ends ? Arrays.copyOf(row, row.length - 1) : row;
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
      boolean isQuoted = from > begin && row[from - 1] == '"';
      byte[] name = FieldFinder.withoutDoubledQuotes(row, from, to);
      names.add(new String(name, StandardCharsets.UTF_8).strip());
      if (!isQuoted && names.getLast().indexOf('\r') >= 0) {
        throw new IllegalArgumentException(
            "the first row goes on behind a return: if returns alone end the rows, convert them"
                + " before, by tr '\\r' '\\n'");
      }
      last = fields.endOfField(row, isQuoted ? from - 1 : from, end);
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
    return levels.compare(left, leftStart, leftEnd, right, start, end);
  }

  /// Returns what decides most between lines, as [KeyLevels#prefix] at its first place.
  long prefix(byte[] line, int start, int end) {
    return levels.prefix(0, line, levels.find(0, line, start, end));
  }

  /// Returns the levels that lines are compared by.
  KeyLevels levels() {
    return levels;
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
