package dev.tigris.sort;

import dev.tigris.flow.Module;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The part that one process has in a sort on several hosts: it reads inputs of its own host, and
/// its sorters write parts there.
final class HostSort extends ProcessPart<HostRun> {
  private final Plan plan;

  HostSort(Plan plan) {
    super(plan.share().hosts().size());
    this.plan = plan;
  }

  /// The facts that all processes have to know alike.
  ///
  /// @param order of the records
  /// @param plan of each process
  /// @param splitters between the buckets
  record Plan(
      RecordOrder order,
      SortPlan plan,
      Splitters splitters,
      HostShare share,
      List<HostSurvey.Input> inputs,
      Path folder)
      implements HostPlan<SortJob.Result> {
    Plan {
      inputs = List.copyOf(inputs);
    }

    @Override
    public void write(DataOutputStream out) throws IOException {
      SharedSort.writeOrder(out, order);
      plan.write(out);
      splitters.write(out);
      share.write(out);
      HostSurvey.Input.write(out, inputs);
      out.writeUTF(folder.toString());
    }

    static Plan read(DataInputStream in) throws IOException {
      RecordOrder order = SharedSort.readOrder(in);
      SortPlan plan = SortPlan.read(in);
      Splitters splitters = Splitters.read(in);
      HostShare share = HostShare.read(in);
      List<HostSurvey.Input> inputs = HostSurvey.Input.read(in, share.files().size());
      return new Plan(order, plan, splitters, share, inputs, Path.of(in.readUTF()));
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
      return bytes() / order.recordSize();
    }

    /// Returns how many records the inputs before one have.
    private long before(int input) {
      return inputs.stream().limit(input).mapToLong(HostSurvey.Input::bytes).sum()
          / order.recordSize();
    }

    @Override
    public SortJob.Result result(
        Map<String, Long> told,
        List<SortJob.ProcessResult> processes,
        long startedNanos,
        Sampled sampled) {
      long sorted = processes.stream().mapToLong(SortJob.ProcessResult::sortedBytes).sum();
      if (sorted != bytes()) {
        throw new IllegalStateException("of %d bytes, %d were sorted".formatted(bytes(), sorted));
      }
      long ended = System.nanoTime();
      long from = sampled.nanos();
      // The clocks of hosts differ a little.
      long micros =
          told.getOrDefault(ProcessRun.PARTITIONED_MICROS, sampled.micros()) - sampled.micros();
      long partitioned = Math.clamp(from + TimeUnit.MICROSECONDS.toNanos(micros), from, ended);
      long spilled = processes.stream().mapToLong(SortJob.ProcessResult::spilledBytes).sum();
      return new SortJob.Result(
          records(),
          writtenBytes(told) / order.recordSize(),
          bytes(),
          ClusterSort.checksum(told, ProcessRun.READ),
          sorters(),
          spilled > 0 ? 2 : 1,
          spilled,
          processes.stream().mapToLong(SortJob.ProcessResult::peakMemoryBytes).max().orElse(0),
          Duration.ofNanos(ended - startedNanos),
          Duration.ofNanos(from - startedNanos),
          Duration.ofNanos(partitioned - from),
          Duration.ofNanos(ended - partitioned),
          Duration.ZERO,
          processes);
    }
  }

  @Override
  HostRun open(int process) throws SortException {
    try {
      return run(process);
    } catch (SortException e) {
      throw HostTask.on(plan.share().hosts().get(process), e);
    }
  }

  private HostRun run(int process) throws SortException {
    List<SharedInput> own = plan.inputs(process);
    RecordOrder order = plan.order();
    InputFiles inputs =
        opened(
            new InputFiles(
                own.size(), order.format(), number -> own.get(number).open(order.recordSize())));
    inputs.cut(plan.plan().readBytes());
    inputs.number(plan.share().at(process).stream().mapToLong(plan::before).toArray());
    TemporaryFolder folder = new TemporaryFolder(HostFolder.own(plan.folder()));
    opened(folder::close);
    SharedSort sort =
        new SharedSort(
            order, plan.plan(), own, inputs.chunks(), plan.splitters(), folder.path(), true, true);
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
