// Over 400 lines: one cursor, whose fields are read in many ways.
package dev.tigris.flow.text;

import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.os.ByteWord;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A cursor over the rows of a water: lines, or rows of CSV, with their fields in place. Nothing is
/// made for a row or a field, unless [#text] or a method like it asks for an object.
///
/// ```java
/// rows.open(in);
/// int amount = rows.column("amount");
/// while (rows.next()) {
///   sum += rows.decimal(amount, 2);
/// }
/// ```
///
/// A row of CSV is one of RFC 4180: fields between separators, some in quotes, two quotes for one
/// inside of them. It ends with a line feed, or a return and a line feed. A quote anywhere else, a
/// row that has more or fewer fields than its file has columns, and a quote without an end are
/// refused with a [TextException] that names the file and where the row begins in it. An empty row
/// of a file with several columns is skipped. The value of a field is what it stands for: without
/// the quotes around it, and with one quote for two.
///
/// A line is everything up to the line feed. It is one field, unless [Lines#separatedBy] says what
/// lies between fields.
///
/// Values with doubled quotes lie in memory outside the heap. A module gives it back by [#close],
/// in its `destroy`. What is not given back is free when the collector finds it.
///
/// Thread rule: one thread at a time. What it returns is of the current row, which lies in the
/// water that was opened last, for as long as the module has that water.
public final class Rows implements AutoCloseable {
  /// The most rows that [#nextRows] goes to at once.
  public static final int MOST_ROWS = 64;

  private static final int FIELDS_AT_FIRST = 16;
  private static final long QUOTES = ByteWord.times8(Scan.QUOTE);
  private static final long ENDS = ByteWord.times8(Scan.LINE_FEED);

  /// The batch, and where its rows end.
  private @Nullable Bytes text;

  private int end;
  private long separators;
  private byte separator;
  private boolean isCsv;
  private boolean hasQuotes;

  /// Where the row begins, where it ends (at its line feed, or at the return before it), and where
  /// the next one begins.
  private int rowStart;

  private int rowEnd;
  private int nextRow;

  /// The special bytes of the word at `word` that are still to be looked at, by their highest bit.
  private long marks;

  /// Which of them are ends of lines, in a text without quotes.
  private long lineFeeds;

  private int word;

  private int fields;

  /// Where the fields of the row lie in the arrays below.
  private int base;

  // Of the rows that `nextRows` has gone to.
  private final int[] rowBases = new int[MOST_ROWS];
  private final int[] rowFields = new int[MOST_ROWS];
  private final int[] rowStarts = new int[MOST_ROWS];
  private final int[] rowEnds = new int[MOST_ROWS];
  private int rowCount;

  /// Where the values of fields begin and end; of those without doubled quotes, in the text.
  private int[] starts = new int[FIELDS_AT_FIRST];

  private int[] ends = new int[FIELDS_AT_FIRST];

  /// Which fields stand in quotes: 1, and 2 if their value lies in `plain`. Of files with quotes
  /// only.
  private byte[] kinds = new byte[FIELDS_AT_FIRST];

  /// The values of the row's fields that have doubled quotes.
  private @Nullable Bytes plain;

  private @Nullable Jbuf plainBuffer;
  private int plainBytes;

  private byte @Nullable [] names;

  /// The format in which these names stood.
  private byte namesSeparator;

  private boolean namesAreCsv;
  private String[] columns = {};
  private boolean hasNames;

  /// Makes a cursor, to be opened.
  public Rows() {}

  /// Gives its memory back. The cursor may be opened again.
  @Override
  public void close() {
    text = null;
    end = 0;
    nextRow = 0;
    fields = 0;
    rowCount = 0;
    freePlain();
  }

  private void freePlain() {
    Jbuf buffer = plainBuffer;
    plain = null;
    plainBuffer = null;
    if (buffer != null) {
      buffer.unreference(Jbuf::free);
    }
  }

  // -- Batches.

  private Bytes text() {
    Bytes opened = text;
    if (opened == null) {
      throw new IllegalStateException("a cursor that is not open: call open() with a water");
    }
    return opened;
  }

  /// Begins with the rows of a water that came in; the first call of [#next] gives the first one.
  ///
  /// @throws TextException if the water does not hold rows
  public void open(Water water) {
    Batch.check(water);
    open(water.bytes(), water.size());
  }

