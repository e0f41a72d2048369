package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The flow by which hosts delete the folders that they have made for a sort which has failed.
/// [HostSortJob] starts it. Programs do not start it themselves.
public final class HostTidyProgram implements FlowProgram {
  private static final String RESULT = "tidied";

  /// Makes the program, as each process of a run does.
  public HostTidyProgram() {}

  /// The facts that all processes have to know alike.
  ///
  /// @param share whose hosts these are
  /// @param folder to delete where it is empty
  /// @param processes that delete it
  record Plan(HostShare share, Path folder, List<Integer> processes) {
    Plan {
      processes = List.copyOf(processes);
    }

    String text() {
      return PlanText.of(
          out -> {
            share.write(out);
            out.writeUTF(folder.toString());
            out.writeInt(processes.size());
            for (int process : processes) {
              out.writeInt(process);
            }
          });
    }

    static Plan read(String text) throws IOException {
      return PlanText.read(
          text,
          in -> {
            HostShare share = HostShare.read(in);
            Path folder = Path.of(in.readUTF());
            List<Integer> processes = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
              processes.add(in.readInt());
            }
            return new Plan(share, folder, processes);
          });
    }
  }

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Plan plan = Plan.read(PlanText.told(arguments));
    return Flow.named("tidy")
        .source(
            "tidy",
            () ->
                HostTask.told(
                    RESULT,
                    plan.share(),
                    (process, out) -> {
                      if (plan.processes().contains(process)) {
                        HostFolder.delete(plan.folder());
                      }
                    }),
            arguments.processes())
        .build();
  }

  @Override
  public Placement place(FlowGraph graph, Arguments arguments) {
    return Placement.spread(graph, arguments.processes());
  }
}
