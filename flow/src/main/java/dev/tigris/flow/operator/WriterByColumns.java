package dev.tigris.flow.operator;

import dev.tigris.flow.Stream;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The writer of a module that writes other columns when rows with other columns come in.
///
/// Thread rule: the module's thread.
final class WriterByColumns {
  private List<String> columns = List.of();
  private @Nullable RowWriter writer;

  /// Returns the writer for rows such as those at a cursor, which puts waters on `out`. If they
  /// have other columns than the rows before, it puts what was written and makes another writer.
  RowWriter open(Rows rows, Stream out, Supplier<RowWriter> maker) {
    RowWriter known = writer;
    List<String> found = List.of(rows.columns());
    if (known != null && found.equals(columns)) {
      return known.to(out);
    }
    flush(out);
    columns = found;
    RowWriter made = maker.get().to(out);
    writer = made;
    return made;
  }

  /// Puts what was written.
  void flush(Stream out) {
    if (writer != null) {
      writer.to(out).flush();
    }
  }
}
