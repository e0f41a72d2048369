package dev.tigris.flow.text;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.os.ByteWord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes rows of CSV, or lines, into waters. Fields are quoted where that is needed.
///
/// ```java
/// writer.to(out);
/// writer.text(rows, country).decimal(cents, 2).end();
/// ```
///
/// A water is put on the stream that [#to] named last, when the next row has no room in it.
/// [#flush] puts what is left: a module calls it in `finish`.
///
/// Thread rule: one thread at a time.
public final class RowWriter {
  private static final int WATER_BYTES = 64_000;
  private static final int MOST_NUMBER_BYTES = 24;
  private static final long QUOTES = ByteWord.times8(Scan.QUOTE);
  private static final long LINE_FEEDS = ByteWord.times8(Scan.LINE_FEED);
  private static final long RETURNS = ByteWord.times8(Scan.RETURN);
  private static final int MOST_SCALE = 18;
  private static final byte[] LEAST = "9223372036854775808".getBytes(StandardCharsets.US_ASCII);

  private final byte[] head;
  private final byte separator;
  private final long separators;
  private final boolean isCsv;
  private final byte[] digits = new byte[MOST_NUMBER_BYTES];
  private @Nullable Stream out;
  private @Nullable Water water;
  private @Nullable Bytes bytes;
  private int capacity;
  private int at;
  private int rowStart;
  private int fields;
  private boolean hasQuotes;
  private boolean rowHasQuotes;

  /// Whether the receivers have not seen the names of the columns yet.
  private boolean tellsNames;

  private RowWriter(byte[] head, byte separator, boolean isCsv, boolean hasNames) {
    this.head = head;
    this.separator = separator;
    this.separators = ByteWord.times8(separator);
    this.isCsv = isCsv;
    this.tellsNames = hasNames;
  }

  /// Returns a writer of CSV whose columns have these names.
  public static RowWriter csv(String... columns) {
    return csv("the flow", List.of(columns), ',');
  }

  /// Returns a writer of CSV.
  ///
  /// @param from what makes the rows, for messages about them
  /// @param columns the names of their columns; none for rows without a header
  public static RowWriter csv(String from, List<String> columns, char separator) {
    TextFormat format = TextFormat.CSV.withSeparator(separator);
    byte[] names = columns.isEmpty() ? null : Names.row(columns, format.separator());
    return new RowWriter(Batch.head(from, names, format), format.separator(), true, names != null);
  }

  /// Returns a writer of lines.
  public static RowWriter lines() {
    byte[] head = Batch.head("the flow", null, TextFormat.LINES);
    return new RowWriter(head, Scan.LINE_FEED, false, false);
  }

  /// Returns a writer of rows like those that a cursor is at: with their columns and separator.
  public static RowWriter like(Rows rows) {
    var format = new TextFormat(rows.isCsv(), rows.separator(), rows.hasColumns());
    byte[] names = rows.hasColumns() ? rows.namesRow() : null;
    byte[] head = Batch.head(rows.file(), names, format);
    return new RowWriter(head, rows.separator(), rows.isCsv(), names != null);
  }

  /// Names the stream that waters are put on from now on.
  public RowWriter to(Stream stream) {
    out = stream;
    return this;
  }

  // -- Fields and rows.

  /// Writes the value of a field of a row.
  public RowWriter text(Rows rows, int field) {
    value(rows.bytes(field), rows.start(field), rows.length(field));
    return this;
  }

  /// Writes a string, in UTF-8.
  public RowWriter text(String value) {
    return text(value.getBytes(StandardCharsets.UTF_8));
  }

  /// Writes bytes as they are.
  public RowWriter text(byte[] value) {
    separate();
    if (isCsv && isToBeQuoted(value)) {
      reserve(2 * value.length + 2);
      put(Scan.QUOTE);
      for (byte b : value) {
        putDoubled(b);
      }
      put(Scan.QUOTE);
      rowHasQuotes = true;
    } else {
      if (!isCsv && (contains(value, Scan.LINE_FEED) || contains(value, separator))) {
        throw unwritable();
      }
      reserve(value.length);
      buffer().copyFrom(at, value, 0, value.length);
      at += value.length;
    }
    return this;
  }

