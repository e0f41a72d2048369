package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;

/// The flow by which each host checks its own files, which [HostCheckJob] starts. Programs do not
/// start it themselves.
public final class HostCheckProgram implements FlowProgram {
  static final String RESULT = "check";

  /// Makes the program, as each process of a run does.
  public HostCheckProgram() {}

  /// The facts that all processes have to know alike.
  ///
  /// @param kind of what the files have
  /// @param share the files
  record Plan(HostKind<?, ?> kind, HostShare share) {
    String text() {
      return PlanText.of(
          out -> {
            kind.write(out);
            share.write(out);
          });
    }

    static Plan read(String text) throws IOException {
      return PlanText.read(text, in -> new Plan(HostKind.read(in), HostShare.read(in)));
    }

    /// Checks the files of one process, and tells of each.
    void check(int process, DataOutputStream out) throws Exception {
      List<Integer> own = share.at(process);
      for (int i = share.place(process); i < own.size(); i += share.neighbours(process)) {
        var found = new ByteArrayOutputStream();
        kind.check(share.files().get(own.get(i)).path(), new DataOutputStream(found));
        out.writeInt(own.get(i));
        out.writeInt(found.size());
        found.writeTo(out);
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
