package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The state that the modules of a sort share in one process of a host. It also tells the stage
/// that compares checksums what was read and written.
final class HostRun extends ProcessRun {
  /// The names of the outputs of the stages.
  static final String COMPARE = "compare";

  static final String DRAIN = "drain";

  private final List<HostFile> parts;
  private final int neighbours;
  private final AtomicLong next;

  /// @param records of the inputs of all hosts
  /// @param plan of the hosts
  /// @param process which one this is
  HostRun(SharedSort sort, InputFiles inputs, long records, HostSort.Plan plan, int process)
      throws SortException {
    super(sort, inputs, records, null, plan.work().processes(), process);
    this.parts = plan.parts();
    this.neighbours = plan.work().share().neighbours(process);
    this.next = new AtomicLong(plan.work().share().place(process));
  }

  /// Of the inputs on its host, processes take chunks in turn.
  @Override
  InputFiles.@Nullable Chunk nextChunk() {
    long chunk = next.getAndAdd(neighbours);
    return chunk < inputs().chunks() ? inputs().chunk(chunk) : null;
  }

  @Override
  OutputPart part(ModuleContext sorter) {
    return new StreamPart(sorter.output(DRAIN), parts.get(sorter.replica()));
  }

  @Override
  synchronized void wasRead(ModuleContext from, UInt128 sum) throws SortException {
    super.wasRead(from, sum);
    SumCompare.tell(from.route(COMPARE, 0), true, sum);
  }

  @Override
  synchronized void wasWritten(ModuleContext from, long start, long bytes, UInt128 sum) {
    super.wasWritten(from, start, bytes, sum);
    SumCompare.tell(from.route(COMPARE, 0), false, sum);
  }
}
