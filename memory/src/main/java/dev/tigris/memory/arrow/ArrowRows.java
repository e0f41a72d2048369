package dev.tigris.memory.arrow;

import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How objects of a class are rows of Arrow, and the way to write and read them.
///
/// | stored field | column |
/// |---|---|
/// | `boolean` | `bool` |
/// | `byte`, `short`, `int`, `long` | `int8`, `int16`, `int32`, `int64` |
/// | `float`, `double` | `float`, `double` |
/// | `char` | `uint16` |
/// | the same with [ArrowAs] | unsigned integers, a date, a timestamp |
/// | enum | `dictionary` of the constants' names; null stays null |
/// | [dev.tigris.memory.Utf8] | `string` |
/// | [dev.tigris.memory.Bytes] in place | `fixed_size_binary` |
/// | other array in place | `fixed_size_list` |
/// | object in place | `struct` |
///
/// A reference has no column: a class with one is refused, unless [#withoutReferences] leaves it
/// out.
///
/// Immutable.
public final class ArrowRows<T extends Pso> {
  /// As many as other programs write by default.
  private static final int DEFAULT_BATCH_ROWS = 65_536;

  /// The most bytes of objects in a batch, unless one is larger.
  private static final int MOST_BATCH_BYTES = 32 << 20;

  private enum Option {
    WITHOUT_REFERENCES,
    ENUMS_AS_TEXT,
    ZERO_FOR_NULL,
    ZERO_FOR_MISSING
  }

  private final Class<T> type;
  private final PsoLayout layout;
  private final int batchRows;
  private final Set<Option> options;
  private final @Nullable ArrowCompression compression;

  private ArrowRows(
      Class<T> type, int batchRows, Set<Option> options, @Nullable ArrowCompression compression) {
    this.type = type;
    this.layout = PsoLayout.of(type);
    this.batchRows = batchRows;
    this.options = options;
    this.compression = compression;
  }

  /// Returns how objects of a class are rows.
  ///
  /// @throws IllegalArgumentException if the class has a field that cannot be stored
  public static <T extends Pso> ArrowRows<T> of(Class<T> type) {
    return new ArrowRows<>(type, DEFAULT_BATCH_ROWS, EnumSet.noneOf(Option.class), null);
  }

  private ArrowRows<T> with(Option option) {
    Set<Option> more = EnumSet.of(option);
    more.addAll(options);
    return new ArrowRows<>(type, batchRows, more, compression);
  }

  /// Returns the same with batches of up to `rows` rows. A batch has fewer where they would have
  /// more than 32 MiB.
  ///
  /// @throws IllegalArgumentException if that is not positive
  public ArrowRows<T> inBatchesOf(int rows) {
    if (rows < 1) {
      throw new IllegalArgumentException("a batch has at least 1 row, not " + rows);
    }
    return new ArrowRows<>(type, rows, options, compression);
  }

  /// Returns the same, written compressed. What is read may be compressed in any case.
  ///
  /// A writer throws an [UnsupportedOperationException] if it is ZSTD, and the system does not have
  /// libzstd.
  public ArrowRows<T> compressedBy(ArrowCompression method) {
    return new ArrowRows<>(type, batchRows, options, method);
  }

  /// Returns the same without columns for references: they are not written, and are null in rows
  /// that are read.
  public ArrowRows<T> withoutReferences() {
    return with(Option.WITHOUT_REFERENCES);
  }

  /// Returns the same with enums written as `string`, without a dictionary.
  public ArrowRows<T> withEnumsAsText() {
    return with(Option.ENUMS_AS_TEXT);
  }

  /// Returns the same for reading nulls: a number becomes zero, a boolean false, a text empty, and
  /// an object or an array in place all zero. Without this a null is refused where the field is no
  /// enum.
  public ArrowRows<T> withZeroForNull() {
    return with(Option.ZERO_FOR_NULL);
  }

