package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort on several: its files, which the first of its modules
/// opens and the last one closes, and the modules themselves.
///
/// Thread rule: any thread.
final class ProcessSort {
  private final SharedSort sort;
  private final int processes;
  private Placement placement = replica -> 0;
  private int modules;
  private @Nullable InputFiles inputs;
  private @Nullable OutputFile output;
  private @Nullable ProcessRun run;

  ProcessSort(SharedSort sort, int processes) {
    this.sort = sort;
    this.processes = processes;
  }

  /// Hears where the modules run.
  void isPlaced(Placement places) {
    placement = places;
  }

  /// Makes a partitioner.
  Module partitioner() {
    return new ToldModule(context -> new Partitioner(begin(context)), this::end);
  }

  /// Makes a sorter.
  Module sorter() {
    return new ToldModule(context -> new SortModule(begin(context)), this::end);
  }

  private synchronized ProcessRun begin(ModuleContext first) throws SortException {
    modules++;
    ProcessRun known = run;
    if (known != null) {
      return known;
    }
    SortPlan plan = sort.plan();
    InputFiles opened =
        new InputFiles(
            sort.inputs().size(),
            sort.order().format(),
            number -> sort.inputs().get(number).open(sort.order().recordSize()));
    inputs = opened;
    opened.cut(plan.readBytes());
    if (!sort.isPartitioned()) {
      output = new OutputFile(sort.folder().resolve(TemporaryFolder.OUTPUT));
    }
    int process = placement.process(new Operation.End(first.stage(), first.replica()));
    ProcessRun made = new ProcessRun(sort, opened, output, processes, process);
    run = made;
    return made;
  }

  private synchronized void end() throws SortException {
    modules--;
    if (modules > 0) {
      return;
    }
    run = null;
    InputFiles files = inputs;
    OutputFile file = output;
    inputs = null;
    output = null;
    try {
      if (files != null) {
        files.close();
      }
    } finally {
      if (file != null) {
        file.close();
      }
    }
  }

  /// Partitions what it is dealt.
  private static final class Partitioner implements Module {
    private final SortRun run;
    private final PartitionSource source;

    Partitioner(SortRun run) {
      this.run = run;
      this.source = new PartitionSource(run);
    }

    @Override
    public void init(ModuleContext context) {
      source.init(context);
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      long from = in.bytes().getLong(SortProgram.Dealer.FROM);
      long to = in.bytes().getLong(SortProgram.Dealer.TO);
      for (long chunk = from; chunk < to; chunk++) {
        source.take(run.inputs().chunk(chunk));
      }
    }

    @Override
    public void finish(Stream out) throws Exception {
      source.finish(out);
    }

    @Override
    public void destroy() {
      source.destroy();
    }
  }
}
