package dev.tigris.flow.operator;

import dev.tigris.flow.Stream;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import dev.tigris.flow.text.TextException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The writer of a module whose rows depend on the columns of those that come in. When rows with
/// other columns come, the module begins anew with another writer, or refuses them.
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
    return make(found, out, maker);
  }

  /// Returns the writer as [#open] does, and refuses rows that would need another one.
  ///
  /// @param used those of the rows' columns that the module writes
  /// @param advice what the user can do
  RowWriter openOnly(
      Rows rows, List<String> used, Stream out, Supplier<RowWriter> maker, String advice) {
    RowWriter known = writer;
    if (known == null) {
      return make(used, out, maker);
    }
    if (!used.equals(columns)) {
      throw new TextException(
          "%s has the columns %s, and the rows before had %s: %s"
              .formatted(rows.file(), List.of(rows.columns()), columns, advice));
    }
    return known.to(out);
  }

  private RowWriter make(List<String> found, Stream out, Supplier<RowWriter> maker) {
    columns = found;
    RowWriter made = maker.get().to(out);
    writer = made;
    return made;
  }

  /// Returns the writer, which puts waters on `out` from now on; null if no rows have come.
  @Nullable RowWriter current(Stream out) {
    RowWriter known = writer;
    return known == null ? null : known.to(out);
  }

  /// Puts what was written.
  void flush(Stream out) {
    RowWriter known = current(out);
    if (known != null) {
      known.flush();
    }
  }
}
