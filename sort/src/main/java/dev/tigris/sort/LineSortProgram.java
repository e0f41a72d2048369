package dev.tigris.sort;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.flow.Flow;
import java.io.IOException;

/// The flow of a sort of lines on several processes, which [LineSortJob#on] starts. Behind its
/// lines, each partitioner tells each sorter how many bytes come before. Programs do not start it
/// themselves.
public final class LineSortProgram extends DealtProgram {
  /// Makes the program, as each process of a run does.
  public LineSortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    SharedLines shared = SharedLines.read(PlanText.told(arguments));
    LinePlan plan = shared.plan();
    return flow(
        "sort lines",
        new LineProcess(shared, arguments.processes()),
        shared.parts(),
        plan.chunkBytes(),
        plan.processors(),
        plan.processors(),
        plan.window());
  }
}
