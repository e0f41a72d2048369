package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.os.CheckReturnValue;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Sorts records into one file, or into a folder of partitions, in parallel and within a
/// given memory (TigrisSort in Welsh and Culler, 2000, section 5). What does not fit memory goes to
/// temporary files beside the output.
///
/// ```java
/// SortJob.Result result =
///     SortJob.of(List.of(Path.of("input")), Path.of("sorted")).memory(1 << 30).run();
/// ```
///
/// The output appears under its name only when it is complete and, unless [#unforced], on the disk.
/// A checksum over both confirms that its records are the input's. An existing file is replaced at
/// that moment. A symbolic link stays, and the file it leads to is replaced. An empty input gives
/// an empty file. Records with equal keys come in no particular order.
///
/// An output whose name ends with `.gz` or `.zst` is compressed; of a symbolic link the name of the
/// link counts. An output that is a pipe or a device is written to as [#toStream] says. Partitions
/// are not compressed.
///
/// A job is immutable: each method that names an option returns a changed copy.
public final class SortJob {
  /// The memory that a sort uses by default, if the machine has enough.
  public static final long DEFAULT_MEMORY_BYTES = 2L << 30;

  /// The result of a sort. Later versions may have more components, so read them by their methods
  /// and construct none yourself.
  ///
  /// @param records how many records were read
  /// @param keptRecords how many were written: fewer where only the first of those with equal keys
  ///     is kept
  /// @param bytes how many bytes were read
  /// @param checksum the sum of their CRC-32
  /// @param files how many files were written
  /// @param passes how many times the data was written to the disk: 1, or 2 if some of it was
  ///     spilled
  /// @param spilledBytes how much was written to temporary files, counted again where a bucket was
  ///     so large that it was distributed once more
  /// @param peakMemoryBytes the most that buffers held
  /// @param elapsed how long it took
  /// @param sampling how long until the splitters were known
  /// @param partitioning how long from then until the input was read and partitioned
  /// @param sorting how long from then until the sorted records were written
  /// @param syncing how long from then until the output was on the disk under its name
  /// @param processes what each process did; empty if the sort ran in this one
  public record Result(
      long records,
      long keptRecords,
      long bytes,
      UInt128 checksum,
      int files,
      int passes,
      long spilledBytes,
      long peakMemoryBytes,
      Duration elapsed,
      Duration sampling,
      Duration partitioning,
      Duration sorting,
      Duration syncing,
      List<ProcessResult> processes) {
    /// Copies the list.
    public Result {
      processes = List.copyOf(processes);
    }
  }

  /// The work of one process of a sort [on a cluster][#on]. Later versions may have more
  /// components, so read them by their methods and construct none yourself.
  ///
  /// @param process its number, from 0
  /// @param readBytes how much of the input it has read
  /// @param sortedBytes how much it has sorted
  /// @param spilledBytes how much it has written to temporary files
  /// @param peakMemoryBytes the most that its buffers held
  public record ProcessResult(
      int process, long readBytes, long sortedBytes, long spilledBytes, long peakMemoryBytes) {}

  private final List<SortInput> inputs;
  private final Path output;
  private final @Nullable OutputStream stream;
  private final Path temporary;
  private final RecordOrder order;
  private final long memoryBytes;
  private final int parallel;
  private final boolean isPartitioned;
  private final boolean isForced;
  private final Progress progress;
  private final @Nullable Cluster cluster;

  private SortJob(Draft from) {
    if (from.inputs.isEmpty()) {
      throw new IllegalArgumentException("there is no file to sort: name at least 1");
    }
    if (from.memoryBytes < 1) {
      throw new IllegalArgumentException(
          "cannot sort in a memory of " + from.memoryBytes + " bytes: at least 1 is needed");
    }
    if (from.parallel < 1) {
      throw new IllegalArgumentException(
          "cannot sort with " + from.parallel + " processors: at least 1 is needed");
    }
    if (from.isPartitioned && from.stream != null) {
      throw new IllegalArgumentException(
          "partitions are files, and a stream takes one output: leave one out");
    }
    this.inputs = from.inputs;
    this.output = Objects.requireNonNull(from.output, "output");
    this.stream = from.stream;
    this.temporary = Objects.requireNonNull(from.temporary, "temporary");
    this.order = Objects.requireNonNull(from.order, "order");
    this.memoryBytes = from.memoryBytes;
    this.parallel = from.parallel;
    this.isPartitioned = from.isPartitioned;
    this.isForced = from.isForced;
    this.progress = Objects.requireNonNull(from.progress, "progress");
    this.cluster = from.cluster;
  }

