package dev.tigris.memory.arrow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/// The columns of an Arrow file or stream.
///
/// Immutable.
public final class ArrowSchema {
  private final List<Field> fields;

  /// A column.
  ///
  /// @param type as PyArrow prints it: `timestamp[us, tz=UTC]`
  public record Column(String name, String type, boolean isNullable) {}

  ArrowSchema(List<Field> fields) {
    this.fields = List.copyOf(fields);
  }

  /// Reads the schema of a file, in the format of Arrow files or streams.
  ///
  /// @throws ArrowException if it is neither, or damaged
  /// @throws IOException if the file cannot be read
  public static ArrowSchema of(Path file) throws IOException {
    try (RowSource source = RowSource.open(file)) {
      return new ArrowSchema(source.fields());
    }
  }

  /// Returns the names of the columns, in their order.
  public List<String> names() {
    return fields.stream().map(Field::name).toList();
  }

  /// Returns the columns in their order.
  public List<Column> columns() {
    return fields.stream()
        .map(field -> new Column(field.name(), field.typeText(), field.isNullable()))
        .toList();
  }

  List<Field> fields() {
    return fields;
  }

  /// Returns a line for each column: `price: double not null`.
  @Override
  public String toString() {
    return fields.stream().map(Field::toString).collect(Collectors.joining("\n"));
  }
}
