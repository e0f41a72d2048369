package dev.tigris.examples;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.operator.GroupBy;
import dev.tigris.flow.operator.Join;
import dev.tigris.flow.operator.JoinTable;
import dev.tigris.flow.text.Csv;
import java.nio.file.Path;

/// Joins two files of CSV and groups the result: what customers of each country have spent.
///
/// ```sh
/// ./tigris example CsvJoin orders.csv customers.csv spent.csv
/// ```
///
/// ```text
/// orders -> join (several) -> group (several) -> routed by country -> add up (several) -> spent
///             customers, in memory
/// ```
public final class CsvJoin {
  private CsvJoin() {}

  /// Writes the number and the sum of the orders of each country.
  ///
  /// @param orders CSV with columns `customer` and `amount`, of any size
  /// @param customers CSV with columns `id` and `country`, which has to fit into memory
  /// @throws FlowException if a file cannot be read or written, or has something else in it
  public static void run(Path orders, Path customers, Path spent, int replicas)
      throws FlowException, InterruptedException {
    GroupBy groups = GroupBy.on("country").count().sum("amount", 2);
    try (JoinTable table = JoinTable.read(Csv.reading(customers), "id", "country")) {
      Flow.named("csv join")
          .stage("join", () -> Join.with(table).on("customer").keeping("amount"), replicas)
          .feed("join", Csv.reading(orders))
          .reservoir(Reservoir.leastOutstanding())
          .stage("group", groups::local, replicas)
          .reservoir(Reservoir.routed())
          .stage("add up", groups::total, replicas)
          .drain("add up", Csv.writing(spent))
          .build()
          .start()
          .await();
    }
  }

  /// Joins the files that the first two arguments name, and writes the third.
  public static void main(String[] arguments) throws FlowException, InterruptedException {
    if (arguments.length != 3) {
      System.err.println("usage: CsvJoin ORDERS CUSTOMERS RESULT");
      return;
    }
    int replicas = Runtime.getRuntime().availableProcessors();
    run(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]), replicas);
  }
}
