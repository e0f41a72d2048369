package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Joins rows with a table of any size (a hybrid hash join). Both sides are routed by their keys,
/// so that a replica has all rows of a key. It keeps its share of the table in memory. A share that
/// does not fit goes to temporary files in parts, by the hash of the keys, and so do the rows to be
/// joined with it; then each part is joined in memory.
///
/// ```java
/// PartitionedJoin join =
///     PartitionedJoin.of("orders", "customer").with("customers", "id", "country");
/// Flow.named("join")
///     .stage("orders", () -> new RouteBy("customer"), 2)
///     .feed("orders", Csv.reading(Path.of("orders.csv")))
///     .stage("customers", () -> new RouteBy("id"), 2)
///     .feed("customers", Csv.reading(Path.of("customers.csv")))
///     .stage("join", join::module, 2)
///     .inputs(InputPolicy.byPriority("customers", "orders"))
///     .connect("orders", "join", Reservoir.routed())
///     .connect("customers", "join", Reservoir.routed())
///     .drain("join", Csv.writing(Path.of("joined.csv")))
///     .build();
/// ```
///
/// Each row goes out once for each row of the table with its key: first its columns, then those of
/// the table. The order of the rows is not determined. Rows that come before the table is complete
/// go to temporary files; the input policy above lets few of them come so early. A [Join] with a
/// [JoinTable] does without routes, and needs the whole table in memory.
///
/// A description is immutable: its methods return changed copies.
public final class PartitionedJoin {
  final String rowsFrom;
  final String rowsKey;
  final @Nullable List<String> keeping;
  final boolean isOuter;
  final String tableFrom;
  final String tableKey;
  final List<String> tableColumns;
  private final long memoryBytes;
  private final Path folder;

  private PartitionedJoin(
      Rows rows, Table table, @Nullable List<String> keeping, long memoryBytes, Path folder) {
    this.rowsFrom = rows.from();
    this.rowsKey = rows.key();
    this.isOuter = rows.isOuter();
    this.keeping = keeping;
    this.tableFrom = table.from();
    this.tableKey = table.key();
    this.tableColumns = table.columns();
    this.memoryBytes = memoryBytes;
    this.folder = folder;
  }

  /// The side whose rows are joined.
  ///
  /// @param from the stage or feed that they come from
  /// @param key the column that is looked up
  /// @param isOuter whether rows without a match are kept, too
  public record Rows(String from, String key, boolean isOuter) {
    /// Returns a description of a join with a table.
    ///
    /// @param table the stage or feed that the table's rows come from
    /// @param tableKey the column by which they are looked up
    /// @param columns the columns of theirs to keep
    public PartitionedJoin with(String table, String tableKey, String... columns) {
      return new PartitionedJoin(
          this,
          new Table(table, tableKey, List.of(columns)),
          null,
          GroupBy.DEFAULT_MEMORY_BYTES,
          Path.of(System.getProperty("java.io.tmpdir")));
    }
  }

  private record Table(String from, String key, List<String> columns) {}

  /// Names the side whose rows are joined.
  ///
  /// @param rows the stage or feed that they come from
  /// @param key the column that is looked up
  public static Rows of(String rows, String key) {
    return new Rows(rows, key, false);
  }

  private Rows rows(boolean outer) {
    return new Rows(rowsFrom, rowsKey, outer);
  }

  private Table table() {
    return new Table(tableFrom, tableKey, tableColumns);
  }

  /// Keeps only these columns of the rows.
  public PartitionedJoin keeping(String... names) {
    return new PartitionedJoin(rows(isOuter), table(), List.of(names), memoryBytes, folder);
  }

  /// Keeps rows without a match, too, with empty values for the columns of the table (a left outer
  /// join).
  public PartitionedJoin keepingUnmatched() {
    return new PartitionedJoin(rows(true), table(), keeping, memoryBytes, folder);
  }

  /// Bounds the memory for the table of each replica; 256 MiB by default. One row of any size has
  /// room in any case.
  public PartitionedJoin withMemory(long bytes) {
    return new PartitionedJoin(rows(isOuter), table(), keeping, bytes, folder);
  }

  /// Says where temporary files are made; by default where the JVM makes them.
  public PartitionedJoin withFolder(Path temporary) {
    return new PartitionedJoin(rows(isOuter), table(), keeping, memoryBytes, temporary);
  }

  /// Returns a module that joins the rows that are routed to it.
  public Module module() {
    return new PartitionedJoiner(this, memoryBytes, folder);
  }
}
