package dev.tigris.sort;

import dev.tigris.flow.Module;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The part that one process has in a sort of lines on several hosts.
final class HostLines extends HostPart<HostLineRun> {
  private final Plan plan;

  HostLines(Plan plan) {
    super(plan.work());
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
      byte @Nullable [] header,
      HostWork work)
      implements HostPlan<LineSortJob.Result> {
    @Override
    public void write(DataOutputStream out) throws IOException {
      order.write(out);
      HostSurvey.writeLine(out, header);
      plan.write(out);
      splitters.write(out);
      work.write(out);
    }

    static Plan read(DataInputStream in) throws IOException {
      LineOrder order = LineOrder.read(in);
      byte @Nullable [] header = HostSurvey.readLine(in);
      LineOrder rows = order.isCsv() ? order.withHeaderOf(header) : order;
      LinePlan plan = LinePlan.read(in);
      LineSplitters splitters = LineSplitters.read(in, rows);
      return new Plan(rows, plan, splitters, header, HostWork.read(in));
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

    @Override
    public LineSortJob.Result result(
        Map<String, Long> told,
        List<SortJob.ProcessResult> processes,
        long startedNanos,
        Sampled sampled) {
      return new LineSortJob.Result(
          told.getOrDefault(LineToldRun.LINES, 0L),
          told.getOrDefault(LineToldRun.KEPT, 0L),
          work.bytes(),
          writtenBytes(told),
          SortProcesses.spilledBytes(processes),
          SortProcesses.peakBytes(processes),
          Duration.ofNanos(System.nanoTime() - startedNanos),
          processes);
    }
  }

  @Override
  HostLineRun run(int process) throws SortException, InterruptedException {
    List<SharedInput> own = plan.work().inputs(process);
    LineInputs inputs = opened(new LineInputs(own, plan.order(), plan.header()));
    int chunkBytes = plan.plan().chunkBytes();
    inputs.cut(chunkBytes, plan.plan().processors());
    inputs.number(plan.work().before(process, input -> Math.ceilDiv(input.bytes(), chunkBytes)));
    return new HostLineRun(plan, inputs, temporary(), process);
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