  /// Begins with the rows of a batch that was checked.
  void open(Bytes batch, int size) {
    text = batch;
    end = size;
    separator = Batch.separator(batch);
    separators = ByteWord.times8(separator);
    isCsv = Batch.isCsv(batch);
    hasQuotes = Batch.hasQuotes(batch);
    nextRow = Batch.first(batch);
    word = nextRow - Scan.WORD;
    marks = 0;
    fields = 0;
    openNames(batch);
  }

  private void openNames(Bytes text) {
    boolean hadNames = hasNames;
    hasNames = Batch.hasNames(text);
    int length = Batch.namesBytes(text);
    byte[] known = names;
    boolean isOfOneFormat =
        hadNames == hasNames && namesSeparator == separator && namesAreCsv == isCsv;
    if (known != null && known.length == length && isOfOneFormat) {
      int from = Batch.namesBegin(text);
      int at = 0;
      while (at < length && known[at] == text.get(from + at)) {
        at++;
      }
      if (at == length) {
        return;
      }
    }
    names = Batch.names(text);
    namesSeparator = separator;
    namesAreCsv = isCsv;
    columns = hasNames ? Names.of(names, separator, isCsv) : new String[0];
  }

  /// Returns the names of the columns; none without a header.
  public String[] columns() {
    return columns.clone();
  }

  int columnCount() {
    return columns.length;
  }

  /// Returns whether the rows have names for their columns.
  public boolean hasColumns() {
    return hasNames;
  }

  /// Returns the number of a column, from 0.
  ///
  /// @throws TextException if there is no such column, or two
  public int column(String name) {
    int found = -1;
    for (int i = 0; i < columns.length; i++) {
      if (columns[i].equals(name)) {
        if (found >= 0) {
          throw new TextException(
              "%s has two columns called %s: rename one".formatted(file(), name));
        }
        found = i;
      }
    }
    if (found < 0) {
      throw new TextException(
          "%s has no column %s, only %s".formatted(file(), name, Arrays.toString(columns)));
    }
    return found;
  }

  /// Returns the name of the file that the rows come from, or of the stage that made them.
  public String file() {
    return Batch.file(text());
  }

  /// Returns where the row begins: in its file, or in what a compressed file holds, in bytes.
  public long offset() {
    return Batch.offset(text()) + (rowStart - Batch.first(text()));
  }

  // -- Rows.

  /// Goes to the next row. Returns false behind the last one of the water.
  ///
  /// @throws TextException if the row is not one of CSV, or has more or fewer fields than columns
  public boolean next() {
    base = 0;
    plainBytes = 0;
    return findRow();
  }

  /// Goes to the next rows at once, up to [#MOST_ROWS], and to the first of them: for a module that
  /// looks up each, so that it waits for memory once. [#row(int)] goes from one to another. Returns
  /// how many there are; 0 behind the last one of the water.
  ///
  /// @throws TextException as [#next]
  public int nextRows() {
    base = 0;
    plainBytes = 0;
    rowCount = 0;
    while (rowCount < MOST_ROWS && findRow()) {
      rowBases[rowCount] = base;
      rowFields[rowCount] = fields;
      rowStarts[rowCount] = rowStart;
      rowEnds[rowCount] = rowEnd;
      base += fields;
      rowCount++;
    }
    if (rowCount > 0) {
      row(0);
    }
    return rowCount;
  }

  /// Goes to one of the rows that [#nextRows] has found.
  ///
  /// @throws IndexOutOfBoundsException if there is none of this number
  public void row(int index) {
    Objects.checkIndex(index, rowCount);
    base = rowBases[index];
    fields = rowFields[index];
    rowStart = rowStarts[index];
    rowEnd = rowEnds[index];
  }

  private boolean findRow() {
    while (nextRow < end) {
      rowStart = nextRow;
      if (base >= starts.length - 1) {
        grow();
      }
      if (hasQuotes) {
        findQuotedFields();
      } else {
        findFields();
      }
      if (!hasNames || fields == columns.length) {
        return true;
      }
      if (rowEnd > rowStart) {
        throw wrong("has %d fields, but the file has %d columns".formatted(fields, columns.length));
      }
      // An empty row of several columns.
    }
    fields = 0;
    return false;
  }