  /// Returns the same for reading files without a column for a field: it becomes zero, as for a
  /// null. Without this such a file is refused.
  public ArrowRows<T> withZeroForMissing() {
    return with(Option.ZERO_FOR_MISSING);
  }

  /// Writes a table as an Arrow file.
  ///
  /// @throws IOException as for [ArrowWriter#write(PsoTable)]; nothing appears then
  /// @throws IllegalArgumentException as for [#writer]
  public void write(Path file, PsoTable<T> table) throws IOException {
    try (ArrowWriter<T> writer = writer(file)) {
      writer.write(table);
      writer.complete();
    }
  }

  /// Returns a writer of an Arrow file. An existing file is replaced when the writer is complete,
  /// and its permissions stay.
  ///
  /// @throws IllegalArgumentException if the class has a field that no column can hold
  /// @throws IOException if the file cannot be made
  public ArrowWriter<T> writer(Path file) throws IOException {
    return ArrowWriter.toFile(this, file);
  }

  /// Returns a writer that writes the bytes of an Arrow file to a stream, which stays open.
  ///
  /// @throws IllegalArgumentException as for [#writer]
  public ArrowWriter<T> fileWriter(OutputStream out) throws IOException {
    return ArrowWriter.to(this, out, true);
  }

  /// Returns a writer in the format of Arrow streams, for pipes and sockets: its reader needs to go
  /// forward only. The stream stays open.
  ///
  /// @throws IllegalArgumentException as for [#writer]
  public ArrowWriter<T> streamWriter(OutputStream out) throws IOException {
    return ArrowWriter.to(this, out, false);
  }

  /// Adds all rows of an Arrow file to a table, and returns how many there were.
  ///
  /// @throws IOException as for [#reader] and [ArrowReader#read(PsoTable)]; the table is as before
  ///     then
  public long read(Path file, PsoTable<T> table) throws IOException {
    try (ArrowReader<T> reader = reader(file)) {
      return reader.read(table);
    }
  }

  /// Returns a reader of a file in the format of Arrow files or of streams.
  ///
  /// A field is read from the column of its name. Columns without a field are passed over. A column
  /// of another type is read where its values all fit without loss: smaller integers and
  /// floating point numbers, integers of up to 32 bits into a `double`, texts with or without a
  /// dictionary, timestamps of a coarser unit, lists of always as many elements as an array has.
  ///
  /// @throws ArrowException if it is damaged or not supported, or has no column for a field, or one
  ///     of another type
  /// @throws IllegalArgumentException as for [#writer]
  /// @throws IOException if it cannot be read
  public ArrowReader<T> reader(Path file) throws IOException {
    return reader(RowSource.open(file));
  }

  /// Returns a reader of a stream of bytes, in the format of Arrow streams or of files. It closes
  /// the stream when it is closed itself; errors as for [#reader(Path)].
  public ArrowReader<T> reader(InputStream in) throws IOException {
    return reader(RowSource.of(in));
  }

  private ArrowReader<T> reader(RowSource source) throws IOException {
    try {
      return new ArrowReader<>(this, source);
    } catch (Throwable e) {
      source.close();
      throw e;
    }
  }

  List<Filler> plan(List<SourceColumn> columns) throws ArrowException {
    return Plan.of(
        cells(),
        columns,
        options.contains(Option.ZERO_FOR_NULL),
        options.contains(Option.ZERO_FOR_MISSING));
  }

  /// Returns the class of the objects.
  public Class<T> type() {
    return type;
  }

  @Nullable ArrowCompression compression() {
    return compression;
  }

  int strideBytes() {
    return layout.sizeBytes();
  }

  int rowsPerBatch() {
    return Math.clamp(MOST_BATCH_BYTES / layout.sizeBytes(), 1, batchRows);
  }

  List<Cell> cells() {
    return Cell.of(layout, options.contains(Option.WITHOUT_REFERENCES));
  }

  List<Column> columns() {
    return new Columns(options.contains(Option.ENUMS_AS_TEXT)).of(cells());
  }
}
