package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The flow of a sort on several processes, which [SortJob#on] starts (Welsh and Culler, 2000,
/// section 5). Programs do not start it themselves.
///
/// A dealer gives the parts of the input to partitioners in all processes, and a slow process gets
/// fewer. Partitioners and sorters are those of a sort in one process.
///
/// ```
///             least outstanding              routed
///   deal ------------------------> partition -------> sort
///   one                            in each            in each
/// ```
public final class SortProgram implements FlowProgram {
  private static final String DEAL = "deal";

  /// A partitioner has one part, and the next one.
  static final int TASKS_AHEAD = 2;

  /// So much of the input is dealt at a time: less than a millisecond's work.
  static final long TASK_BYTES = 1 << 20;

  /// The modules of this process share its files, as they have to.
  private @Nullable ProcessSort here;

  /// Makes the program, as each process of a run does.
  public SortProgram() {}

  /// Describes the flow.
  ///
  /// @param arguments the output, for people, and the file with the sort's plan
  /// @throws IOException if there is no plan
  @Override
  public Flow describe(Arguments arguments) throws IOException {
    Path file = Path.of(arguments.word(1));
    SharedSort sort = SharedSort.read(arguments.fact("plan", () -> Files.readString(file)));
    SortPlan plan = sort.plan();
    int processes = arguments.processes();
    here = new ProcessSort(sort, processes);
    long chunksAtATime = Math.max(1, TASK_BYTES / plan.readBytes());
    Flow flow =
        Flow.named("sort")
            .source(DEAL, () -> new Dealer(sort.chunks(), chunksAtATime))
            .reservoir(Reservoir.leastOutstanding().withWindow(TASKS_AHEAD))
            .stage("partition", this::partitioner, plan.partitioners() * processes)
            .reservoir(Reservoir.routed().withWindow(plan.window()))
            .stage("sort", this::sorter, plan.sorters() * processes)
            .build();
    FlowGraph graph = flow.graph();
    here().isPlaced(Placement.spread(graph, processes));
    return flow;
  }

  private ProcessSort here() {
    return Objects.requireNonNull(here, "describe comes first");
  }

  private Module partitioner() {
    return here().partitioner();
  }

  private Module sorter() {
    return here().sorter();
  }

  /// Deals the parts of the input, as ranges of chunks.
  static final class Dealer implements Source {
    static final int FROM = 0;
    static final int TO = Long.BYTES;
    private static final int BYTES = 2 * Long.BYTES;

    private final long chunks;
    private final long atATime;
    private long next;

    Dealer(long chunks, long atATime) {
      this.chunks = chunks;
      this.atATime = atATime;
    }

    @Override
    public boolean produce(Stream out) {
      if (next == chunks) {
        return false;
      }
      long to = Math.min(chunks, next + atATime);
      Water water = out.spring().createWater(BYTES);
      Bytes bytes = water.bytes();
      bytes.setLong(FROM, next);
      bytes.setLong(TO, to);
      water.setSize(BYTES);
      out.put(water);
      next = to;
      return true;
    }
  }
}