  /// Finds the fields of a row without quotes.
  private void findFields() {
    Bytes bytes = text();
    int count = base;
    int start = rowStart;
    long left = marks;
    long feeds = lineFeeds;
    int at = word;
    int[] froms = starts;
    int[] tos = ends;
    while (true) {
      while (left == 0) {
        at += Scan.WORD;
        if (at >= end) {
          word = at;
          marks = 0;
          endRow(count, start, end, end);
          return;
        }
        int from = Math.min(at, end - Scan.WORD); // of the last word, what was seen is shifted out
        int seen = (at - from) * Byte.SIZE;
        long found = bytes.getLong(from) >>> seen;
        feeds = ByteWord.zeros(found ^ ENDS) & (-1L >>> seen);
        left = feeds | (ByteWord.zeros(found ^ separators) & (-1L >>> seen));
      }
      long first = left & -left;
      int place = at + ByteWord.first(first);
      left ^= first;
      if ((feeds & first) != 0) {
        marks = left;
        lineFeeds = feeds;
        word = at;
        endRow(count, start, place, place + 1);
        return;
      }
      if (count == froms.length - 1) {
        grow();
        froms = starts;
        tos = ends;
      }
      froms[count] = start;
      tos[count] = place;
      count++;
      start = place + 1;
    }
  }

  private long special(long bytes) {
    return ByteWord.zeros(bytes ^ separators) | ByteWord.zeros(bytes ^ ENDS);
  }

  /// The last bytes of the text as a word, where a whole one would reach behind it.
  private long lastWord(int at) {
    return text().getLong(end - Scan.WORD) >>> ((Scan.WORD - (end - at)) * Byte.SIZE);
  }

  private static long below(int bytes) {
    return (1L << (bytes * Byte.SIZE)) - 1;
  }

  /// Ends a row with its last field.
  private void endRow(int count, int start, int place, int next) {
    int to = place;
    if (isCsv && place > start && text().get(place - 1) == Scan.RETURN) {
      to--;
    }
    starts[count] = start;
    ends[count] = to;
    fields = count + 1 - base;
    rowEnd = to;
    nextRow = next;
  }

  private void grow() {
    starts = Arrays.copyOf(starts, starts.length * 2);
    ends = Arrays.copyOf(ends, ends.length * 2);
    kinds = Arrays.copyOf(kinds, kinds.length * 2);
  }

  // -- Rows with quotes.

  /// Returns where the next separator, end of line or quote lies, and moves behind it; `end` if
  /// none is left.
  private int nextSpecial() {
    Bytes text = text();
    while (marks == 0) {
      word += Scan.WORD;
      if (word > end - Scan.WORD) {
        if (word >= end) {
          word -= Scan.WORD; // asked again, it says so again
          return end;
        }
        long last = lastWord(word);
        marks = (special(last) | ByteWord.zeros(last ^ QUOTES)) & below(end - word);
      } else {
        long bytes = text.getLong(word);
        marks = special(bytes) | ByteWord.zeros(bytes ^ QUOTES);
      }
    }
    int place = word + ByteWord.first(marks);
    marks &= marks - 1;
    return place;
  }

  private void findQuotedFields() {
    Bytes text = text();
    int count = base;
    int start = rowStart;
    while (true) {
      if (count == starts.length - 1) {
        grow();
      }
      int place = nextSpecial();
      byte found = place == end ? Scan.LINE_FEED : text.get(place);
      if (found == Scan.QUOTE) {
        place = findQuotedField(count, start, place);
      } else {
        kinds[count] = 0;
        starts[count] = start;
        ends[count] = place;
      }
      if (place == end || text.get(place) == Scan.LINE_FEED) {
        endQuotedRow(count, place);
        return;
      }
      count++;
      start = place + 1;
    }
  }

  private void endQuotedRow(int count, int place) {
    int next = place == end ? end : place + 1;
    if (kinds[count] == 0) {
      endRow(count, starts[count], place, next);
    } else {
      fields = count + 1 - base;
      rowEnd = text().get(place - 1) == Scan.RETURN ? place - 1 : place;
      nextRow = next;
    }
  }

