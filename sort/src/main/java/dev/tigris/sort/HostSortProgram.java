package dev.tigris.sort;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.flow.Flow;
import java.io.IOException;

/// The flow of a sort of records on several hosts, which [HostSortJob] starts. Programs do not
/// start it themselves.
public final class HostSortProgram extends HostPartsProgram {
  /// Makes the program, as each process of a run does.
  public HostSortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    HostSort.Plan plan = HostSort.Plan.read(PlanText.told(arguments));
    boolean isSame = !plan.order().isUnique();
    return flow(
        "sort",
        new HostSort(plan),
        plan.parts(),
        plan.plan().partitioners(),
        plan.plan().sorters(),
        plan.plan().window(),
        () -> new SumCompare(isSame, SumCompare.RECORDS));
  }
}
