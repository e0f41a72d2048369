package dev.tigris.flow.operator;

import dev.tigris.flow.Module;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Counts and sums up rows by the values of columns. It is a description of two stages: the first
/// one makes groups of the rows that a replica gets, and sends what it has of each group to the
/// replica of the second that the key's hash says. That one adds up what comes.
///
/// ```java
/// GroupBy sums = GroupBy.on("country").count().sum("amount", 2);
/// Flow.named("sums")
///     .stage("local", sums::local, 2)
///     .feed("local", Csv.reading(Path.of("orders.csv")))
///     .reservoir(Reservoir.routed())
///     .stage("total", sums::total, 2)
///     .drain("total", Csv.writing(Path.of("sums.csv")))
///     .build();
/// ```
///
/// The groups have the columns of the key, and one for each aggregate: `count`, `sum_amount`,
/// `least_amount`, `greatest_amount`. [#whole] does everything in one stage, whose replicas have to
/// get all rows of a key: one replica, or rows that a [RouteBy] has routed.
///
/// Groups that do not fit the memory of a replica go to temporary files, by the hash of their keys.
/// A key with many rows is still one group, so that skewed keys need nothing more. A local stage
/// never writes files: it sends what it has, and begins anew.
///
/// A description is immutable: its methods return changed copies.
public final class GroupBy {
  /// The memory for groups of a replica by default.
  public static final long DEFAULT_MEMORY_BYTES = 256L << 20;

  /// A local stage's groups should stay in the cache.
  private static final long LOCAL_MEMORY_BYTES = 8L << 20;

  final List<String> keys;
  final List<Aggregate> aggregates;
  private final long memoryBytes;
  private final Path folder;

  private GroupBy(List<String> keys, List<Aggregate> aggregates, long memoryBytes, Path folder) {
    this.keys = List.copyOf(keys);
    this.aggregates = List.copyOf(aggregates);
    this.memoryBytes = memoryBytes;
    this.folder = folder;
  }

  /// Returns a description of groups of rows with equal values in these columns.
  public static GroupBy on(String... columns) {
    if (columns.length == 0) {
      throw new IllegalArgumentException("a group by needs a column: name one");
    }
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    return new GroupBy(List.of(columns), List.of(), DEFAULT_MEMORY_BYTES, folder);
  }

  /// Counts the rows of each group.
  public GroupBy count() {
    return with(new Aggregate(Aggregate.Kind.COUNT, "", 0, "count"));
  }

  /// Sums up a column of decimal numbers exactly. A number with more digits behind the point than
  /// `scale`, and a sum of more than 64 bits, fails the flow.
  public GroupBy sum(String column, int scale) {
    return with(new Aggregate(Aggregate.Kind.SUM, column, refuse(scale), "sum_" + column));
  }

  /// Sums up a column of floating-point numbers. The order of the rows is not determined, so the
  /// last digits may differ from run to run.
  public GroupBy sumOfReals(String column) {
    return with(new Aggregate(Aggregate.Kind.SUM, column, Aggregate.REAL, "sum_" + column));
  }

  /// Finds the least value of a column of decimal numbers.
  public GroupBy least(String column, int scale) {
    return with(new Aggregate(Aggregate.Kind.LEAST, column, refuse(scale), "least_" + column));
  }

  /// Finds the greatest value of a column of decimal numbers.
  public GroupBy greatest(String column, int scale) {
    return with(
        new Aggregate(Aggregate.Kind.GREATEST, column, refuse(scale), "greatest_" + column));
  }

  static int refuse(int scale) {
    if (scale < 0 || scale > 18) {
      throw new IllegalArgumentException(
          "a scale of %d: a decimal number of 64 bits has 0 to 18 digits behind the point"
              .formatted(scale));
    }
    return scale;
  }

  private GroupBy with(Aggregate aggregate) {
    if (columns().contains(aggregate.name())) {
      throw new IllegalArgumentException(
          "two columns of the groups would be called %s: ask for it once"
              .formatted(aggregate.name()));
    }
    List<Aggregate> all = new ArrayList<>(aggregates);
    all.add(aggregate);
    return new GroupBy(keys, all, memoryBytes, folder);
  }

  /// Bounds the memory for groups of each replica.
  public GroupBy withMemory(long bytes) {
    return new GroupBy(keys, aggregates, bytes, folder);
  }

  /// Says where temporary files are made; by default where the JVM makes them.
  public GroupBy withFolder(Path temporary) {
    return new GroupBy(keys, aggregates, memoryBytes, temporary);
  }

  /// Returns a module that makes groups of rows, and sends them on by the hash of their keys.
  public Module local() {
    return new Grouper(this, false, false, Math.min(memoryBytes, LOCAL_MEMORY_BYTES), folder);
  }

  /// Returns a module that adds up the groups of [#local].
  public Module total() {
    return new Grouper(this, true, true, memoryBytes, folder);
  }

  /// Returns a module that makes groups of all rows of its keys.
  public Module whole() {
    return new Grouper(this, false, true, memoryBytes, folder);
  }

  List<String> columns() {
    List<String> columns = new ArrayList<>(keys);
    aggregates.forEach(aggregate -> columns.add(aggregate.name()));
    return columns;
  }
}
