package dev.tigris.examples;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.operator.GroupBy;
import dev.tigris.flow.text.Csv;
import java.nio.file.Path;

/// Counts orders and adds up their amounts by country, on several processes of this host. Replicas
/// that share a file are in one process: two read it there, and one writes. The work is in all.
///
/// ```sh
/// ./tigris example SpentByCountry orders.csv spent.csv      # on three processes
/// ```
public final class SpentByCountry implements FlowProgram {
  private static final Module PASS = (in, out) -> out.put(in);

  /// Makes the program, as each process of a run does.
  public SpentByCountry() {}

  @Override
  public Flow describe(Arguments arguments) {
    GroupBy groups = GroupBy.on("country").count().sum("amount", 2);
    return Flow.named("spent by country")
        .stage("read", () -> PASS, 2)
        .feed("read", Csv.reading(Path.of(arguments.word(0))))
        .reservoir(Reservoir.leastOutstanding())
        .stage("group", groups::local, arguments.processors())
        .reservoir(Reservoir.routed())
        .stage("add up", groups::total, arguments.processors())
        .reservoir(Reservoir.leastOutstanding())
        .stage("write", () -> PASS)
        .drain("write", Csv.writing(Path.of(arguments.word(1))))
        .build();
  }

  /// Reads orders of the first file, and writes sums to the second one.
  public static void main(String[] arguments) throws Exception {
    System.out.println(
        Cluster.processes(3).start(SpentByCountry.class, arguments).await().numbers());
  }
}
