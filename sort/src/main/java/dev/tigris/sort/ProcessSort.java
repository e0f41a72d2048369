package dev.tigris.sort;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.MemoryBudgetException;
import java.nio.file.Path;
import java.util.function.Function;
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
    return new Told(known -> new Partitioner(known));
  }

  /// Makes a sorter.
  Module sorter() {
    return new Told(SortModule::new);
  }

  private synchronized ProcessRun begin(ModuleContext first) throws SortException {
    modules++;
    ProcessRun known = run;
    if (known != null) {
      return known;
    }
    SortPlan plan = sort.plan();
    InputFiles opened = new InputFiles(sort.inputs().size(), sort.order().format(), this::open);
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

  /// Opens an input, which has to be the one that the sort began with.
  private InputFile open(int number) throws SortException {
    SharedSort.Input input = sort.inputs().get(number);
    InputFile file = new InputFile(Path.of(input.path()), input.name(), sort.order().recordSize());
    if (file.state().equals(input.state())) {
      return file;
    }
    try (file) {
      throw file.changed();
    }
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

  /// A module whose failures keep their kind on the way to the process that has started the sort.
  private final class Told implements Module {
    private final Function<ProcessRun, Module> maker;
    private @Nullable Module module;

    Told(Function<ProcessRun, Module> maker) {
      this.maker = maker;
    }

    private interface Step {
      void make() throws Exception;
    }

    private void make(Step step) throws Exception {
      try {
        step.make();
      } catch (SortException e) {
        throw new ToldException(e.kind(), e);
      } catch (MemoryBudgetException e) {
        throw new ToldException(SortException.Kind.MEMORY, SortException.noMemory(e));
      }
    }

    private Module module() {
      Module made = module;
      if (made == null) {
        throw new IllegalStateException("init comes first");
      }
      return made;
    }

    @Override
    public void init(ModuleContext context) throws Exception {
      make(
          () -> {
            Module made = maker.apply(begin(context));
            module = made;
            made.init(context);
          });
    }

    @Override
    public void process(Water in, Stream out) throws Exception {
      make(() -> module().process(in, out));
    }

    @Override
    public void finish(Stream out) throws Exception {
      make(() -> module().finish(out));
    }

    @Override
    public void destroy() throws Exception {
      make(
          () -> {
            try {
              if (module != null) {
                module.destroy();
              }
            } finally {
              end();
            }
          });
    }
  }
}
