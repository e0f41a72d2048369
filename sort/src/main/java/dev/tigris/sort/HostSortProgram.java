package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.StreamKind;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The flow of a sort on several hosts, which [HostSortJob] starts (Welsh and Culler, 2000,
/// section 5). Partitioners read what lies on their own host, and sorters write parts there.
/// Programs do not start it themselves.
///
/// ```
///   host      file -> partition ---- routed ----> sort -> part
///   host      file -> partition ---- routed ----> sort -> part
///                         |                         |
///                         +------> compare <--------+    checksums
/// ```
public final class HostSortProgram implements FlowProgram {
  /// The modules of this process share its files.
  private @Nullable ProcessPart<?> here;

  /// Makes the program, as each process of a run does.
  public HostSortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    HostPlan<?> plan = HostPlan.read(PlanText.told(arguments));
    ProcessPart<?> part = plan.part();
    here = part;
    int processes = part.processes();
    StreamKind[] files =
        plan.parts().stream()
            .map(each -> FileStream.writing(each.path()))
            .toArray(StreamKind[]::new);
    Flow flow =
        Flow.named("sort")
            .source("partition", this::partitioner, plan.partitioners() * processes)
            .reservoir(Reservoir.routed().withWindow(plan.window()))
            .stage("sort", this::sorter, plan.sorters())
            .reservoir(Reservoir.routed())
            .stage(HostRun.COMPARE, () -> new ToldModule(context -> plan.compare(), () -> {}))
            .connect("partition", HostRun.COMPARE, Reservoir.routed())
            .drain("sort", files)
            .build();
    part.isPlaced(Placement.spread(flow.graph(), processes));
    return flow;
  }

  /// Deals all to processes in turn: the plan says where each part will be by that.
  @Override
  public Placement place(FlowGraph graph, Arguments arguments) {
    return Placement.spread(graph, arguments.processes());
  }

  private ProcessPart<?> here() {
    return Objects.requireNonNull(here, "describe comes first");
  }

  private Source partitioner() {
    return here().reader();
  }

  private Module sorter() {
    return here().sorter();
  }
}
