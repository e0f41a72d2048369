package dev.tigris.sort;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.flow.Flow;
import java.io.IOException;

/// The flow of a sort of lines on several hosts, which [HostLineSortJob] starts. Programs do not
/// start it themselves.
public final class HostLineSortProgram extends HostPartsProgram {
  /// Makes the program, as each process of a run does.
  public HostLineSortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    HostLines.Plan plan = HostLines.Plan.read(PlanText.told(arguments));
    boolean isSame = !plan.order().isUnique();
    return flow(
        "sort lines",
        new HostLines(plan),
        plan.parts(),
        plan.plan().processors(),
        plan.plan().processors(),
        plan.plan().window(),
        () -> new SumCompare(isSame, SumCompare.LINES));
  }
}
