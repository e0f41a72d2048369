package dev.tigris.memory.arrow;

import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Writes an Arrow file of columns that are named when the program runs, value by value, without a
/// class of objects. Any value may be null.
///
/// ```java
/// var columns =
///     List.of(
///         new ArrowColumn("symbol", ArrowColumnType.TEXT),
///         new ArrowColumn("price", ArrowColumnType.REAL));
/// try (ArrowColumnWriter out = ArrowColumnWriter.toFile(Path.of("trades.arrow"), columns)) {
///   out.text("ACME");
///   out.real(12.5);
///   out.end();
///   out.complete();
/// }
/// ```
///
/// The values of a row come in the order of the columns, and [#end] ends it. A file appears under
/// its name when [#complete] has returned.
///
/// Thread rule: one thread at a time.
public final class ArrowColumnWriter implements AutoCloseable {
  /// As many as other programs write by default.
  private static final int BATCH_ROWS = 65_536;

  /// A batch ends with the row in which a column's texts reach it.
  private static final int BATCH_BYTES = 32 << 20;

  private static final int MOST_TEXT_BYTES = 1 << 30;

  private final List<ValueColumn> columns;
  private final Output output;
  private int next;
  private int waiting;
  private long rows;

  private ArrowColumnWriter(List<ValueColumn> columns, Output output) {
    this.columns = columns;
    this.output = output;
  }

  private static List<ValueColumn> made(List<ArrowColumn> columns) {
    if (columns.isEmpty()) {
      throw new IllegalArgumentException("a file without columns has no rows: name one");
    }
    return columns.stream().map(ValueColumn::new).toList();
  }

  private static List<Field> fields(List<ValueColumn> columns) {
    return columns.stream().map(ValueColumn::field).toList();
  }

  /// Returns a writer of a file. An existing one is replaced when the writer is complete, and its
  /// permissions stay.
  ///
  /// @throws IllegalArgumentException if there are no columns
  /// @throws IOException if the file cannot be made
  public static ArrowColumnWriter toFile(Path file, List<ArrowColumn> columns) throws IOException {
    List<ValueColumn> made = made(columns);
    return new ArrowColumnWriter(made, Output.toFile(fields(made), file));
  }

  /// Returns a writer that writes the bytes of an Arrow file to a stream, which stays open.
  ///
  /// @throws IllegalArgumentException if there are no columns
  /// @throws IOException if it cannot be written
  public static ArrowColumnWriter to(OutputStream out, List<ArrowColumn> columns)
      throws IOException {
    List<ValueColumn> made = made(columns);
    return new ArrowColumnWriter(made, Output.to(fields(made), out, true));
  }

  /// Compresses what is written from now on; at first, nothing is.
  ///
  /// @throws UnsupportedOperationException if it is ZSTD, and the system does not have libzstd
  public void compressBy(ArrowCompression compression) {
    output.compressBy(compression);
  }

  private ValueColumn next(@Nullable ArrowColumnType wanted) {
    output.requireOpen();
    if (next == columns.size()) {
      throw new IllegalStateException(
          "the row has a value for all of its %d columns: end it".formatted(next));
    }
    ValueColumn column = columns.get(next);
    boolean fits =
        wanted == null
            || column.type() == wanted
            || (wanted == ArrowColumnType.WHOLE && column.type().isNumber());
    if (!fits) {
      throw new IllegalStateException(
          "column '%s' has the type %s, and gets a value of %s"
              .formatted(column.field().name(), column.type(), wanted));
    }
    next++;
    return column;
  }

  /// Adds a null.
  public void nothing() {
    next(null).nothing();
  }

  /// Adds a text.
  ///
  /// @throws ArrowException if it is not UTF-8, or has more than 1 GiB; the row can have
  ///     another value for this column then
  public void text(byte[] bytes, int from, int length) throws ArrowException {
    Objects.checkFromIndexSize(from, length, bytes.length);
    ValueColumn column = next(ArrowColumnType.TEXT);
    requireText(length <= MOST_TEXT_BYTES && column.text(bytes, from, length), column);
  }

  /// Adds a text from a view; errors as for [#text(byte\[\], int, int)].
  public void text(Bytes bytes, long from, int length) throws ArrowException {
    ValueColumn column = next(ArrowColumnType.TEXT);
    requireText(length <= MOST_TEXT_BYTES && column.text(bytes, from, length), column);
  }

  /// Adds a text; errors as for [#text(byte\[\], int, int)].
  public void text(String value) throws ArrowException {
    byte[] bytes = value.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    text(bytes, 0, bytes.length);
  }

  private void requireText(boolean isText, ValueColumn column) throws ArrowException {
    if (!isText) {
      next--;
      throw new ArrowException(
          "column '%s' gets bytes that are not UTF-8, or more than %d: convert them, for instance by iconv"
              .formatted(column.field().name(), MOST_TEXT_BYTES));
    }
  }

  /// Adds a number to a column of whole numbers, days or times.
  ///
  /// @throws ArithmeticException if it is a day that has no room in 32 bits
  public void number(long value) {
    next(ArrowColumnType.WHOLE).number(value);
  }

  /// Adds a floating point number.
  public void real(double value) {
    next(ArrowColumnType.REAL).number(Double.doubleToRawLongBits(value));
  }

  /// Adds a truth value.
  public void flag(boolean value) {
    next(ArrowColumnType.FLAG).flag(value);
  }

  /// Ends a row.
  ///
  /// @throws IllegalStateException if a column has no value
  /// @throws IOException if it cannot be written
  public void end() throws IOException {
    if (next != columns.size()) {
      throw new IllegalStateException(
          "the row has values for %d of its %d columns".formatted(next, columns.size()));
    }
    next = 0;
    waiting++;
    rows++;
    if (waiting == BATCH_ROWS || isLarge()) {
      flush();
    }
  }

  private boolean isLarge() {
    for (ValueColumn column : columns) {
      if (column.textBytes() > BATCH_BYTES) {
        return true;
      }
    }
    return false;
  }

  /// Writes the rows that wait as a batch of their own.
  ///
  /// @throws IOException if it cannot be written
  public void flush() throws IOException {
    if (next != 0) {
      throw new IllegalStateException("a row was begun and not ended: end it");
    }
    output.begin();
    if (waiting > 0) {
      columns.forEach(column -> column.addTo(output.batch()));
      output.writeRows(waiting);
      columns.forEach(ValueColumn::clear);
      waiting = 0;
    }
    output.flush();
    output.succeeded();
  }

  /// Returns how many rows were ended.
  public long rows() {
    return rows;
  }

  /// Writes what is left, and the end. A file is then on the disk, and gets its name. A stream
  /// stays open.
  ///
  /// @throws IOException if it cannot be written; a file does not appear then
  public void complete() throws IOException {
    flush();
    output.complete();
  }

  /// Ends the writing. A file that is not complete is deleted.
  @Override
  public void close() throws IOException {
    output.close();
  }
}
