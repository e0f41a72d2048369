package dev.tigris.sort;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.flow.Flow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The flow of a sort of records on several processes, which [SortJob#on] starts. Programs do not
/// start it themselves.
public final class SortProgram extends DealtProgram {
  /// Makes the program, as each process of a run does.
  public SortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Path file = Path.of(arguments.word(1));
    SharedSort sort = SharedSort.read(arguments.fact("plan", () -> Files.readString(file)));
    SortPlan plan = sort.plan();
    return flow(
        "sort",
        new ProcessSort(sort, arguments.processes()),
        sort.chunks(),
        plan.readBytes(),
        plan.partitioners(),
        plan.sorters(),
        plan.window());
  }
}
