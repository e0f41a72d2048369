package dev.tigris.sort;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.flow.Flow;
import java.io.IOException;

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
    SharedSort sort = SharedSort.read(PlanText.told(arguments));
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
