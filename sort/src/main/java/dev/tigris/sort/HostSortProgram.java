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
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The flow of a sort on several hosts (Welsh and Culler, 2000, section 5), which [HostSortJob]
/// starts. Programs do not start it themselves. Partitioners read what lies on their own host, and
/// sorters write parts there.
///
/// ```
///   host      file -> partition ---- routed ----> sort -> part
///   host      file -> partition ---- routed ----> sort -> part
///                         |                         |
///                         +------> compare <--------+    checksums
/// ```
public final class HostSortProgram implements FlowProgram {
  /// The modules of this process share its files.
  private @Nullable HostSort here;

  /// Makes the program, as each process of a run does.
  public HostSortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    HostSort.Plan plan = HostSort.Plan.read(PlanText.told(arguments));
    here = new HostSort(plan);
    int processes = plan.share().hosts().size();
    List<StreamKind> parts =
        plan.parts().stream().map(part -> FileStream.writing(part.path())).toList();
    Flow flow =
        Flow.named("sort")
            .source("partition", this::partitioner, plan.plan().partitioners() * processes)
            .reservoir(Reservoir.routed().withWindow(plan.plan().window()))
            .stage("sort", this::sorter, plan.sorters())
            .reservoir(Reservoir.routed())
            .stage(HostRun.COMPARE, () -> new ToldModule(context -> new SumCompare(), () -> {}))
            .connect("partition", HostRun.COMPARE, Reservoir.routed())
            .drain("sort", parts.toArray(StreamKind[]::new))
            .build();
    here.isPlaced(Placement.spread(flow.graph(), processes));
    return flow;
  }

  /// Deals all to processes in turn: the plan says where each part will be by that.
  @Override
  public Placement place(FlowGraph graph, Arguments arguments) {
    return Placement.spread(graph, arguments.processes());
  }

  private HostSort here() {
    return Objects.requireNonNull(here, "describe comes first");
  }

  private Source partitioner() {
    return here().reader();
  }

  private Module sorter() {
    return here().sorter();
  }
}
