package dev.tigris.memory.arrow;

import dev.tigris.os.PartialFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// Reads any Arrow file or stream as rows of text, without a class of objects.
///
/// ```java
/// try (ArrowTextReader in = ArrowTextReader.open(Path.of("trades.arrow"), "symbol", "price")) {
///   while (in.next()) {
///     use(in.text(0), in.text(1));
///   }
/// }
/// ```
///
/// | type | text |
/// |---|---|
/// | integers, floating point numbers, decimals | decimal digits; `NaN`, `Infinity` |
/// | `bool` | `true`, `false` |
/// | dates, times | as ISO 8601 has them: `2026-11-28`, `13:07:00.5` |
/// | timestamps | `2026-11-28T13:07:00`; of those with a zone the time in UTC, and `Z` |
/// | durations | how many of their unit |
/// | binary values | hexadecimal digits |
/// | dictionaries | the value |
/// | lists | an array of JSON |
/// | structs | are no column, but each part is one: `place.x` |
///
/// Columns of other types are refused, unless the columns to read are named without them.
///
/// The bytes are not trusted: whatever they are, a call gives what they stand for, or throws.
///
/// Thread rule: one thread at a time.
public final class ArrowTextReader implements AutoCloseable {
  private static final int PART_ROWS = 1024;

  private final RowSource source;
  private final RowBatches batches;
  private final List<ColumnText> columns;
  private final Cells[] cells;

  /// How many rows of the batch, and of the part at hand, were read.
  private long batchRead;

  private int partRows;
  private int row;
  private long rows;
  private boolean isAtRow;

  private ArrowTextReader(RowSource source, List<String> names) throws ArrowException {
    this.source = source;
    this.batches = new RowBatches(source);
    List<SourceColumn> all = batches.columns();
    List<SourceColumn> chosen = names.isEmpty() ? all : new ArrayList<>();
    for (String name : names) {
      chosen.add(column(all, name));
    }
    this.columns = ColumnText.of(chosen);
    if (columns.isEmpty()) {
      throw new ArrowException("there is no column to read");
    }
    batches.begin();
    this.cells = new Cells[columns.size()];
  }

  private static SourceColumn column(List<SourceColumn> all, String name) throws ArrowException {
    List<SourceColumn> named =
        all.stream().filter(column -> column.field().name().equals(name)).toList();
    if (named.size() != 1) {
      throw new ArrowException(
          "there are %d columns '%s', and one is needed. The columns are %s"
              .formatted(
                  named.size(), name, all.stream().map(column -> column.field().name()).toList()));
    }
    return named.getFirst();
  }

  /// Opens a file in the format of Arrow files or of streams.
  ///
  /// @param columns the names of those to read; none for all
  /// @throws ArrowException if it is damaged or not supported, does not have such a column, or its
  ///     type has no text
  /// @throws IOException if it cannot be read
  public static ArrowTextReader open(Path file, String... columns) throws IOException {
    return of(RowSource.open(file), columns);
  }

  /// Reads a stream of bytes, in either format. It is closed with the reader; errors as for
  /// [#open].
  public static ArrowTextReader of(InputStream in, String... columns) throws IOException {
    return of(RowSource.of(in), columns);
  }

  private static ArrowTextReader of(RowSource source, String... columns) throws IOException {
    try {
      return new ArrowTextReader(source, List.of(columns));
    } catch (Throwable e) {
      source.close();
      throw e;
    }
  }

  /// Returns all columns of the file, also those that are not read.
  public ArrowSchema schema() {
    return new ArrowSchema(source.fields());
  }

  /// Returns the names of the columns that are read; the number of a column is its place here.
  public List<String> columns() {
    return columns.stream().map(ColumnText::name).toList();
  }

  /// Goes to the next row. Returns false behind the last one.
  ///
  /// @throws ArrowException if the bytes are damaged, or a value has no text, such as a day behind
  ///     the year 999,999,999
  /// @throws IOException if they cannot be read
  public boolean next() throws IOException {
    isAtRow = false;
    row++;
    if (row >= partRows && !readPart()) {
      return false;
    }
    rows++;
    isAtRow = true;
    return true;
  }

  private boolean readPart() throws IOException {
    row = 0;
    partRows = 0;
    if (batchRead == batches.rows()) {
      batchRead = 0;
      if (!batches.next()) {
        Arrays.fill(cells, null);
        return false;
      }
    }
    int count = (int) Math.min(PART_ROWS, batches.rows() - batchRead);
    for (ColumnText column : columns) {
      count = column.rowsWithin(batchRead, count);
    }
    for (int i = 0; i < cells.length; i++) {
      cells[i] = columns.get(i).read(batchRead, count);
    }
    batchRead += count;
    partRows = count;
    return true;
  }

  private Cells cells(int column) {
    if (!isAtRow) {
      throw new IllegalStateException("the reader is at no row: call next() first");
    }
    return cells[column];
  }

  /// Returns whether the value of a column is null.
  public boolean isNull(int column) {
    return cells(column).isNull(row);
  }

  /// Returns an array that has the text of a column's value, in UTF-8, from [#start] on. It is not
  /// written to, and stays as it is until the next call of [#next].
  public byte[] bytes(int column) {
    return cells(column).data(row);
  }

  /// Returns where the text begins in [#bytes].
  public int start(int column) {
    return cells(column).starts()[row];
  }

  /// Returns how many bytes the text has: 0 for a null.
  public int length(int column) {
    Cells known = cells(column);
    return known.isNull(row) ? 0 : known.lengths()[row];
  }

  /// Returns the text of a column's value; empty for a null. Bytes that are not UTF-8 are replaced.
  public String text(int column) {
    return new String(bytes(column), start(column), length(column), StandardCharsets.UTF_8);
  }

  /// Returns how many rows were read.
  public long rows() {
    return rows;
  }

  /// Writes the rows that are left as CSV, behind a row with the columns' names. A null is an empty
  /// field, and an empty text stands in quotes. The stream stays open.
  ///
  /// @param separator the character between fields, of ASCII
  /// @throws IOException if the rows cannot be read, as for [#next], or written
  /// @throws IllegalArgumentException if the separator is none
  public void writeCsv(OutputStream out, char separator) throws IOException {
    if (separator >= 0x80 || "\"\r\n".indexOf(separator) >= 0) {
      throw new IllegalArgumentException(
          "the separator '%s' is not possible: take one ASCII character, not a quote or an end of line"
              .formatted(separator));
    }
    var csv = new CsvOutput(out, (byte) separator);
    csv.names(columns());
    int count = columns.size();
    while (next()) {
      for (int i = 0; i < count; i++) {
        Cells known = Objects.requireNonNull(cells[i]);
        if (known.isNull(row)) {
          csv.nothing();
        } else {
          csv.text(known.data(row), known.starts()[row], known.lengths()[row]);
        }
      }
      csv.end();
    }
    csv.flush();
  }

  /// Writes the rows that are left to a file of CSV, as [#writeCsv(OutputStream, char)] does. The
  /// file appears under its name when it is complete and on the disk, and keeps the permissions of
  /// one that it replaces.
  ///
  /// @throws IOException as for [#writeCsv(OutputStream, char)]; nothing is left then
  public void writeCsv(Path file, char separator) throws IOException {
    try (PartialFile partial = new PartialFile(file)) {
      writeCsv(partial.stream(), separator);
      partial.complete();
    }
  }

  /// Closes the file or the stream.
  @Override
  public void close() throws IOException {
    batches.close();
  }
}
