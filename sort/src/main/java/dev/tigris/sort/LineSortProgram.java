package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The flow of a sort of lines on several processes, which [LineSortJob#on] starts (Welsh and
/// Culler, 2000, section 5). Programs do not start it themselves.
///
/// A dealer gives the parts of the input to partitioners in all processes, and a slow process gets
/// fewer. Behind its lines, each partitioner tells each sorter how many bytes come before.
///
/// ```
///             least outstanding              routed
///   deal ------------------------> partition -------> sort
///   one                            in each            in each
/// ```
public final class LineSortProgram implements FlowProgram {
  /// The modules of this process share its files, as they have to.
  private @Nullable LineProcess here;

  /// Makes the program, as each process of a run does.
  public LineSortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Path file = Path.of(arguments.word(1));
    SharedLines shared = SharedLines.read(arguments.fact("plan", () -> Files.readString(file)));
    LinePlan plan = shared.plan();
    int processes = arguments.processes();
    long partsAtATime = Math.max(1, SortProgram.TASK_BYTES / plan.chunkBytes());
    here = new LineProcess(shared, processes);
    Flow flow =
        Flow.named("sort lines")
            .source("deal", () -> new SortProgram.Dealer(shared.parts(), partsAtATime))
            .reservoir(Reservoir.leastOutstanding().withWindow(SortProgram.TASKS_AHEAD))
            .stage("partition", this::partitioner, plan.processors() * processes)
            .reservoir(Reservoir.routed().withWindow(plan.window()))
            .stage("sort", this::sorter, plan.processors() * processes)
            .build();
    here().isPlaced(Placement.spread(flow.graph(), processes));
    return flow;
  }

  private LineProcess here() {
    return Objects.requireNonNull(here, "describe comes first");
  }

  private Module partitioner() {
    return here().partitioner();
  }

  private Module sorter() {
    return here().sorter();
  }
}