  /// Finds a field whose first quote is at `place`. Returns where what ends it lies.
  private int findQuotedField(int count, int start, int place) {
    if (place != start) {
      throw wrong(
          "has a quote inside field %d, which does not begin with one: put the field in quotes, and write two for one"
              .formatted(count + 1 - base));
    }
    Bytes text = text();
    boolean isDoubled = false;
    int close;
    while (true) {
      close = nextSpecial();
      if (close == end) {
        throw wrong("has a quote without an end, in field %d".formatted(count + 1 - base));
      }
      if (text.get(close) == Scan.QUOTE) {
        if (close + 1 >= end || text.get(close + 1) != Scan.QUOTE) {
          break;
        }
        isDoubled = true;
        int _ = nextSpecial(); // the second one
      }
    }
    starts[count] = start + 1;
    ends[count] = close;
    kinds[count] = 1;
    if (isDoubled) {
      undouble(count);
    }
    int after = nextSpecial();
    int expected = close + 1;
    boolean isReturn =
        after == expected + 1
            && text.get(expected) == Scan.RETURN
            && (after == end || text.get(after) == Scan.LINE_FEED);
    if (after != expected && !isReturn) {
      throw wrong(
          "has text behind the closing quote of field %d: write two quotes for one"
              .formatted(count + 1 - base));
    }
    return after;
  }

  /// Writes the value of a field with doubled quotes to `plain`.
  private void undouble(int field) {
    int length = ends[field] - starts[field];
    Bytes values = plain;
    if (values == null || values.length() < (long) plainBytes + length) {
      long bytes = Math.max(1024, 2L * (plainBytes + length));
      Jbuf buffer = Jbuf.allocate(bytes, "rows");
      Bytes larger = buffer.asBytes();
      if (values != null) {
        values.copyTo(0, larger, 0, plainBytes);
      }
      freePlain();
      plain = larger;
      plainBuffer = buffer;
      values = larger;
    }
    Bytes text = text();
    int to = plainBytes;
    for (int at = starts[field]; at < ends[field]; at++) {
      byte b = text.get(at);
      values.set(to++, b);
      if (b == Scan.QUOTE) {
        at++;
      }
    }
    starts[field] = plainBytes;
    ends[field] = to;
    kinds[field] = 2;
    plainBytes = to;
  }

  // -- The row as a whole.

  /// Returns how many fields the row has.
  public int fields() {
    return fields;
  }

  /// Returns the row as it is written in the file, without its end.
  public String row() {
    return string(text(), rowStart, rowEnd);
  }

  Bytes rowBytes() {
    return text();
  }

  int rowStart() {
    return rowStart;
  }

  int rowEnd() {
    return rowEnd;
  }

  byte separator() {
    return separator;
  }

  boolean isCsv() {
    return isCsv;
  }

  byte[] namesRow() {
    byte[] known = names;
    return known == null ? new byte[0] : known;
  }

  boolean mayHaveQuotes() {
    return hasQuotes;
  }

  // -- The bytes of a field.

  /// Returns the bytes that the field's value lies in, from [#start] on, [#length] of them.
  public Bytes bytes(int field) {
    check(field);
    if (hasQuotes && kinds[base + field] == 2) {
      Bytes values = plain;
      if (values != null) {
        return values;
      }
    }
    return text();
  }

  /// Returns where the value begins in [#bytes].
  public int start(int field) {
    check(field);
    return starts[base + field];
  }

  /// Returns how many bytes the value has.
  public int length(int field) {
    check(field);
    return ends[base + field] - starts[base + field];
  }

  /// Returns whether the field stands in quotes. Some files tell an empty text from a missing one
  /// by that.
  public boolean isQuoted(int field) {
    check(field);
    return hasQuotes && kinds[base + field] != 0;
  }

  private void check(int field) {
    if (field < 0 || field >= fields) {
      throw wrong("has %d fields, so there is no field %d".formatted(fields, field + 1));
    }
  }

  /// Returns whether the value has these bytes.
  public boolean equals(int field, byte[] value) {
    return length(field) == value.length && startsWith(field, value);
  }

  /// Returns whether the value begins with these bytes.
  public boolean startsWith(int field, byte[] value) {
    if (length(field) < value.length) {
      return false;
    }
    Bytes bytes = bytes(field);
    int from = starts[base + field];
    for (int i = 0; i < value.length; i++) {
      if (bytes.get(from + i) != value[i]) {
        return false;
      }
    }
    return true;
  }

