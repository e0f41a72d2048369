package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort of lines on several, as [ProcessSort] in one of records:
/// its files, which the first of its modules opens and the last one closes, and the modules.
///
/// Thread rule: any thread.
final class LineProcess {
  private final SharedLines shared;
  private final int processes;
  private Placement placement = replica -> 0;
  private int modules;
  private @Nullable LineInputs inputs;
  private @Nullable OutputFile output;
  private @Nullable LineProcessRun run;

  LineProcess(SharedLines shared, int processes) {
    this.shared = shared;
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
    return new ToldModule(context -> new LineModule(begin(context)), this::end);
  }

  private synchronized LineProcessRun begin(ModuleContext first) throws SortException {
    modules++;
    LineProcessRun known = run;
    if (known != null) {
      return known;
    }
    LineInputs opened = new LineInputs(shared);
    inputs = opened;
    OutputFile file = new OutputFile(shared.output());
    output = file;
    int process = placement.process(new Operation.End(first.stage(), first.replica()));
    LineProcessRun made = new LineProcessRun(shared, opened, file, processes, process);
    run = made;
    return made;
  }

  private synchronized void end() throws SortException {
    modules--;
    if (modules > 0) {
      return;
    }
    run = null;
    LineInputs files = inputs;
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
    private final LineRun run;
    private final LineSource source;

    Partitioner(LineRun run) {
      this.run = run;
      this.source = new LineSource(run);
    }

    @Override
    public void init(ModuleContext context) {
      source.init(context);
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      long from = in.bytes().getLong(SortProgram.Dealer.FROM);
      long to = in.bytes().getLong(SortProgram.Dealer.TO);
      for (long part = from; part < to; part++) {
        source.take(run.inputs().part(part));
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