  /// A job that is not complete yet: a copy of another one, in which an option is changed.
  private static final class Draft {
    private final List<SortInput> inputs;
    private Path output;
    private @Nullable OutputStream stream;
    private Path temporary = OutputTarget.TEMPORARY;
    private RecordOrder order = RecordOrder.GENSORT;
    private long memoryBytes = Math.min(DEFAULT_MEMORY_BYTES, Jbuf.use().budgetBytes() / 3 * 2);
    private int parallel = Runtime.getRuntime().availableProcessors();
    private boolean isPartitioned;
    private boolean isForced = true;
    private Progress progress = Progress.NONE;
    private @Nullable Cluster cluster;

    Draft(List<SortInput> inputs, Path output) {
      this.inputs = List.copyOf(inputs);
      this.output = output;
    }

    Draft(SortJob job) {
      this.inputs = job.inputs;
      this.output = job.output;
      this.stream = job.stream;
      this.temporary = job.temporary;
      this.order = job.order;
      this.memoryBytes = job.memoryBytes;
      this.parallel = job.parallel;
      this.isPartitioned = job.isPartitioned;
      this.isForced = job.isForced;
      this.progress = job.progress;
      this.cluster = job.cluster;
    }
  }

  private SortJob with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new SortJob(draft);
  }

  /// Returns a job that sorts gensort's records to one file, with the default memory and as many
  /// threads as processors.
  ///
  /// @throws IllegalArgumentException if there are no inputs
  @CheckReturnValue
  public static SortJob of(List<Path> inputs, Path output) {
    return ofInputs(SortInput.files(inputs), output);
  }

  /// Returns such a job for any inputs: also for streams, pipes and compressed files, which are
  /// copied to temporary files first.
  ///
  /// @throws IllegalArgumentException if there are no inputs
  @CheckReturnValue
  public static SortJob ofInputs(List<SortInput> inputs, Path output) {
    return new SortJob(new Draft(inputs, output));
  }

  /// Returns a copy of this job for records of another format.
  @CheckReturnValue
  public SortJob format(RecordFormat records) {
    return order(RecordOrder.of(records));
  }

  /// Returns a copy of this job that sorts by typed keys. Records may have 32 KiB then.
  @CheckReturnValue
  public SortJob order(RecordOrder records) {
    return with(draft -> draft.order = records);
  }

  /// Returns a copy of this job with another amount of memory for records. The sort uses less if
  /// the process may not use so much, or if the input needs less.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public SortJob memory(long bytes) {
    return with(draft -> draft.memoryBytes = bytes);
  }

  /// Returns a copy of this job with another number of processors. The sort uses fewer if the
  /// memory is not enough for all.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public SortJob parallel(int processors) {
    return with(draft -> draft.parallel = processors);
  }

  /// Returns a copy of this job that writes a new folder of files `part-0000`, `part-0001`, ...,
  /// instead of one file. Their concatenation is sorted.
  @CheckReturnValue
  public SortJob partitioned() {
    return with(draft -> draft.isPartitioned = true);
  }

  /// Returns a copy of this job that writes to a stream, which is flushed and not closed. The
  /// output's name is what messages call it. The stream gets its first byte when all input was read
  /// and partitioned. A failure after that leaves a part of the output written.
  ///
  /// @throws IllegalArgumentException if the output is a folder of partitions
  @CheckReturnValue
  public SortJob toStream(OutputStream to) {
    return with(draft -> draft.stream = to);
  }

  /// Returns a copy of this job with another folder for temporary files, which counts where the
  /// output is a stream, a pipe or a device: those of a file lie beside it.
  @CheckReturnValue
  public SortJob temporary(Path folder) {
    return with(draft -> draft.temporary = folder);
  }

  /// Returns a copy of this job that does not force the output to the disk: after a loss of power
  /// it may be damaged.
  @CheckReturnValue
  public SortJob unforced() {
    return with(draft -> draft.isForced = false);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public SortJob progress(Progress listener) {
    return with(draft -> draft.progress = listener);
  }

  /// Returns a copy of this job that sorts in the processes of a cluster, each of which reads a
  /// part of the input and writes a part of the output. All of them have to see the files of this
  /// process. The memory is that of each process, and the processors are divided among them.
  ///
  /// The output is a file or a folder of partitions. This process makes it, and gives it its name
  /// when all processes have succeeded.
  @CheckReturnValue
  public SortJob on(Cluster processes) {
    return with(draft -> draft.cluster = processes);
  }

  /// Returns what to sort.
  public List<SortInput> inputs() {
    return inputs;
  }

  /// Returns the file, or the folder of partitions, to write.
  public Path output() {
    return output;
  }

  /// Returns the size of the records, and where their first key lies.
  public RecordFormat format() {
    return order.format();
  }

  /// Returns the order of the records.
  public RecordOrder order() {
    return order;
  }

  /// Returns how many bytes of memory the sort may use for records.
  public long memoryBytes() {
    return memoryBytes;
  }

  /// Returns how many processors the sort may use.
  public int parallel() {
    return parallel;
  }

  /// Returns whether a folder of partitions is written, instead of one file.
  public boolean isPartitioned() {
    return isPartitioned;
  }

  /// Returns whether the output is forced to the disk before it appears.
  public boolean isForced() {
    return isForced;
  }

  /// Where the job sorts; null in this process.
  @Nullable Cluster cluster() {
    return cluster;
  }

  @Override
  public String toString() {
    return "SortJob[%s to %s, %s]".formatted(inputs, output, order);
  }

  /// Sorts the records. If anything goes wrong, nothing appears under the output's name, an
  /// existing output stays, and temporary files are deleted.
  ///
  /// @throws SortException if an input cannot be used, the output cannot be written, or the memory
  ///     is too small
  /// @throws InterruptedException if the calling thread is interrupted; the sort is given up
  public Result run() throws SortException, InterruptedException {
    long started = System.nanoTime();
    RecordSort sort = new RecordSort(this, progress);
    OutputStream to = stream;
    if (to != null || (!isPartitioned && OutputTarget.isOrdered(output))) {
      refuseCluster();
      OutputTarget target = new OutputTarget(temporary, isForced, progress);
      RecordSort.Sorted sorted =
          to == null
              ? target.toPath(output, inputs, sort::write)
              : target.toStream(to, output.toString(), sort::write);
      return sorted.result(started);
    }
    refuseUnusableOutput();
    Path target = OutputPaths.target(output);
    if (!target.equals(output)) { // whose name does not say how it is written
      SortJob resolved = with(draft -> draft.output = target);
      resolved.refuseUnusableOutput();
      return resolved.replace(started);
    }
    return replace(started);
  }

  /// Sorts into a file or folder of partitions that replaces the output.
  private Result replace(long started) throws SortException, InterruptedException {
    RecordSort sort = new RecordSort(this, progress);
    try (TemporaryFolder folder = new TemporaryFolder(output)) {
      OutputPaths.refuseIrreplaceable(output, folder.resolve("probe"));
      RecordSort.Sorted sorted = sort.write(folder);
      publish(folder); // last: what is published is no failure any more
      return sorted.result(started);
    } catch (SortException e) {
      throw e.unlessInterrupted();
    } catch (MemoryBudgetException e) {
      throw new SortException(
          SortException.Kind.MEMORY,
          ("the process may not use as much memory as this sort needs: %s. Or let the sort use less:"
                  + " memory(), or --memory of the command")
              .formatted(e.getMessage()),
          e);
    }
  }

  private void refuseCluster() throws SortException {
    if (cluster != null) {
      throw new SortException(
          SortException.Kind.OUTPUT,
          output
              + " is compressed, a stream, a pipe or a device, which one process has to write: sort to a file first, or without other processes");
    }
  }

  private void refuseUnusableOutput() throws SortException {
    OutputPaths.refuseInput(output, SortInput.paths(inputs));
    if (isPartitioned && Files.exists(output)) {
      throw new SortException(
          SortException.Kind.OUTPUT,
          output + " exists: delete it first, or name a new folder for the partitions");
    }
    OutputPaths.refuseUnusable(output);
  }

  private void publish(TemporaryFolder folder) throws SortException {
    if (isPartitioned && isForced) {
      Path made = folder.resolve(TemporaryFolder.OUTPUT);
      TemporaryFolder.forceFolder(made, made);
    }
    folder.publish(TemporaryFolder.OUTPUT, output, isForced);
  }
}
