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
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The flow of a sort on several hosts (Welsh and Culler, 2000, section 5). Partitioners read what
/// lies on their own host, and sorters write parts there.
///
/// ```
///   host      file -> partition ---- routed ----> sort -> part
///   host      file -> partition ---- routed ----> sort -> part
///                         |                         |
///                         +------> compare <--------+    checksums
/// ```
abstract class HostPartsProgram implements FlowProgram {
  /// The modules of this process share its files.
  private @Nullable ProcessPart<?> here;

  /// Returns the flow.
  ///
  /// @param part of this process
  /// @param parts that the sorters write
  /// @param partitioners in each process
  /// @param sorters in each process
  /// @param window of the waters to the sorters
  /// @param compare makes the module that compares checksums
  final Flow flow(
      String name,
      ProcessPart<?> part,
      List<HostFile> parts,
      int partitioners,
      int sorters,
      int window,
      Supplier<SumCompare> compare) {
    here = part;
    int processes = part.processes();
    List<StreamKind> files = parts.stream().map(each -> FileStream.writing(each.path())).toList();
    Flow flow =
        Flow.named(name)
            .source("partition", this::partitioner, partitioners * processes)
            .reservoir(Reservoir.routed().withWindow(window))
            .stage("sort", this::sorter, sorters * processes)
            .reservoir(Reservoir.routed())
            .stage(HostRun.COMPARE, () -> new ToldModule(context -> compare.get(), () -> {}))
            .connect("partition", HostRun.COMPARE, Reservoir.routed())
            .drain("sort", files.toArray(StreamKind[]::new))
            .build();
    part.isPlaced(Placement.spread(flow.graph(), processes));
    return flow;
  }

  /// Deals all to processes in turn: the plan says where each part will be by that.
  @Override
  public final Placement place(FlowGraph graph, Arguments arguments) {
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
