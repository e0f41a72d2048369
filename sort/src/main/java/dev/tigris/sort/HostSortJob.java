package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.os.CheckReturnValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Sorts records that lie on several hosts into parts on these hosts (Welsh and Culler, 2000,
/// section 5). The processes of each host read the inputs there, in shares. The sorters of all
/// processes get a range of the keys each, and write a file `part-0000`, `part-0001`, ... in a
/// folder of their own host. In this order the parts are sorted.
///
/// ```java
/// Cluster cluster = Cluster.hosts(Path.of("hosts"), Path.of("coordinator.key"));
/// List<HostFile> inputs =
///     List.of(
///         HostFile.parse("h1.example:/data/a", cluster.hosts()),
///         HostFile.parse("h2.example:/data/b", cluster.hosts()));
/// HostSortJob.Result result = HostSortJob.of(cluster, inputs, Path.of("/data/sorted")).run();
/// ```
///
/// All parts get their names together, when all are on the disks and the checksum over them is that
/// of the inputs. If the sort fails, none does. The folder is made where it is missing, and deleted
/// again if the sort fails, but on a host that was lost.
///
/// A job is immutable: each method that names an option returns a changed copy.
public final class HostSortJob {
  /// The result of a sort.
  ///
  /// @param sort what was done, in all processes
  /// @param parts the files, in the order of their keys; some may be empty
  public record Result(SortJob.Result sort, List<HostFile> parts) {
    /// Copies the list.
    public Result {
      parts = List.copyOf(parts);
    }
  }

  private final Cluster cluster;
  private final HostShare share;
  private final Path folder;
  private final RecordOrder order;
  private final long memoryBytes;
  private final int parallel;
  private final Progress progress;

  private HostSortJob(
      Cluster cluster,
      HostShare share,
      Path folder,
      RecordOrder order,
      long memoryBytes,
      int parallel,
      Progress progress) {
    if (memoryBytes < 1 || parallel < 1) {
      throw new IllegalArgumentException(
          "%d bytes of memory and %d processors: at least 1 is needed of either"
              .formatted(memoryBytes, parallel));
    }
    this.cluster = cluster;
    this.share = share;
    this.folder = folder;
    this.order = order;
    this.memoryBytes = memoryBytes;
    this.parallel = parallel;
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  /// Returns a job that sorts gensort's records, with the default memory in each process, and all
  /// processors.
  ///
  /// @param cluster of several hosts
  /// @param folder for the parts, an absolute path of each host
  /// @throws IllegalArgumentException if there are no inputs, one is on none of the hosts, or the
  ///     path is relative
  @CheckReturnValue
  public static HostSortJob of(Cluster cluster, List<HostFile> inputs, Path folder) {
    return new HostSortJob(
        cluster,
        HostShare.toSort(cluster, inputs, folder),
        folder,
        RecordOrder.GENSORT,
        SortJob.DEFAULT_MEMORY_BYTES,
        Integer.MAX_VALUE,
        Progress.NONE);
  }

  /// Returns a copy of this job that sorts by typed keys. Where the order of equal keys counts, it
  /// is that of the inputs as they were named, whichever host they lie on.
  @CheckReturnValue
  public HostSortJob order(RecordOrder records) {
    return new HostSortJob(cluster, share, folder, records, memoryBytes, parallel, progress);
  }

  /// Returns a copy of this job with another amount of memory for the records in each process. The
  /// sort uses no more than the process with the least may use.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public HostSortJob memory(long bytes) {
    return new HostSortJob(cluster, share, folder, order, bytes, parallel, progress);
  }

  /// Returns a copy of this job with another number of processors in each process. The sort uses no
  /// more than the process with the fewest has.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public HostSortJob parallel(int processors) {
    return new HostSortJob(cluster, share, folder, order, memoryBytes, processors, progress);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public HostSortJob progress(Progress listener) {
    return new HostSortJob(cluster, share, folder, order, memoryBytes, parallel, listener);
  }

  @Override
  public String toString() {
    return "HostSortJob[%s to %s, %s]".formatted(share.files(), folder, order);
  }

  /// Sorts the records.
  ///
  /// @throws SortException if an input cannot be used, a part cannot be written, the memory is too
  ///     small, or a host is lost; a failure of a host names it
  /// @throws InterruptedException if the calling thread is interrupted; the sort is given up
  public Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    try (TemporaryFolder plans = SortProcesses.elsewhere()) {
      HostSurvey survey =
          HostSurvey.of(cluster, new HostSurvey.Question(order, share, folder, memoryBytes), plans);
      try {
        return run(survey, plans, started);
      } catch (SortException e) {
        SortProcesses.tidy(
            cluster, new HostTidyProgram.Plan(share, folder, survey.made()), plans, e);
        throw e;
      }
    }
  }

  private Result run(HostSurvey survey, TemporaryFolder plans, long started)
      throws SortException, InterruptedException {
    RecordCode code = RecordCode.of(order, survey.records());
    RecordFormat sorted = code == null ? order.format() : code.encoded();
    SortPlan plan = plan(survey, sorted);
    List<HostSurvey.Input> inputs = survey.inputs(share.files().size());
    HostSort.Plan shared =
        new HostSort.Plan(
            order,
            plan,
            survey.splitters(HostSurvey.keyFormat(order, code), plan.buckets()),
            share,
            inputs.stream().map(HostSurvey.Input::state).toList(),
            inputs.stream().map(HostSurvey.Input::records).toList(),
            folder);
    long sampled = System.nanoTime();
    long sampledMicros = ProcessRun.micros();
    long bytes = survey.records() * order.recordSize();
    Map<String, Long> told =
        new SortProcesses(cluster, HostSortProgram.class, folder)
            .run(plans, shared.text(), bytes, progress)
            .numbers();
    long ended = System.nanoTime();
    // The clocks of hosts differ a little.
    long micros = told.getOrDefault(ProcessRun.PARTITIONED_MICROS, sampledMicros) - sampledMicros;
    long partitioned = Math.clamp(sampled + TimeUnit.MICROSECONDS.toNanos(micros), sampled, ended);
    List<SortJob.ProcessResult> processes = SortProcesses.results(told, share.hosts().size());
    requireAll(processes, bytes);
    long kept = 0;
    for (int sorter = 0; sorter < shared.sorters(); sorter++) {
      kept += told.getOrDefault(ProcessRun.LENGTH + sorter, 0L) / order.recordSize();
    }
    long spilled = processes.stream().mapToLong(SortJob.ProcessResult::spilledBytes).sum();
    SortJob.Result result =
        new SortJob.Result(
            survey.records(),
            kept,
            bytes,
            ClusterSort.checksum(told, ProcessRun.READ),
            shared.sorters(),
            spilled > 0 ? 2 : 1,
            spilled,
            processes.stream().mapToLong(SortJob.ProcessResult::peakMemoryBytes).max().orElse(0),
            Duration.ofNanos(ended - started),
            Duration.ofNanos(sampled - started),
            Duration.ofNanos(partitioned - sampled),
            Duration.ofNanos(ended - partitioned),
            Duration.ZERO,
            processes);
    return new Result(result, shared.parts());
  }

  private static void requireAll(List<SortJob.ProcessResult> processes, long bytes) {
    long read = processes.stream().mapToLong(SortJob.ProcessResult::readBytes).sum();
    long sorted = processes.stream().mapToLong(SortJob.ProcessResult::sortedBytes).sum();
    if (read != bytes || sorted != bytes) {
      throw new IllegalStateException(
          "of %d bytes, %d were read and %d sorted".formatted(bytes, read, sorted));
    }
  }

  private SortPlan plan(HostSurvey survey, RecordFormat sorted) throws SortException {
    HostSurvey.Means least = survey.least();
    SortPlan.Demand demand =
        new SortPlan.Demand(
            sorted,
            survey.records() * sorted.recordSize(),
            Math.min(memoryBytes, least.memoryBytes()),
            Math.min(parallel, least.processors()),
            least.waitsForDisk(),
            new Heap(least.heapBytes()),
            share.hosts().size());
    return SortPlan.make(demand, least.memoryBytes());
  }
}
