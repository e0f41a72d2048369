package dev.tigris.examples;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.operator.Filter;
import dev.tigris.flow.operator.GroupBy;
import dev.tigris.flow.operator.Join;
import dev.tigris.flow.operator.JoinTable;
import dev.tigris.flow.operator.MapRows;
import dev.tigris.flow.operator.Top;
import dev.tigris.flow.text.Csv;
import dev.tigris.flow.text.Lines;
import java.nio.file.Path;
import java.util.List;

/// Tasks with text that are more than a sort, each a flow of a few lines.
///
/// ```sh
/// ./tigris example TextTasks top words top.csv
/// ./tigris example TextTasks join orders.csv customers.csv joined.csv
/// ```
///
/// `examples/text-tasks.sh` runs them beside awk, join and DuckDB.
public final class TextTasks {
  private static final int REPLICAS = Runtime.getRuntime().availableProcessors();

  private TextTasks() {}

  /// Finds the ten most frequent lines.
  static Flow top(Path lines, Path out) {
    GroupBy counts = GroupBy.on("word").count();
    return Flow.named("top words")
        .stage(
            "name",
            () ->
                new MapRows(
                    List.of(), List.of("word"), (rows, fields, to) -> to.text(rows, 0).end()),
            REPLICAS)
        .feed("name", Lines.reading(lines))
        .reservoir(Reservoir.leastOutstanding())
        .stage("count", counts::local, REPLICAS)
        .reservoir(Reservoir.routed())
        .stage("add up", counts::total, REPLICAS)
        .reservoir(Reservoir.leastOutstanding())
        .stage("top", () -> Top.greatest(10, "count", 0))
        .drain("top", Csv.writing(out))
        .build();
  }

  /// Counts the orders of each country.
  static Flow count(Path orders, Path out) {
    return groups(GroupBy.on("country").count(), orders, out);
  }

  /// Counts the orders of each customer, and adds up their amounts.
  static Flow sum(Path orders, Path out) {
    return groups(GroupBy.on("customer").count().sum("amount", 2), orders, out);
  }

  private static Flow groups(GroupBy groups, Path orders, Path out) {
    return Flow.named("groups")
        .stage("group", groups::local, REPLICAS)
        .feed("group", Csv.reading(orders))
        .reservoir(Reservoir.routed())
        .stage("add up", groups::total, REPLICAS)
        .drain("add up", Csv.writing(out))
        .build();
  }

  /// Joins orders with their customers, which are in memory.
  static Flow join(Path orders, JoinTable customers, Path out) {
    return Flow.named("join")
        .stage(
            "join",
            () -> Join.with(customers).on("customer").keeping("id", "customer", "amount"),
            REPLICAS)
        .feed("join", Csv.reading(orders))
        .drain("join", Csv.writing(out))
        .build();
  }

  /// Passes orders of more than 5,000, and converts their amounts to cents.
  static Flow filter(Path orders, Path out) {
    return Flow.named("filter")
        .stage(
            "large",
            () -> Filter.on("amount", (rows, amount) -> rows.decimal(amount, 2) > 5_000_00),
            REPLICAS)
        .feed("large", Csv.reading(orders))
        .reservoir(Reservoir.leastOutstanding())
        .stage(
            "convert",
            () ->
                new MapRows(
                    List.of("id", "amount"),
                    List.of("id", "cents"),
                    (rows, fields, to) ->
                        to.text(rows, fields[0]).number(rows.decimal(fields[1], 2)).end()),
            REPLICAS)
        .drain("convert", Csv.writing(out))
        .build();
  }

  /// Does the task that the first argument names with the files that the others name, of which the
  /// last one is written.
  public static void main(String[] arguments) throws FlowException, InterruptedException {
    String task = arguments.length == 0 ? "" : arguments[0];
    boolean isTask = List.of("top", "count", "sum", "filter", "join").contains(task);
    if (!isTask || arguments.length != (task.equals("join") ? 4 : 3)) {
      System.err.println(
          "usage: TextTasks top LINES OUT | count ORDERS OUT | sum ORDERS OUT | filter ORDERS OUT"
              + " | join ORDERS CUSTOMERS OUT");
      return;
    }
    Path in = Path.of(arguments[1]);
    Path out = Path.of(arguments[arguments.length - 1]);
    if (task.equals("join")) {
      Path customers = Path.of(arguments[2]);
      try (JoinTable table = JoinTable.read(Csv.reading(customers), "id", "city")) {
        join(in, table, out).start().await();
      }
      return;
    }
    Flow flow =
        switch (task) {
          case "top" -> top(in, out);
          case "count" -> count(in, out);
          case "sum" -> sum(in, out);
          default -> filter(in, out); // the last of the tasks
        };
    flow.start().await();
  }
}