  private boolean isToBeQuoted(byte[] value) {
    for (byte b : value) {
      if (isSpecial(b)) {
        return true;
      }
    }
    return false;
  }

  private boolean isSpecial(byte b) {
    return isSpecial(b, separator);
  }

  /// Returns whether a value with this byte has to be quoted.
  static boolean isSpecial(byte b, byte separator) {
    return b == separator || b == Scan.QUOTE || b == Scan.LINE_FEED || b == Scan.RETURN;
  }

  private static TextException unwritable() {
    return new TextException(
        "a field of a line has a line feed or the separator inside: write CSV, which can quote it");
  }

  private static boolean contains(byte[] value, byte wanted) {
    for (byte b : value) {
      if (b == wanted) {
        return true;
      }
    }
    return false;
  }

  /// Writes the bytes of a view.
  public RowWriter value(Bytes from, long start, int length) {
    separate();
    reserve(2 * length + 2 + Scan.WORD);
    if (tryCopy(from, start, length)) {
      return this;
    }
    if (!isCsv) {
      throw unwritable();
    }
    put(Scan.QUOTE);
    for (int i = 0; i < length; i++) {
      putDoubled(from.get(start + i));
    }
    put(Scan.QUOTE);
    rowHasQuotes = true;
    return this;
  }

  /// Copies a value, unless one of its bytes has to be quoted. Whole words are written, so that
  /// there must be room for one behind the value.
  private boolean tryCopy(Bytes from, long start, int length) {
    Bytes to = buffer();
    int done = 0;
    for (; done <= length - Scan.WORD; done += Scan.WORD) {
      long word = from.getLong(start + done);
      if (special(word) != 0) {
        return false;
      }
      to.setLong(at + done, word);
    }
    int left = length - done;
    if (left > 0) {
      long word = Hash.rest(from, start + done, left);
      if ((special(word) & (-1L >>> (Long.SIZE - left * Byte.SIZE))) != 0) {
        return false;
      }
      to.setLong(at + done, word);
    }
    at += length;
    return true;
  }

  /// Marks bytes of a word that have to be quoted; bytes above the first may be marked in error.
  private long special(long word) {
    long ends =
        ByteWord.zerosUpToFirst(word ^ separators) | ByteWord.zerosUpToFirst(word ^ LINE_FEEDS);
    return isCsv
        ? ends | ByteWord.zerosUpToFirst(word ^ QUOTES) | ByteWord.zerosUpToFirst(word ^ RETURNS)
        : ends;
  }

  /// Writes a whole number.
  public RowWriter number(long value) {
    return decimal(value, 0);
  }

  /// Writes a decimal number that is given in units of its last digit: 1250 with a scale of 2 as
  /// `12.50`.
  ///
  /// @throws IllegalArgumentException unless the scale is between 0 and 18
  public RowWriter decimal(long unscaled, int scale) {
    if (scale < 0 || scale > MOST_SCALE) {
      throw new IllegalArgumentException(
          "a scale of %d: a decimal number of 64 bits has 0 to %d digits behind the point"
              .formatted(scale, MOST_SCALE));
    }
    separate();
    int from = digits.length;
    long left = unscaled < 0 ? -unscaled : unscaled;
    if (left < 0) { // Long.MIN_VALUE has no negative
      System.arraycopy(LEAST, 0, digits, digits.length - LEAST.length, LEAST.length);
      from = digits.length - LEAST.length;
    } else {
      do {
        digits[--from] = (byte) ('0' + left % 10);
        left /= 10;
      } while (left > 0);
    }
    while (digits.length - from <= scale) {
      digits[--from] = '0';
    }
    reserve(MOST_NUMBER_BYTES + 2);
    if (unscaled < 0) {
      put((byte) '-');
    }
    for (int i = from; i < digits.length; i++) {
      if (scale > 0 && i == digits.length - scale) {
        put((byte) '.');
      }
      put(digits[i]);
    }
    return this;
  }

