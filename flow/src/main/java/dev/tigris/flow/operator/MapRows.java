package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.List;

/// Makes other rows of each row: one, none or several.
///
/// ```java
/// .stage(
///     "cents",
///     () ->
///         new MapRows(
///             List.of("country", "amount"),
///             List.of("country", "cents"),
///             (rows, fields, to) ->
///                 to.text(rows, fields[0]).number(rows.decimal(fields[1], 2)).end()),
///     2)
/// ```
public final class MapRows implements Module {
  /// Makes rows of one row.
  @FunctionalInterface
  public interface Mapper {
    /// Writes the rows that come of the row at the cursor, and ends each.
    ///
    /// @param rows the cursor
    /// @param fields the numbers of the named columns' fields
    /// @param to takes the rows
    void map(Rows rows, int[] fields, RowWriter to);
  }

  private final List<String> from;
  private final List<String> to;
  private final Mapper mapper;
  private final Rows rows = new Rows();
  private final int[] fields;
  private final RowWriter writer;

  /// Makes a module.
  ///
  /// @param from the columns that the mapper reads; none for rows without names
  /// @param to the names of the columns that it writes, as CSV; none for rows without names
  /// @param mapper is called for each row
  public MapRows(List<String> from, List<String> to, Mapper mapper) {
    this.from = List.copyOf(from);
    this.to = List.copyOf(to);
    this.mapper = mapper;
    this.fields = new int[from.size()];
    this.writer = RowWriter.csv("a map", this.to, ',');
  }

  @Override
  public void process(Water in, Stream out) {
    rows.open(in);
    for (int i = 0; i < fields.length; i++) {
      fields[i] = rows.column(from.get(i));
    }
    writer.to(out);
    while (rows.next()) {
      mapper.map(rows, fields, writer);
    }
  }

  @Override
  public void finish(Stream out) {
    writer.to(out).flush();
  }

  @Override
  public void destroy() {
    rows.close();
  }

  @Override
  public String toString() {
    return "MapRows" + from + "->" + to;
  }
}
