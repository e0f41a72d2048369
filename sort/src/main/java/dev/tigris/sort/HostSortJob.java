package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.os.CheckReturnValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Sorts records or lines of text that lie on several hosts into parts on these hosts (Welsh and
/// Culler, 2000, section 5). The processes of each host read the inputs there, in shares. The
/// sorters of all processes get a range of the keys each, and write a file `part-0000`,
/// `part-0001`, ... in a folder of their own host. In this order the parts are sorted. Of CSV, each
/// part has the first row.
///
/// ```java
/// Cluster cluster = Cluster.hosts(Path.of("hosts"), Path.of("coordinator.key"));
/// List<HostFile> inputs =
///     List.of(
///         HostFile.parse("h1.example:/data/a", cluster.hosts()),
///         HostFile.parse("h2.example:/data/b", cluster.hosts()));
/// HostSortJob.Result<SortJob.Result> result =
///     HostSortJob.of(cluster, inputs, Path.of("/data/sorted")).run();
/// ```
///
/// All parts get their names together, when all are on the disks and the checksum over them is that
/// of the inputs. If the sort fails, none does. The folder is made where it is missing, and deleted
/// again if the sort fails, but on a host that was lost.
///
/// A job is immutable: each method that names an option returns a changed copy.
///
/// @param <S> the result: of records, that of [SortJob]; of lines, that of [LineSortJob]
public final class HostSortJob<S> {
  /// The result of a sort.
  ///
  /// @param sort what was done, in all processes
  /// @param parts the files, in the order of their keys; some may have no records or lines
  public record Result<S>(S sort, List<HostFile> parts) {
    /// Copies the list.
    public Result {
      parts = List.copyOf(parts);
    }
  }

  private final Cluster cluster;
  private final HostShare share;
  private final Path folder;
  private final HostKind<S, ?> kind;
  private final long memoryBytes;
  private final int parallel;
  private final Progress progress;

  private HostSortJob(
      Cluster cluster,
      HostShare share,
      Path folder,
      HostKind<S, ?> kind,
      long memoryBytes,
      int parallel,
      Progress progress) {
    if (memoryBytes < kind.leastMemoryBytes() || parallel < 1) {
      throw new IllegalArgumentException(
          "%d bytes of memory and %d processors: at least %d and 1 are needed"
              .formatted(memoryBytes, parallel, kind.leastMemoryBytes()));
    }
    this.cluster = cluster;
    this.share = share;
    this.folder = folder;
    this.kind = kind;
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
  public static HostSortJob<SortJob.Result> of(
      Cluster cluster, List<HostFile> inputs, Path folder) {
    return of(cluster, HostShare.toSort(cluster, inputs, folder), folder);
  }

  /// Returns a job for these files, on a cluster that may be this process.
  static HostSortJob<SortJob.Result> of(Cluster cluster, HostShare share, Path folder) {
    return new HostSortJob<>(
        cluster,
        share,
        folder,
        new RecordKind(RecordOrder.GENSORT),
        SortJob.DEFAULT_MEMORY_BYTES,
        Integer.MAX_VALUE,
        Progress.NONE);
  }

  /// Returns a copy of this job that sorts records by typed keys. Where the order of equal keys
  /// counts, it is that of the inputs as they were named, whichever host they lie on.
  @CheckReturnValue
  public HostSortJob<SortJob.Result> order(RecordOrder records) {
    return with(new RecordKind(records));
  }

  /// Returns a copy of this job that sorts lines. Where the order of equal lines counts, it is that
  /// of the inputs as they were named, whichever host they lie on.
  ///
  /// @throws IllegalArgumentException if the memory is less than 4 MiB
  @CheckReturnValue
  public HostSortJob<LineSortJob.Result> order(LineOrder lines) {
    return with(new LineKind(lines));
  }

  private <T> HostSortJob<T> with(HostKind<T, ?> other) {
    return new HostSortJob<>(cluster, share, folder, other, memoryBytes, parallel, progress);
  }

  /// Returns a copy of this job with another amount of memory for the data in each process. The
  /// sort uses no more than the process with the least may use.
  ///
  /// @throws IllegalArgumentException if it is not at least 1, of lines 4 MiB
  @CheckReturnValue
  public HostSortJob<S> memory(long bytes) {
    return new HostSortJob<>(cluster, share, folder, kind, bytes, parallel, progress);
  }

  /// Returns a copy of this job with another number of processors in each process. The sort uses no
  /// more than the process with the fewest has.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public HostSortJob<S> parallel(int processors) {
    return new HostSortJob<>(cluster, share, folder, kind, memoryBytes, processors, progress);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public HostSortJob<S> progress(Progress listener) {
    return new HostSortJob<>(cluster, share, folder, kind, memoryBytes, parallel, listener);
  }

  @Override
  public String toString() {
    return "HostSortJob[%s to %s, %s]".formatted(share.files(), folder, kind);
  }

  /// Sorts the records or lines.
  ///
  /// @throws SortException if an input cannot be used, a part cannot be written, the memory is too
  ///     small, or a host is lost; a failure of a host names it
  /// @throws InterruptedException if the calling thread is interrupted; the sort is given up
  public Result<S> run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    HostSurvey.Question question = new HostSurvey.Question(kind, share, folder, memoryBytes);
    try (TemporaryFolder plans = SortProcesses.elsewhere()) {
      HostSurvey survey = HostSurvey.of(cluster, question, plans);
      try {
        return run(kind.plan(survey, question, parallel), plans, started);
      } catch (SortException e) {
        SortProcesses.tidy(
            cluster, new HostTidyProgram.Plan(share, folder, survey.made()), plans, e);
        throw e;
      }
    }
  }

  private Result<S> run(HostPlan<S> plan, TemporaryFolder plans, long started)
      throws SortException, InterruptedException {
    var sampled = new HostPlan.Sampled(System.nanoTime(), ProcessRun.micros());
    long bytes = plan.work().bytes();
    Map<String, Long> told =
        new SortProcesses(cluster, HostSortProgram.class, folder)
            .run(plans, plan.text(), bytes, progress)
            .numbers();
    List<SortJob.ProcessResult> processes = SortProcesses.results(told, share.hosts().size());
    long read = processes.stream().mapToLong(SortJob.ProcessResult::readBytes).sum();
    if (read != bytes) {
      throw new IllegalStateException("of %d bytes, %d were read".formatted(bytes, read));
    }
    return new Result<>(plan.result(told, processes, started, sampled), plan.parts());
  }
}
