package dev.tigris.sort;

import dev.tigris.flow.Module;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort of lines on several hosts: it reads inputs of its own
/// host, and its sorters write parts there.
final class HostLines extends ProcessPart<HostLineRun> {
  private final Plan plan;

  HostLines(Plan plan) {
    super(plan.share().hosts().size());
    this.plan = plan;
  }

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the lines
  /// @param plan of each process
  /// @param splitters between the buckets
  /// @param header the first row, without its end; null without one
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Plan(
      LineOrder order,
      LinePlan plan,
      LineSplitters splitters,
      HostShare share,
      List<HostSurvey.Input> inputs,
      byte @Nullable [] header,
      Path folder)
      implements HostPlan<LineSortJob.Result> {
    Plan {
      inputs = List.copyOf(inputs);
    }

    @Override
    public void write(DataOutputStream out) throws IOException {
      order.write(out);
      HostSurvey.writeLine(out, header);
      plan.write(out);
      splitters.write(out);
      share.write(out);
      HostSurvey.Input.write(out, inputs);
      out.writeUTF(folder.toString());
    }

    static Plan read(DataInputStream in) throws IOException {
      LineOrder order = LineOrder.read(in);
      byte @Nullable [] header = HostSurvey.readLine(in);
      LineOrder rows = order.isCsv() ? order.withHeaderOf(header) : order;
      LinePlan plan = LinePlan.read(in);
      LineSplitters splitters = LineSplitters.read(in, rows);
      HostShare share = HostShare.read(in);
      List<HostSurvey.Input> inputs = HostSurvey.Input.read(in, share.files().size());
      return new Plan(rows, plan, splitters, share, inputs, header, Path.of(in.readUTF()));
    }

    @Override
    public int partitioners() {
      return plan.processors();
    }

    @Override
    public int sortersOfEach() {
      return plan.processors();
    }

    @Override
    public int window() {
      return plan.window();
    }

    @Override
    public ProcessPart<?> part() {
      return new HostLines(this);
    }

    @Override
    public SumCompare compare() {
      return new SumCompare(!order.isUnique(), SumCompare.LINES);
    }

    /// Returns how many parts the inputs before one are cut into.
    private long before(int input) {
      return inputs.stream()
          .limit(input)
          .mapToLong(each -> Math.ceilDiv(each.bytes(), plan.chunkBytes()))
          .sum();
    }

    @Override
    public LineSortJob.Result result(
        Map<String, Long> told,
        List<SortJob.ProcessResult> processes,
        long startedNanos,
        Sampled sampled) {
      return new LineSortJob.Result(
          told.getOrDefault(LineToldRun.LINES, 0L),
          told.getOrDefault(LineToldRun.KEPT, 0L),
          bytes(),
          writtenBytes(told),
          processes.stream().mapToLong(SortJob.ProcessResult::spilledBytes).sum(),
          processes.stream().mapToLong(SortJob.ProcessResult::peakMemoryBytes).max().orElse(0),
          Duration.ofNanos(System.nanoTime() - startedNanos),
          processes);
    }
  }

  @Override
  HostLineRun open(int process) throws SortException, InterruptedException {
    try {
      return run(process);
    } catch (SortException e) {
      throw HostTask.on(plan.share().hosts().get(process), e);
    }
  }

  private HostLineRun run(int process) throws SortException, InterruptedException {
    LineInputs inputs = opened(new LineInputs(plan.inputs(process), plan.order(), plan.header()));
    inputs.cut(plan.plan().chunkBytes(), plan.plan().processors());
    inputs.number(plan.share().at(process).stream().mapToLong(plan::before).toArray());
    TemporaryFolder folder = new TemporaryFolder(HostFolder.own(plan.folder()));
    opened(folder::close);
    return new HostLineRun(plan, inputs, folder.path(), process);
  }

  @Override
  PartSource source(HostLineRun run) {
    return new LineSource(run);
  }

  @Override
  Module sort(HostLineRun run) {
    return new LineModule(run);
  }
}
