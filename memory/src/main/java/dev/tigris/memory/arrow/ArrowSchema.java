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

  List<Field> fields() {
    return fields;
  }

  /// Returns a line for each column: `price: double not null`.
  @Override
  public String toString() {
    return fields.stream().map(Field::toString).collect(Collectors.joining("\n"));
  }
}
