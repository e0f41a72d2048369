package dev.tigris.sort;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Reservoir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The work of a [SortJob], from the opening of its inputs to what is to be published.
final class RecordSort {
  private final SortJob job;
  private final RecordOrder order;
  private final Progress progress;

  RecordSort(SortJob job, Progress progress) {
    this.job = job;
    this.order = job.order();
    this.progress = progress;
  }

  /// What was sorted and written.
  ///
  /// @param processes what each process did; none if it was this one alone
  record Sorted(
      SortRun run,
      UInt128 checksum,
      long records,
      long bytes,
      int files,
      long sampledNanos,
      long sortedNanos,
      List<SortJob.ProcessResult> processes) {
    /// The result of a job that was started then and has ended now.
    SortJob.Result result(long startedNanos) {
      long ended = System.nanoTime();
      return new SortJob.Result(
          records,
          run.keptRecords(),
          bytes,
          checksum,
          files,
          run.spilledBytes() > 0 ? 2 : 1,
          run.spilledBytes(),
          run.peakBytes(),
          Duration.ofNanos(ended - startedNanos),
          Duration.ofNanos(sampledNanos - startedNanos),
          Duration.ofNanos(run.sortStartedNanos() - sampledNanos),
          Duration.ofNanos(sortedNanos - run.sortStartedNanos()),
          Duration.ofNanos(ended - sortedNanos),
          processes);
    }
  }

  /// Writes a file, or partitions, into a folder.
  Sorted write(TemporaryFolder folder) throws SortException, InterruptedException {
    return write(folder, null);
  }

  /// Writes an output from its beginning to its end.
  Sorted write(OutputTarget.WorkFolder folder, OrderedOutput ordered)
      throws SortException, InterruptedException {
    return write(folder.get(), ordered);
  }

  private Sorted write(TemporaryFolder folder, @Nullable OrderedOutput ordered)
      throws SortException, InterruptedException {
    try (InputFiles files = new InputFiles(job.inputs(), order.format(), folder)) {
      RecordCode code = RecordCode.of(order, files.records());
      SortPlan plan = plan(files, code);
      files.cut(plan.readBytes());
      Splitters splitters = sample(files, code, plan);
      long sampled = System.nanoTime();
      long sorted;
      SortRun run;
      UInt128 checksum;
      List<SortJob.ProcessResult> processes;
      try (OutputFile shared = ordered == null ? openOutput(folder, files.bytes()) : null) {
        if (shared != null) {
          SortProcesses.handOver(job.cluster(), shared);
        }
        run =
            new SortRun(
                order,
                code,
                plan,
                files,
                splitters,
                folder.path(),
                shared,
                ordered,
                job.isForced(),
                progress,
                workers());
        processes = sort(run, folder);
        checksum = run.checksum();
        if (shared != null && run.keptRecords() < files.records()) {
          closeGaps(run, folder);
        }
        if (ordered != null) {
          ordered.flush();
        }
        sorted = System.nanoTime();
        if (shared != null && job.isForced()) {
          progress.report(Progress.Phase.SYNC, 0, files.bytes());
          shared.force();
        }
      }
      progress.report(Progress.Phase.SYNC, files.bytes(), files.bytes());
      int written = job.isPartitioned() ? plan.sorters() * workers() : 1;
      return new Sorted(
          run, checksum, files.records(), files.bytes(), written, sampled, sorted, processes);
    }
  }

  /// Opens the file again, since a host sees what others have written when it opens a file.
  private static void closeGaps(SortRun run, TemporaryFolder folder) throws SortException {
    try (OutputFile written = new OutputFile(folder.resolve(TemporaryFolder.OUTPUT))) {
      run.closeGaps(written);
    }
  }

  private int workers() {
    return job.cluster() == null ? 1 : job.cluster().workers();
  }

  /// Sorts here, or in other processes, whose results the run takes.
  private List<SortJob.ProcessResult> sort(SortRun run, TemporaryFolder folder)
      throws SortException, InterruptedException {
    if (job.cluster() != null) {
      return new ClusterSort(job.cluster(), job.output(), run, progress).sort(folder);
    }
    SortFlow.await(
        Flow.named("sort")
            .source("partition", () -> new PartitionSource(run), run.plan().partitioners())
            .reservoir(Reservoir.routed().withWindow(run.plan().window()))
            .stage("sort", () -> new SortModule(run), run.plan().sorters())
            .build()
            .start());
    return List.of();
  }

  /// Chooses splitters. Records of which only the first one is kept go to one bucket.
  private Splitters sample(InputFiles files, @Nullable RecordCode code, SortPlan plan)
      throws SortException {
    RecordFormat keys =
        code == null ? order.format() : code.isUnique() ? code.withoutNumber() : code.encoded();
    return Sampler.sample(files, keys, code, plan.buckets(), progress);
  }

  private SortPlan plan(InputFiles files, @Nullable RecordCode code)
      throws SortException, InterruptedException {
    RecordFormat sorted = code == null ? order.format() : code.encoded();
    long bytes = files.records() * sorted.recordSize();
    long allowed = job.memoryBytes();
    int workers = workers();
    SortPlan.Demand demand =
        new SortPlan.Demand(
            sorted,
            bytes,
            allowed,
            job.parallel(),
            files.waitForDisk(),
            Heap.ofEach(workers),
            workers);
    // Twice the records and what a plan needs besides, of large ones some more: beyond that it
    // would be the same.
    long records = Math.max(SortFlow.SPARE_BYTES, 2 * Math.min(allowed, bytes));
    long least = Math.min(allowed, SortPlan.least(demand.withMemory(1)));
    long wanted = Math.max(least, Math.min(allowed, records));
    long most = SortFlow.mostMemoryBytes(job.cluster(), least, wanted);
    return SortPlan.make(demand.withMemory(Math.min(allowed, most)), most);
  }

  /// Returns the one file that all sorters write to; null for partitions.
  private @Nullable OutputFile openOutput(TemporaryFolder folder, long bytes) throws SortException {
    Path path = folder.resolve(TemporaryFolder.OUTPUT);
    if (!job.isPartitioned()) {
      return new OutputFile(path, bytes);
    }
    try {
      Files.createDirectory(path);
      return null;
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }
}