  /// Returns where these bytes first occur in the value, from 0; -1 if they do not.
  public int indexOf(int field, byte[] wanted) {
    int length = length(field);
    if (wanted.length == 0) {
      return 0;
    }
    Bytes bytes = bytes(field);
    int from = starts[base + field];
    int last = from + length - wanted.length;
    for (long at = from; at <= last; at++) {
      at = Scan.find(bytes, at, last + 1L, wanted[0]);
      if (at > last) {
        return -1;
      }
      int same = 1;
      while (same < wanted.length && bytes.get(at + same) == wanted[same]) {
        same++;
      }
      if (same == wanted.length) {
        return (int) (at - from);
      }
    }
    return -1;
  }

  /// Compares the value with that of a field of another cursor, or of this one, by unsigned bytes.
  public int compare(int field, Rows other, int otherField) {
    return Values.compare(
        bytes(field),
        starts[base + field],
        length(field),
        other.bytes(otherField),
        other.start(otherField),
        other.length(otherField));
  }

  /// Returns the hash of the value ([Hash]).
  public long hash(int field) {
    return Hash.of(bytes(field), starts[base + field], length(field));
  }

  // -- The value of a field.

  /// Returns the value as a string, from UTF-8.
  public String text(int field) {
    Bytes bytes = bytes(field);
    return string(bytes, starts[base + field], ends[base + field]);
  }

  /// Returns the value as a whole number: digits, after a sign or none.
  ///
  /// @throws TextException if it is not one, or needs more than 64 bits
  public long number(int field) {
    return decimal(field, 0);
  }

  /// Returns the value as a decimal number in units of its last digit: with a scale of 2, `12.5` is
  /// 1250.
  ///
  /// @throws TextException if it is not one, has more digits behind the point than `scale`, or
  ///     needs more than 64 bits
  public long decimal(int field, int scale) {
    Bytes bytes = bytes(field);
    long value = Values.decimal(bytes, starts[base + field], ends[base + field], scale);
    if (value == Values.NONE
        && !Values.isLeast(bytes, starts[base + field], ends[base + field], scale)) {
      throw wrongValue(
          field,
          scale == 0
              ? "is not a whole number of 64 bits"
              : "is not a decimal number of 64 bits with at most %d digits behind the point"
                  .formatted(scale));
    }
    return value;
  }

  /// Returns the value as a floating-point number, as `Double.parseDouble` reads it.
  ///
  /// @throws TextException if it is not one
  public double real(int field) {
    Bytes bytes = bytes(field);
    double value = Values.real(bytes, starts[base + field], ends[base + field]);
    if (Double.isNaN(value)) {
      try {
        return Double.parseDouble(text(field));
      } catch (NumberFormatException _) {
        throw wrongValue(field, "is not a number");
      }
    }
    return value;
  }

  /// Returns the value as a decimal number of any size.
  ///
  /// @throws TextException if it is not one
  public BigDecimal bigDecimal(int field) {
    try {
      return new BigDecimal(text(field));
    } catch (NumberFormatException _) {
      throw wrongValue(field, "is not a decimal number");
    }
  }

  /// Returns the value as a date, such as `2026-11-28`, in days since 1970-01-01.
  ///
  /// @throws TextException if it is not one
  public long epochDay(int field) {
    long day = Values.epochDay(bytes(field), starts[base + field], ends[base + field]);
    if (day == Values.NONE) {
      throw wrongValue(field, "is not a date such as 2026-11-28");
    }
    return day;
  }

  /// Returns the value as a date.
  ///
  /// @throws TextException if it is not one
  public LocalDate date(int field) {
    return LocalDate.ofEpochDay(epochDay(field));
  }

  private static String string(Bytes bytes, int from, int to) {
    byte[] copy = new byte[to - from];
    bytes.copyTo(from, copy, 0, copy.length);
    return new String(copy, StandardCharsets.UTF_8);
  }

  // -- Errors.

  private TextException wrongValue(int field, String what) {
    String name = hasNames ? "column " + columns[field] : "field " + (field + 1);
    String value = text(field);
    int most = 60;
    String shown = value.length() > most ? value.substring(0, most) + "..." : value;
    return wrong("has '%s' in %s, which %s".formatted(shown, name, what));
  }

  /// Returns an exception that names the row: for a module that refuses what is in it.
  ///
  /// @param what what is wrong with the row, such as "has no price"
  public TextException wrong(String what) {
    return new TextException(
        "%s: the row that begins at byte %d %s".formatted(file(), offset(), what));
  }
}
