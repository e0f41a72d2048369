package dev.tigris.bench.flow;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.operator.GroupBy;
import dev.tigris.flow.operator.Join;
import dev.tigris.flow.operator.JoinTable;
import dev.tigris.flow.text.Csv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The join of `flow.csv` in Java: the number and the sum of the orders of each country. The
/// arguments are who is to do it, the three files, and how often.
final class CsvJoins {
  private CsvJoins() {}

  /// Joins by a flow, as the example `CsvJoin` does.
  static void byTigris(Path orders, Path customers, Path spent)
      throws FlowException, InterruptedException {
    int replicas = Runtime.getRuntime().availableProcessors();
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

  /// Joins by parallel streams, as one would write it for rows that have no quotes.
  static void byStreams(Path orders, Path customers, Path spent) throws IOException {
    Map<String, String> countries;
    try (Stream<String> lines = Files.lines(customers)) {
      countries =
          lines.map(line -> line.split(",", -1)).collect(Collectors.toMap(f -> f[0], f -> f[2]));
    }
    Map<String, LongSummaryStatistics> sums;
    try (Stream<String> lines = Files.lines(orders)) {
      sums =
          lines
              .parallel()
              .map(line -> line.split(",", -1))
              .filter(f -> !f[0].equals("id") && countries.containsKey(f[1]))
              .collect(
                  Collectors.groupingBy(
                      f -> countries.getOrDefault(f[1], ""),
                      Collectors.summarizingLong(f -> Long.parseLong(f[2].replace(".", "")))));
    }
    try (var out = Files.newBufferedWriter(spent)) {
      out.write("country,count,sum_amount\n");
      for (var each : sums.entrySet()) {
        long sum = each.getValue().getSum();
        out.write(
            "%s,%d,%d.%02d\n"
                .formatted(each.getKey(), each.getValue().getCount(), sum / 100, sum % 100));
      }
    }
  }

  /// Does so a number of times, and prints the seconds of each.
  public static void main(String[] arguments) throws Exception {
    Path orders = Path.of(arguments[1]);
    Path customers = Path.of(arguments[2]);
    Path spent = Path.of(arguments[3]);
    for (int left = Integer.parseInt(arguments[4]); left > 0; left--) {
      long begin = System.nanoTime();
      switch (arguments[0]) {
        case "tigris" -> byTigris(orders, customers, spent);
        case "streams" -> byStreams(orders, customers, spent);
        default -> throw new IllegalArgumentException("neither tigris nor streams");
      }
      System.out.println("seconds " + (System.nanoTime() - begin) / 1e9);
    }
  }
}
