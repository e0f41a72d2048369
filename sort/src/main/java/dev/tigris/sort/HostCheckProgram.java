package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The flow by which each host checks its own files, which [HostCheckJob] starts. Programs do not
/// start it themselves.
public final class HostCheckProgram implements FlowProgram {
  static final String RESULT = "check";

  /// Makes the program, as each process of a run does.
  public HostCheckProgram() {}

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the records
  /// @param share the files
  record Plan(RecordOrder order, HostShare share) {
    String text() {
      return PlanText.of(
          out -> {
            SharedSort.writeOrder(out, order);
            share.write(out);
          });
    }

    static Plan read(String text) throws IOException {
      return PlanText.read(text, in -> new Plan(SharedSort.readOrder(in), HostShare.read(in)));
    }

    /// Checks the files of one process, and tells a summary of each.
    void check(int process, DataOutputStream out) throws Exception {
      List<Integer> own = share.at(process);
      for (int i = share.place(process); i < own.size(); i += share.neighbours(process)) {
        Path path = share.files().get(own.get(i)).path();
        CheckJob.Result result = CheckJob.of(List.of(path)).order(order).run();
        var summary = new ByteArrayOutputStream();
        result.summary().writeTo(summary);
        out.writeInt(own.get(i));
        out.writeLong(result.bytes());
        out.writeInt(summary.size());
        summary.writeTo(out);
      }
    }
  }

  /// Describes the flow.
  ///
  /// @param arguments a name, for people, and the file with the plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Plan plan = Plan.read(PlanText.told(arguments));
    return Flow.named("check")
        .source(
            "check", () -> HostTask.told(RESULT, plan.share(), plan::check), arguments.processes())
        .build();
  }

  @Override
  public Placement place(FlowGraph graph, Arguments arguments) {
    return Placement.spread(graph, arguments.processes());
  }
}
