package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.text.RowWriter;
import dev.tigris.flow.text.Rows;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Joins rows with a [JoinTable]: each row that comes in goes out once for each row of the table
/// with its key, with the columns to keep of both.
///
/// ```java
/// .stage("join", () -> Join.with(customers).on("customer").keeping("amount"), 2)
/// ```
///
/// The columns of the row come first, then those of the table.
public final class Join implements Module {
  private final JoinTable table;
  private final JoinTable.Match match;
  private final Rows rows = new Rows();
  private final String key;
  private final @Nullable List<String> keeping;
  private final boolean isOuter;
  private int[] fields = {};
  private final WriterByColumns writer = new WriterByColumns();

  private Join(JoinTable table, String key, @Nullable List<String> keeping, boolean isOuter) {
    this.table = table;
    this.match = table.match();
    this.key = key;
    this.keeping = keeping;
    this.isOuter = isOuter;
  }

  /// A join whose key is to be named.
  ///
  /// @param table the rows to join with
  public record Table(JoinTable table) {
    /// Returns a module that joins by the value of this column, and keeps all columns.
    public Join on(String column) {
      return new Join(table, column, null, false);
    }
  }

  /// Returns a join with this table.
  public static Table with(JoinTable table) {
    return new Table(table);
  }

  /// Returns a module that keeps only these columns of the rows that come in.
  public Join keeping(String... names) {
    return new Join(table, key, List.of(names), isOuter);
  }

  /// Returns a module that keeps rows without a match, too, with empty values for the columns of
  /// the table (a left outer join).
  public Join keepingUnmatched() {
    return new Join(table, key, keeping, true);
  }

  @Override
  public void process(Water in, Stream out) {
    rows.open(in);
    int keyField = rows.column(key);
    RowWriter to = writer.open(rows, out, this::newWriter);
    for (int count = rows.nextRows(); count > 0; count = rows.nextRows()) {
      match.prepare(rows, keyField, count);
      for (int row = 0; row < count; row++) {
        rows.row(row);
        join(to, match.find(rows, keyField, row));
      }
    }
  }

  private void join(RowWriter to, boolean isFound) {
    boolean found = isFound;
    if (!found && isOuter) {
      writeFields(to);
      for (int i = 0; i < table.columns().size(); i++) {
        to.text("");
      }
      to.end();
    }
    for (; found; found = match.next()) {
      writeFields(to);
      for (int i = 0; i < table.columns().size(); i++) {
        match.write(i, to);
      }
      to.end();
    }
  }

  private void writeFields(RowWriter to) {
    for (int field : fields) {
      to.text(rows, field);
    }
  }

  private RowWriter newWriter() {
    List<String> found = List.of(rows.columns());
    List<String> kept = keeping == null ? found : keeping;
    fields = kept.stream().mapToInt(rows::column).toArray();
    List<String> names = new ArrayList<>(kept);
    names.addAll(table.columns());
    return RowWriter.csv("a join", names, ',');
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
