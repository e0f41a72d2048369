package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The flow of a sort on several processes (Welsh and Culler, 2000, section 5). A dealer gives the
/// parts of the input to partitioners in all processes, and a slow process gets fewer. Partitioners
/// and sorters are those of a sort in one process.
///
/// ```
///             least outstanding              routed
///   deal ------------------------> partition -------> sort
///   one                            in each            in each
/// ```
abstract class DealtProgram implements FlowProgram {
  /// A partitioner has one part, and the next one.
  private static final int TASKS_AHEAD = 2;

  /// So much of the input is dealt at a time: less than a millisecond's work.
  private static final long TASK_BYTES = 1 << 20;

  /// The modules of this process share its files, as they have to.
  private @Nullable ProcessPart<?> here;

  /// Returns the flow.
  ///
  /// @param part of this process
  /// @param parts how many parts the input has
  /// @param partBytes the size of one
  /// @param partitioners in each process
  /// @param sorters in each process
  /// @param window of the waters to the sorters
  final Flow flow(
      String name,
      ProcessPart<?> part,
      long parts,
      int partBytes,
      int partitioners,
      int sorters,
      int window) {
    here = part;
    int processes = part.processes();
    long atATime = Math.max(1, TASK_BYTES / partBytes);
    Flow flow =
        Flow.named(name)
            .source("deal", () -> new Dealer(parts, atATime))
            .reservoir(Reservoir.leastOutstanding().withWindow(TASKS_AHEAD))
            .stage("partition", this::partitioner, partitioners * processes)
            .reservoir(Reservoir.routed().withWindow(window))
            .stage("sort", this::sorter, sorters * processes)
            .build();
    part.isPlaced(Placement.spread(flow.graph(), processes));
    return flow;
  }

  private ProcessPart<?> here() {
    return Objects.requireNonNull(here, "describe comes first");
  }

  private Module partitioner() {
    return here().partitioner();
  }

  private Module sorter() {
    return here().sorter();
  }

  /// Deals the parts of the input, as ranges.
  static final class Dealer implements Source {
    static final int FROM = 0;
    static final int TO = Long.BYTES;
    private static final int BYTES = 2 * Long.BYTES;

    private final long parts;
    private final long atATime;
    private long next;

    Dealer(long parts, long atATime) {
      this.parts = parts;
      this.atATime = atATime;
    }

    @Override
    public boolean produce(Stream out) {
      if (next == parts) {
        return false;
      }
      long to = Math.min(parts, next + atATime);
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