  /// Writes a floating-point number, as `Double.toString` does.
  public RowWriter real(double value) {
    return text(Double.toString(value));
  }

  /// Ends the row.
  public void end() {
    reserve(3);
    if (isCsv && fields <= 1 && at == rowStart) { // an empty line would be no row
      put(Scan.QUOTE);
      put(Scan.QUOTE);
      rowHasQuotes = true;
    }
    put(Scan.LINE_FEED);
    hasQuotes |= rowHasQuotes;
    rowHasQuotes = false;
    rowStart = at;
    fields = 0;
  }

  /// Writes a whole row as it stands in its file, or field by field if this writer's format is
  /// another one.
  public void row(Rows rows) {
    boolean takesAnyText = !isCsv && separator == Scan.LINE_FEED;
    if (!takesAnyText && (rows.separator() != separator || rows.isCsv() != isCsv)) {
      for (int field = 0; field < rows.fields(); field++) {
        text(rows, field);
      }
      end();
      return;
    }
    int length = rows.rowEnd() - rows.rowStart();
    reserve(length + 1);
    rows.rowBytes().copyTo(rows.rowStart(), buffer(), at, length);
    at += length;
    put(Scan.LINE_FEED);
    hasQuotes |= rows.mayHaveQuotes();
    rowStart = at;
    fields = 0;
  }

  /// Puts what was written and not put yet. A writer of rows with named columns that has put
  /// nothing so far puts a water without rows, which tells the names: so a file of CSV without rows
  /// has its header.
  ///
  /// @throws IllegalStateException if a row was begun and not ended
  public void flush() {
    Stream target = out;
    if (fields > 0) {
      throw new IllegalStateException(
          "a row of %d fields was not ended: call end() before flush()".formatted(fields));
    }
    Water full = water;
    if (full != null && rowStart > head.length) {
      send(full, rowStart);
      water = null;
      bytes = null;
      capacity = 0;
    } else if (tellsNames && target != null) {
      Water names = target.spring().createWater(head.length);
      names.bytes().copyFrom(0, head, 0, head.length);
      send(names, head.length);
    }
  }

  // -- Waters.

  private void separate() {
    if (fields++ > 0) {
      reserve(1);
      put(isCsv || separator != Scan.LINE_FEED ? separator : (byte) ' ');
    }
  }

  private void put(byte b) {
    buffer().set(at++, b);
  }

  private void putDoubled(byte b) {
    if (b == Scan.QUOTE) {
      put(b);
    }
    put(b);
  }

  private Bytes buffer() {
    Bytes current = bytes;
    if (current == null) {
      throw new IllegalStateException("name a stream with to() before writing rows");
    }
    return current;
  }

  /// Makes room for so many bytes: in the water, or in a new one, which the row's beginning moves
  /// to.
  private void reserve(int more) {
    if (at + (long) more <= capacity) {
      return;
    }
    Stream target = out;
    if (target == null) {
      throw new IllegalStateException("name a stream with to() before writing rows");
    }
    Water full = water;
    Bytes before = bytes;
    int begun = full == null ? 0 : at - rowStart;
    long needed = head.length + (long) begun + more;
    if (needed > Integer.MAX_VALUE / 2) {
      throw new TextException(
          "a row of more than %d bytes has no room in a water".formatted(needed));
    }
    int size = (int) Math.max(WATER_BYTES, begun == 0 ? needed : needed + needed / 2);
    Water next = target.spring().createWater(size);
    Bytes room = next.bytes();
    if (full != null && before != null) {
      before.copyTo(rowStart, room, head.length, begun);
      if (rowStart > head.length) {
        send(full, rowStart);
      } else {
        full.release();
      }
    }
    water = next;
    bytes = room;
    capacity = size;
    rowStart = head.length;
    at = head.length + begun;
  }

  private void send(Water full, int size) {
    Stream target = out;
    if (target == null) {
      throw new IllegalStateException("name a stream with to() before writing rows");
    }
    Batch.begin(full.bytes(), head, head.length, 0, hasQuotes);
    full.setSize(size);
    hasQuotes = false;
    tellsNames = false;
    target.put(full);
  }
}
