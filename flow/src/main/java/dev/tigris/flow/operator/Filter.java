package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Passes the rows that a condition is true of, as they stand in their file.
///
/// ```java
/// .stage(
///     "large",
///     () -> Filter.on("amount", (rows, amount) -> rows.decimal(amount, 2) > 100_00),
///     2)
/// ```
public final class Filter implements Module {
  /// A condition on the value of one column.
  @FunctionalInterface
  public interface Test {
    /// Returns whether the row at the cursor passes.
    ///
    /// @param rows the cursor
    /// @param field the number of the column's field
    boolean test(Rows rows, int field);
  }

  private final Rows rows = new Rows();
  private final @Nullable String column;
  private final Test test;
  private final WriterByColumns writer = new WriterByColumns();

  private Filter(@Nullable String column, Test test) {
    this.column = column;
    this.test = test;
  }

  /// Returns a module that passes the rows with a value of this column that the condition is true
  /// of.
  public static Filter on(String column, Test test) {
    return new Filter(column, test);
  }

  /// Returns a module that passes the rows that the condition is true of: for lines, and for
  /// conditions on several fields.
  public static Filter by(Predicate<Rows> condition) {
    return new Filter(null, (rows, _) -> condition.test(rows));
  }

  @Override
  public void process(Water in, Stream out) {
    rows.open(in);
    int field = column == null ? 0 : rows.column(column);
    RowWriter to = writer.open(rows, out, () -> RowWriter.like(rows));
    while (rows.next()) {
      if (test.test(rows, field)) {
        to.row(rows);
      }
    }
  }

  @Override
  public void finish(Stream out) {
    writer.flush(out);
  }

  @Override
  public void destroy() {
    rows.close();
  }
}
