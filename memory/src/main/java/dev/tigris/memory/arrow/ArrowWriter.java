package dev.tigris.memory.arrow;

import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.internal.ObjectAccess;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Writes tables of objects as an Arrow file or stream, one table after the other, without holding
/// more than a batch in memory. [ArrowRows] makes it.
///
/// ```java
/// try (ArrowWriter<Trade> out = ArrowRows.of(Trade.class).writer(Path.of("trades.arrow"))) {
///   out.write(monday);
///   out.write(tuesday);
///   out.complete();
/// }
/// ```
///
/// A file appears under its name when [#complete] has returned. Until then it is beside that name,
/// as `.NAME.RANDOM.partial`, and [#close] deletes it.
///
/// Thread rule: one thread at a time. No other thread writes to a table meanwhile.
public final class ArrowWriter<T extends Pso> implements AutoCloseable {
  /// How many rows are transposed at once: what they take stays in a processor's cache.
  private static final int BLOCK_ROWS = 1024;

  private final Class<T> type;
  private final int strideBytes;
  private final int batchRows;
  private final List<Column> columns;
  private final Output output;
  private int waiting;
  private long rows;

  private ArrowWriter(ArrowRows<T> rows, List<Column> columns, Output output) throws IOException {
    this.type = rows.type();
    this.strideBytes = rows.strideBytes();
    this.batchRows = rows.rowsPerBatch();
    this.columns = columns;
    this.output = output;
    ArrowCompression compression = rows.compression();
    if (compression != null) {
      output.compressBy(compression);
    }
    List<EnumColumn> enums = new ArrayList<>();
    columns.forEach(column -> column.addEnums(enums));
    for (int id = 0; id < enums.size(); id++) {
      EnumColumn each = enums.get(id);
      each.addDictionaryTo(output.batch());
      output.writeDictionary(id, each.dictionaryValues());
    }
  }

  private static List<Field> fields(List<Column> columns) {
    return columns.stream().map(Column::field).toList();
  }

  static <T extends Pso> ArrowWriter<T> toFile(ArrowRows<T> rows, Path path) throws IOException {
    List<Column> columns = rows.columns();
    Output output = Output.toFile(fields(columns), path);
    try {
      return new ArrowWriter<>(rows, columns, output);
    } catch (Throwable e) {
      output.close();
      throw e;
    }
  }

  static <T extends Pso> ArrowWriter<T> to(ArrowRows<T> rows, OutputStream out, boolean hasFooter)
      throws IOException {
    List<Column> columns = rows.columns();
    return new ArrowWriter<>(rows, columns, Output.to(fields(columns), out, hasFooter));
  }

  /// Writes all elements of a table. Those that do not fill a batch wait for the next table, or for
  /// [#flush].
  ///
  /// @throws ArrowException if an element holds what its class does not allow, since its container
  ///     is damaged; the file or stream cannot be completed then
  /// @throws IOException if it cannot be written
  /// @throws IllegalStateException if the writer is complete, closed, or has failed
  public void write(PsoTable<T> table) throws IOException {
    write(table, 0, table.size());
  }

  /// Writes the elements of a table from one index up to another, which is the first that it does
  /// not write; errors as for [#write(PsoTable)].
  ///
  /// @throws IndexOutOfBoundsException if they are not all there
  public void write(PsoTable<T> table, long from, long to) throws IOException {
    output.requireOpen();
    Objects.checkFromToIndex(from, to, table.size());
    if (ObjectAccess.OBJECTS.elementType(table) != type) {
      throw new IllegalArgumentException(
          "a table of %s cannot be written as rows of %s"
              .formatted(ObjectAccess.OBJECTS.elementType(table).getName(), type.getName()));
    }
    output.begin();
    try {
      for (long at = from; at < to; ) {
        long most = Math.min(to - at, Math.min(BLOCK_ROWS, batchRows - waiting));
        MemorySegment together = ObjectAccess.OBJECTS.elements(table, at, most);
        int count = (int) (together.byteSize() / strideBytes);
        for (Column column : columns) {
          column.append(together, strideBytes, count);
        }
        waiting += count;
        rows += count;
        at += count;
        if (waiting == batchRows) {
          writeBatch();
        }
      }
      output.succeeded();
    } finally {
      Reference.reachabilityFence(table);
    }
  }

  private void writeBatch() throws IOException {
    if (waiting > 0) {
      columns.forEach(column -> column.addTo(output.batch()));
      output.writeRows(waiting);
      columns.forEach(Column::clear);
      waiting = 0;
    }
  }

  /// Writes the rows that wait as a batch of their own, and flushes the stream: a reader at the
  /// other end of a pipe then gets all that was written.
  ///
  /// @throws IOException if it cannot be written
  public void flush() throws IOException {
    output.begin();
    writeBatch();
    output.flush();
    output.succeeded();
  }

  /// Returns how many rows were given to this writer.
  public long rows() {
    return rows;
  }

  /// Writes what is left, and the end. A file is then on the disk, and gets its name. A stream that
  /// the caller has given stays open.
  ///
  /// @throws IOException if it cannot be written; a file does not appear then
  public void complete() throws IOException {
    flush();
    output.complete();
  }

  /// Ends the writing. A file that is not complete is deleted. A stream that the caller has given
  /// stays open, and its reader finds it cut off unless it is complete.
  @Override
  public void close() throws IOException {
    output.close();
  }
}
