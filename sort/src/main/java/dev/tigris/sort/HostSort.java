package dev.tigris.sort;

import dev.tigris.flow.Module;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The part that one process has in a sort of records on several hosts.
final class HostSort extends HostPart<HostRun> {
  private final Plan plan;

  HostSort(Plan plan) {
    super(plan.work());
    this.plan = plan;
  }

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the records
  /// @param plan of each process
  /// @param splitters between the buckets
  record Plan(RecordOrder order, SortPlan plan, Splitters splitters, HostWork work)
      implements HostPlan<SortJob.Result> {
    @Override
    public void write(DataOutputStream out) throws IOException {
      SharedSort.writeOrder(out, order);
      plan.write(out);
      splitters.write(out);
      work.write(out);
    }

    static Plan read(DataInputStream in) throws IOException {
      RecordOrder order = SharedSort.readOrder(in);
      SortPlan plan = SortPlan.read(in);
      return new Plan(order, plan, Splitters.read(in), HostWork.read(in));
    }

    @Override
    public int partitioners() {
      return plan.partitioners();
    }

    @Override
    public int sortersOfEach() {
      return plan.sorters();
    }

    @Override
    public int window() {
      return plan.window();
    }

    @Override
    public ProcessPart<?> part() {
      return new HostSort(this);
    }

    @Override
    public SumCompare compare() {
      return new SumCompare(!order.isUnique(), SumCompare.RECORDS);
    }

    private long records() {
      return work.bytes() / order.recordSize();
    }

    @Override
    public SortJob.Result result(
        Map<String, Long> told,
        List<SortJob.ProcessResult> processes,
        long startedNanos,
        Sampled sampled) {
      long sorted = processes.stream().mapToLong(SortJob.ProcessResult::sortedBytes).sum();
      if (sorted != work.bytes()) {
        throw new IllegalStateException(
            "of %d bytes, %d were sorted".formatted(work.bytes(), sorted));
      }
      long ended = System.nanoTime();
      long from = sampled.nanos();
      // The clocks of hosts differ a little.
      long micros =
          told.getOrDefault(ProcessRun.PARTITIONED_MICROS, sampled.micros()) - sampled.micros();
      long partitioned = Math.clamp(from + TimeUnit.MICROSECONDS.toNanos(micros), from, ended);
      long spilled = SortProcesses.spilledBytes(processes);
      return new SortJob.Result(
          records(),
          writtenBytes(told) / order.recordSize(),
          work.bytes(),
          ClusterSort.checksum(told, ProcessRun.READ),
          sorters(),
          spilled > 0 ? 2 : 1,
          spilled,
          SortProcesses.peakBytes(processes),
          Duration.ofNanos(ended - startedNanos),
          Duration.ofNanos(from - startedNanos),
          Duration.ofNanos(partitioned - from),
          Duration.ofNanos(ended - partitioned),
          Duration.ZERO,
          processes);
    }
  }

  @Override
  HostRun run(int process) throws SortException {
    List<SharedInput> own = plan.work().inputs(process);
    RecordOrder order = plan.order();
    InputFiles inputs =
        opened(
            new InputFiles(
                own.size(), order.format(), number -> own.get(number).open(order.recordSize())));
    inputs.cut(plan.plan().readBytes());
    inputs.number(plan.work().before(process, input -> input.bytes() / order.recordSize()));
    SharedSort sort =
        new SharedSort(
            order, plan.plan(), own, inputs.chunks(), plan.splitters(), temporary(), true, true);
    return new HostRun(sort, inputs, plan.records(), plan, process);
  }

  @Override
  PartSource source(HostRun run) {
    return new PartitionSource(run);
  }

  @Override
  Module sort(HostRun run) {
    return new SortModule(run);
  }
}
