package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Reservoir;
import dev.tigris.memory.Jbuf;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sorts lines of text as POSIX `sort` does in the C locale, in parallel and within a given memory
/// (Welsh and Culler 2000, section 5). What does not fit memory goes to temporary files.
///
/// ```java
/// LineSortJob.Result result =
///     LineSortJob.of(LineOrder.builder().separator(',').key("3,3n").build())
///         .input(SortInput.file(Path.of("trades.csv")))
///         .run(Path.of("by-amount.csv"));
/// ```
///
/// An output file appears under its name only when it is complete and, unless [#unforced], on the
/// disk. Its lines are the input's, which a checksum over both confirms. A last line that does not
/// end gets its end.
///
/// A job does not change: each method that names an option returns a changed copy.
public final class LineSortJob {
  /// The result. Later versions may have more components: read them by their methods.
  ///
  /// @param lines how many lines were read
  /// @param keptLines how many were written: fewer where only the first of equal lines is kept
  /// @param bytes how many bytes the input has
  /// @param writtenBytes how many were written
  /// @param spilledBytes how much was written to temporary files
  /// @param peakMemoryBytes the most that buffers held
  /// @param elapsed how long it took
  /// @param processes what each process did; none if it was this one alone
  public record Result(
      long lines,
      long keptLines,
      long bytes,
      long writtenBytes,
      long spilledBytes,
      long peakMemoryBytes,
      Duration elapsed,
      List<SortJob.ProcessResult> processes) {
    /// Makes a result whose list is a copy.
    public Result {
      processes = List.copyOf(processes);
    }

    private Result since(long started) {
      Duration all = Duration.ofNanos(System.nanoTime() - started);
      return new Result(
          lines, keptLines, bytes, writtenBytes, spilledBytes, peakMemoryBytes, all, processes);
    }
  }

  private static final String SORTED = "sorted";

  private final LineOrder order;
  private final List<SortInput> inputs;
  private final long memoryBytes;
  private final int parallel;
  private final boolean forced;
  private final boolean merged;
  private final Path temporary;
  private final Progress progress;
  private final @Nullable Cluster cluster;
  private final @Nullable Heap heap;

  private LineSortJob(Draft from) {
    if (from.merged && from.cluster != null) {
      throw new IllegalArgumentException(
          "a merge reads inputs as they come, which one process does: leave out the merge, or the other processes");
    }
    this.order = from.order;
    this.inputs = List.copyOf(from.inputs);
    this.memoryBytes = from.memoryBytes;
    this.parallel = from.parallel;
    this.forced = from.forced;
    this.merged = from.merged;
    this.temporary = from.temporary;
    this.progress = from.progress;
    this.cluster = from.cluster;
    this.heap = from.heap;
  }

  /// A job that is not complete yet: a copy of another one, in which options are changed.
  private static final class Draft {
    private final LineOrder order;
    private final List<SortInput> inputs = new ArrayList<>();
    private long memoryBytes;
    private int parallel = Runtime.getRuntime().availableProcessors();
    private boolean forced = true;
    private boolean merged;
    private Path temporary = OutputTarget.TEMPORARY;
    private Progress progress = Progress.NONE;
    private @Nullable Cluster cluster;
    private @Nullable Heap heap;

    Draft(LineOrder order) {
      this.order = Objects.requireNonNull(order);
      this.memoryBytes = Math.min(SortJob.DEFAULT_MEMORY_BYTES, Jbuf.use().budgetBytes() / 3 * 2);
    }

    Draft(LineSortJob job) {
      this.order = job.order;
      this.inputs.addAll(job.inputs);
      this.memoryBytes = job.memoryBytes;
      this.parallel = job.parallel;
      this.forced = job.forced;
      this.merged = job.merged;
      this.temporary = job.temporary;
      this.progress = job.progress;
      this.cluster = job.cluster;
      this.heap = job.heap;
    }
  }

  /// Returns a job that sorts in an order, with the default memory and as many threads as
  /// processors.
  public static LineSortJob of(LineOrder order) {
    return new LineSortJob(new Draft(order));
  }

  /// Returns a copy with one more input, after those before.
  public LineSortJob input(SortInput input) {
    Draft draft = new Draft(this);
    draft.inputs.add(Objects.requireNonNull(input));
    return new LineSortJob(draft);
  }

