package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Reservoir;
import java.io.IOException;

/// The flow by which each host tells of its inputs before a sort, which [HostSortJob] starts. When
/// all have, each makes the folder for the parts. Programs do not start it themselves.
public final class HostSurveyProgram implements FlowProgram {
  /// Makes the program, as each process of a run does.
  public HostSurveyProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with what is asked
  /// @throws IOException if there is no such file
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    HostSurvey.Question question = HostSurvey.Question.read(PlanText.told(arguments));
    return Flow.named("survey")
        .source(
            "survey",
            () -> HostTask.told(HostSurvey.RESULT, question.share(), question::answer),
            arguments.processes())
        .reservoir(Reservoir.routed())
        .stage(
            "folder",
            () ->
                new ToldModule(
                    context -> new HostFolder(question.share(), question.folder()), () -> {}),
            arguments.processes())
        .build();
  }

  @Override
  public Placement place(FlowGraph graph, Arguments arguments) {
    return Placement.spread(graph, arguments.processes());
  }
}
