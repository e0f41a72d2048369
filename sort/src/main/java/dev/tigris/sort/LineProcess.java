package dev.tigris.sort;

import dev.tigris.flow.Module;

/// The part that one process has in a sort of lines on several.
final class LineProcess extends ProcessPart<LineProcessRun> {
  private final SharedLines shared;

  LineProcess(SharedLines shared, int processes) {
    super(processes);
    this.shared = shared;
  }

  @Override
  LineProcessRun open(int process) throws SortException {
    LineInputs inputs = opened(new LineInputs(shared));
    OutputFile output = opened(new OutputFile(shared.output()));
    return new LineProcessRun(shared, inputs, output, processes(), process);
  }

  @Override
  PartSource source(LineProcessRun run) {
    return new LineSource(run);
  }

  @Override
  Module sort(LineProcessRun run) {
    return new LineModule(run);
  }
}