  /// Returns a copy with another memory for lines.
  ///
  /// @throws IllegalArgumentException if it is less than 4 MiB
  public LineSortJob memory(long bytes) {
    if (bytes < LinePlan.LEAST_BYTES) {
      throw new IllegalArgumentException(
          "a memory of %d bytes is too small to sort lines: give at least %d bytes"
              .formatted(bytes, LinePlan.LEAST_BYTES));
    }
    Draft draft = new Draft(this);
    draft.memoryBytes = bytes;
    return new LineSortJob(draft);
  }

  /// Returns a copy with another number of processors, used if the memory is enough for all.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  public LineSortJob parallel(int processors) {
    if (processors < 1) {
      throw new IllegalArgumentException("at least 1 thread is needed, not " + processors);
    }
    Draft draft = new Draft(this);
    draft.parallel = processors;
    return new LineSortJob(draft);
  }

  /// Returns a copy that does not force the output to the disk: a loss of power may damage it.
  public LineSortJob unforced() {
    Draft draft = new Draft(this);
    draft.forced = false;
    return new LineSortJob(draft);
  }

  /// Returns a copy that merges inputs that are in order already. Inputs are read as they come, and
  /// not copied, so pipes may be merged that have no end yet. An input that turns out not to be in
  /// order is refused.
  public LineSortJob merging() {
    Draft draft = new Draft(this);
    draft.merged = true;
    return new LineSortJob(draft);
  }

  /// Returns a copy with another folder for temporary files, which counts where the output is a
  /// stream: those of a file lie beside it.
  public LineSortJob temporary(Path folder) {
    Draft draft = new Draft(this);
    draft.temporary = Objects.requireNonNull(folder);
    return new LineSortJob(draft);
  }

  /// Returns a copy with a listener that hears how far it is.
  public LineSortJob progress(Progress listener) {
    Draft draft = new Draft(this);
    draft.progress = Objects.requireNonNull(listener);
    return new LineSortJob(draft);
  }

  /// Returns a copy that sorts in the processes of a cluster, each of which reads a part of the
  /// input and writes a part of the output. All of them have to see the files of this process. The
  /// memory is that of each process, and the processors are divided among them.
  ///
  /// An output that is compressed, a pipe or a stream is written by this process, from a temporary
  /// file that the others have written.
  ///
  /// @throws IllegalArgumentException if this job merges
  public LineSortJob on(Cluster processes) {
    Draft draft = new Draft(this);
    draft.cluster = Objects.requireNonNull(processes);
    return new LineSortJob(draft);
  }

  /// Returns a copy that takes no more of the heap than one of this size allows, in each process.
  LineSortJob heap(Heap other) {
    Draft draft = new Draft(this);
    draft.heap = other;
    return new LineSortJob(draft);
  }

  /// Returns how many processors are used, if the memory is enough for all.
  public int processors() {
    return parallel;
  }

  /// Sorts to a file; to one whose name ends with `.gz` or `.zst`, compressed. Of a symbolic link
  /// the name of the link counts, and the file that it leads to is written. A pipe or a device is
  /// written to as [#run(OutputStream)] says. Whatever goes wrong, nothing appears under its name,
  /// what was there before stays, and temporary files are deleted.
  ///
  /// @throws SortException if an input cannot be used, the output cannot be written, or the memory
  ///     is too small
  /// @throws InterruptedException if the calling thread is interrupted; the sort is given up
  public Result run(Path output) throws SortException, InterruptedException {
    long started = System.nanoTime();
    if (cluster != null && !OutputTarget.isOrdered(output)) {
      return target()
          .replacing(output, inputs, folder -> replace(folder.get(), output))
          .since(started);
    }
    return target().toPath(output, inputs, this::write).since(started);
  }

  /// Sorts to a stream, which is flushed and not closed. The stream gets its first byte when all
  /// input was read and partitioned, or at once from a merge. A failure after that leaves a part of
  /// the output written.
  ///
  /// @throws SortException if an input cannot be used, the stream fails, or the memory is too small
  /// @throws InterruptedException if the calling thread is interrupted; the sort is given up
  public Result run(OutputStream output) throws SortException, InterruptedException {
    long started = System.nanoTime();
    return target().toStream(output, "the output", this::write).since(started);
  }

  private OutputTarget target() {
    return new OutputTarget(temporary, forced, progress);
  }

  private Result write(OutputTarget.WorkFolder folder, OrderedOutput output)
      throws SortException, InterruptedException {
    if (cluster != null) {
      return copy(folder.get(), output);
    }
    return merged ? merge(output) : run(folder.get(), output);
  }

  /// Lets other processes write the file that is to become the output.
  private Result replace(TemporaryFolder folder, Path output)
      throws SortException, InterruptedException {
    return onProcesses(folder, folder.resolve(TemporaryFolder.OUTPUT), output, forced);
  }

  /// Lets other processes write a temporary file, and copies that.
  private Result copy(TemporaryFolder folder, OrderedOutput output)
      throws SortException, InterruptedException {
    Path sorted = folder.resolve(SORTED);
    Result result = onProcesses(folder, sorted, output.name(), false);
    OutputCopy.copy(sorted, result.writtenBytes, output, parallel);
    return new Result(
        result.lines,
        result.keptLines,
        result.bytes,
        output.bytes(),
        result.spilledBytes,
        result.peakMemoryBytes,
        Duration.ZERO,
        result.processes);
  }

  private Result onProcesses(TemporaryFolder folder, Path path, Path output, boolean isForced)
      throws SortException, InterruptedException {
    Cluster where = Objects.requireNonNull(cluster);
    try (LineInputs opened = new LineInputs(inputs, order, folder.path())) {
      LineRun run = prepare(opened, folder, null);
      ClusterLines.Sorted sorted;
      try (OutputFile file = new OutputFile(path, opened.bytes())) {
        SortProcesses.handOver(where, file);
        sorted = new ClusterLines(where, output, run, progress).sort(folder, path);
        if (isForced) {
          progress.report(Progress.Phase.SYNC, 0, sorted.writtenBytes());
          file.force();
          progress.report(Progress.Phase.SYNC, sorted.writtenBytes(), sorted.writtenBytes());
        }
      }
      return result(run, sorted.writtenBytes(), sorted.processes());
    }
  }

  private static Result result(
      LineRun run, long writtenBytes, List<SortJob.ProcessResult> processes) {
    return new Result(
        run.lines(),
        run.keptLines(),
        run.inputBytes(),
        writtenBytes,
        run.spilledBytes(),
        run.peakBytes(),
        Duration.ZERO,
        processes);
  }

  private Result merge(OrderedOutput output) throws SortException {
    long before = Jbuf.use().usedBytes();
    try (LineMerge merge = new LineMerge(inputs, order, memoryBytes, output, progress)) {
      merge.run();
      output.flush();
      return new Result(
          merge.lines(),
          merge.keptLines(),
          merge.bytes(),
          output.bytes(),
          0,
          Math.max(0, Jbuf.use().usedBytes() - before),
          Duration.ZERO,
          List.of());
    }
  }

  private Result run(TemporaryFolder folder, OrderedOutput output)
      throws SortException, InterruptedException {
    try (LineInputs opened = new LineInputs(inputs, order, folder.path())) {
      LineRun run = prepare(opened, folder, output);
      LinePlan plan = run.plan();
      SortFlow.await(
          Flow.named("sort lines")
              .source("partition", () -> new LineSource(run), plan.processors())
              .reservoir(Reservoir.routed().withWindow(plan.window()))
              .stage("sort", () -> new LineModule(run), plan.processors())
              .build()
              .start());
      output.flush();
      run.requireWhole();
      return result(run, output.bytes(), List.of());
    }
  }

  private LineRun prepare(LineInputs opened, TemporaryFolder folder, @Nullable OrderedOutput output)
      throws SortException, InterruptedException {
    long bytes = opened.bytes();
    long wanted = Math.min(memoryBytes, Math.max(LinePlan.LEAST_BYTES, 2 * bytes));
    int processes = cluster == null ? 1 : cluster.workers();
    long most = SortFlow.mostMemoryBytes(cluster, LinePlan.LEAST_BYTES, wanted);
    if (most < LinePlan.LEAST_BYTES) {
      throw new SortException(
          SortException.Kind.MEMORY,
          ("in this process %d bytes are left for a sort, and %d are needed: free what else holds"
                  + " memory")
              .formatted(most, LinePlan.LEAST_BYTES));
    }
    LinePlan plan =
        LinePlan.make(
            bytes,
            Math.min(memoryBytes, most),
            Math.max(1, parallel / processes),
            order.isStable(),
            heap == null ? Heap.ofEach(processes) : heap,
            processes);
    opened.cut(plan.chunkBytes(), Math.min(parallel, processes * plan.processors()));
    LineOrder rows = order.isCsv() ? order.withHeaderOf(opened.header()) : order;
    LineSplitters splitters = LineSampler.sample(opened, rows, plan, progress);
    return new LineRun(rows, plan, opened, splitters, folder.path(), output, progress);
  }

  @Override
  public String toString() {
    return "LineSortJob[%s, %s]".formatted(inputs, order);
  }
}
