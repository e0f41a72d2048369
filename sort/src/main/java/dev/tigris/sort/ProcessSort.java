package dev.tigris.sort;

import dev.tigris.flow.Module;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort of records on several.
final class ProcessSort extends ProcessPart<ProcessRun> {
  private final SharedSort sort;

  ProcessSort(SharedSort sort, int processes) {
    super(processes);
    this.sort = sort;
  }

  @Override
  ProcessRun open(int process) throws SortException {
    InputFiles inputs =
        opened(
            new InputFiles(
                sort.inputs().size(),
                sort.order().format(),
                number -> sort.inputs().get(number).open(sort.order().recordSize())));
    inputs.cut(sort.plan().readBytes());
    @Nullable OutputFile output =
        sort.isPartitioned()
            ? null
            : opened(new OutputFile(sort.folder().resolve(TemporaryFolder.OUTPUT)));
    return new ProcessRun(sort, inputs, inputs.records(), output, processes(), process);
  }

  @Override
  PartSource source(ProcessRun run) {
    return new PartitionSource(run);
  }

  @Override
  Module sort(ProcessRun run) {
    return new SortModule(run);
  }
}
