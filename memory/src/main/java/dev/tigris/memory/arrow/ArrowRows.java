package dev.tigris.memory.arrow;

import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoTable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

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

  private final Class<T> type;
  private final PsoLayout layout;
  private final int batchRows;
  private final boolean referencesAreLeftOut;
  private final boolean enumsAreText;

  private ArrowRows(
      Class<T> type, int batchRows, boolean referencesAreLeftOut, boolean enumsAreText) {
    this.type = type;
    this.layout = PsoLayout.of(type);
    this.batchRows = batchRows;
    this.referencesAreLeftOut = referencesAreLeftOut;
    this.enumsAreText = enumsAreText;
  }

  /// Returns how objects of a class are rows.
  ///
  /// @throws IllegalArgumentException if the class has a field that cannot be stored
  public static <T extends Pso> ArrowRows<T> of(Class<T> type) {
    return new ArrowRows<>(type, DEFAULT_BATCH_ROWS, false, false);
  }

  /// Returns the same with batches of up to `rows` rows. A batch has fewer where they would have
  /// more than 32 MiB.
  ///
  /// @throws IllegalArgumentException if that is not positive
  public ArrowRows<T> inBatchesOf(int rows) {
    if (rows < 1) {
      throw new IllegalArgumentException("a batch has at least 1 row, not " + rows);
    }
    return new ArrowRows<>(type, rows, referencesAreLeftOut, enumsAreText);
  }

  /// Returns the same without columns for references: they are not written, and not changed by
  /// reading.
  public ArrowRows<T> withoutReferences() {
    return new ArrowRows<>(type, batchRows, true, enumsAreText);
  }

  /// Returns the same with enums written as `string`, without a dictionary.
  public ArrowRows<T> withEnumsAsText() {
    return new ArrowRows<>(type, batchRows, referencesAreLeftOut, true);
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

  Class<T> type() {
    return type;
  }

  int strideBytes() {
    return layout.sizeBytes();
  }

  int rowsPerBatch() {
    return Math.clamp(MOST_BATCH_BYTES / layout.sizeBytes(), 1, batchRows);
  }

  List<Cell> cells() {
    return Cell.of(layout, referencesAreLeftOut);
  }

  List<Column> columns() {
    return new Columns(enumsAreText).of(cells());
  }
}
