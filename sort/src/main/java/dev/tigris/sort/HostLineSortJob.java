package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.os.CheckReturnValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sorts lines of text that lie on several hosts into parts on these hosts: as [HostSortJob] of
/// records, in the order of [LineSortJob]. Of CSV, each part has the first row.
///
/// ```java
/// HostLineSortJob.Result result =
///     HostLineSortJob.of(cluster, inputs, Path.of("/data/sorted"))
///         .order(LineOrder.builder().separator(',').key("3,3n").build())
///         .run();
/// ```
///
/// Where the order of equal lines counts, it is that of the inputs as they were named, whichever
/// host they lie on.
///
/// A job is immutable: each method that names an option returns a changed copy.
public final class HostLineSortJob {
  /// The result of a sort.
  ///
  /// @param sort what was done, in all processes
  /// @param parts the files, in order; some may have no lines
  public record Result(LineSortJob.Result sort, List<HostFile> parts) {
    /// Copies the list.
    public Result {
      parts = List.copyOf(parts);
    }
  }

  private final Cluster cluster;
  private final HostShare share;
  private final Path folder;
  private final LineOrder order;
  private final long memoryBytes;
  private final int parallel;
  private final Progress progress;

  private HostLineSortJob(
      Cluster cluster,
      HostShare share,
      Path folder,
      LineOrder order,
      long memoryBytes,
      int parallel,
      Progress progress) {
    if (memoryBytes < LinePlan.LEAST_BYTES || parallel < 1) {
      throw new IllegalArgumentException(
          "%d bytes of memory and %d processors: at least %d bytes and 1 processor are needed"
              .formatted(memoryBytes, parallel, LinePlan.LEAST_BYTES));
    }
    this.cluster = cluster;
    this.share = share;
    this.folder = folder;
    this.order = order;
    this.memoryBytes = memoryBytes;
    this.parallel = parallel;
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  /// Returns a job that sorts lines by their bytes, with the default memory in each process, and
  /// all processors.
  ///
  /// @param cluster of several hosts
  /// @param folder for the parts, an absolute path of each host
  /// @throws IllegalArgumentException if there are no inputs, one is on none of the hosts, or the
  ///     path is relative
  @CheckReturnValue
  public static HostLineSortJob of(Cluster cluster, List<HostFile> inputs, Path folder) {
    return of(cluster, HostShare.toSort(cluster, inputs, folder), folder);
  }

  /// Returns a job for these files, on a cluster that may be this process.
  static HostLineSortJob of(Cluster cluster, HostShare share, Path folder) {
    return new HostLineSortJob(
        cluster,
        share,
        folder,
        LineOrder.builder().build(),
        SortJob.DEFAULT_MEMORY_BYTES,
        Integer.MAX_VALUE,
        Progress.NONE);
  }

  /// Returns a copy of this job that sorts in another order.
  @CheckReturnValue
  public HostLineSortJob order(LineOrder lines) {
    return new HostLineSortJob(cluster, share, folder, lines, memoryBytes, parallel, progress);
  }

  /// Returns a copy of this job with another amount of memory for the lines in each process. The
  /// sort uses no more than the process with the least may use.
  ///
  /// @throws IllegalArgumentException if it is less than 4 MiB
  @CheckReturnValue
  public HostLineSortJob memory(long bytes) {
    return new HostLineSortJob(cluster, share, folder, order, bytes, parallel, progress);
  }

  /// Returns a copy of this job with another number of processors in each process. The sort uses no
  /// more than the process with the fewest has.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public HostLineSortJob parallel(int processors) {
    return new HostLineSortJob(cluster, share, folder, order, memoryBytes, processors, progress);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public HostLineSortJob progress(Progress listener) {
    return new HostLineSortJob(cluster, share, folder, order, memoryBytes, parallel, listener);
  }

  @Override
  public String toString() {
    return "HostLineSortJob[%s to %s, %s]".formatted(share.files(), folder, order);
  }

  /// Sorts the lines.
  ///
  /// @throws SortException if an input cannot be used, a part cannot be written, the memory is too
  ///     small, or a host is lost; a failure of a host names it
  /// @throws InterruptedException if the calling thread is interrupted; the sort is given up
  public Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    try (TemporaryFolder plans = SortProcesses.elsewhere()) {
      HostLineSurvey survey =
          HostLineSurvey.of(
              cluster, new HostLineSurvey.Question(order, share, folder, memoryBytes), plans);
      try {
        return run(survey, plans, started);
      } catch (SortException e) {
        SortProcesses.tidy(
            cluster, new HostTidyProgram.Plan(share, folder, survey.made()), plans, e);
        throw e;
      }
    }
  }

  private Result run(HostLineSurvey survey, TemporaryFolder plans, long started)
      throws SortException, InterruptedException {
    byte @Nullable [] header = survey.header(share);
    LineOrder rows = order.isCsv() ? order.withHeaderOf(header) : order;
    LinePlan plan = plan(survey);
    HostLines.Plan shared =
        new HostLines.Plan(
            rows,
            plan,
            survey.splitters(rows, plan.buckets()),
            share,
            survey.inputs(share.files().size()),
            header,
            folder);
    long bytes = survey.lineBytes();
    Map<String, Long> told =
        new SortProcesses(cluster, HostLineSortProgram.class, folder)
            .run(plans, shared.text(), bytes, progress)
            .numbers();
    List<SortJob.ProcessResult> processes = SortProcesses.results(told, share.hosts().size());
    long read = processes.stream().mapToLong(SortJob.ProcessResult::readBytes).sum();
    if (read != bytes) {
      throw new IllegalStateException("of %d bytes, %d were read".formatted(bytes, read));
    }
    long written = 0;
    for (int sorter = 0; sorter < shared.sorters(); sorter++) {
      written += told.getOrDefault(ProcessRun.LENGTH + sorter, 0L);
    }
    LineSortJob.Result result =
        new LineSortJob.Result(
            told.getOrDefault(LineToldRun.LINES, 0L),
            told.getOrDefault(LineToldRun.KEPT, 0L),
            bytes,
            written,
            processes.stream().mapToLong(SortJob.ProcessResult::spilledBytes).sum(),
            processes.stream().mapToLong(SortJob.ProcessResult::peakMemoryBytes).max().orElse(0),
            Duration.ofNanos(System.nanoTime() - started),
            processes);
    return new Result(result, shared.parts());
  }

  private LinePlan plan(HostLineSurvey survey) throws SortException {
    HostSurvey.Means least = survey.least();
    if (least.memoryBytes() < LinePlan.LEAST_BYTES) {
      throw new SortException(
          SortException.Kind.MEMORY,
          "a process has %d bytes left for a sort, and %d are needed: free what else holds memory"
              .formatted(least.memoryBytes(), LinePlan.LEAST_BYTES));
    }
    return LinePlan.make(
        survey.lineBytes(),
        Math.min(memoryBytes, least.memoryBytes()),
        Math.min(parallel, least.processors()),
        order.isStable(),
        new Heap(least.heapBytes()),
        share.hosts().size());
  }
}
