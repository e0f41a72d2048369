// Over 400 lines: a job with its options, and the one way to run it and to fail.
package dev.tigris.sort;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Reservoir;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.MemoryUse;
import dev.tigris.os.CheckReturnValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/// Sorts files of records into one file, or into a folder of partitions, in parallel and within a
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
/// A job is immutable: each method that names an option returns a changed copy.
public final class SortJob {
  /// The memory that a sort uses by default, if the machine has enough.
  public static final long DEFAULT_MEMORY_BYTES = 2L << 30;

  /// So much of the process's budget is left for what is not in the plan.
  private static final long SPARE_BYTES = 128 << 20;

  /// The waits for the collector double up to this: a tenth of a second in all.
  private static final int MOST_WAIT_MILLIS = 64;

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
      Duration syncing) {}

  private final List<Path> inputs;
  private final Path output;
  private final RecordOrder order;
  private final long memoryBytes;
  private final int parallel;
  private final boolean isPartitioned;
  private final boolean isForced;
  private final Progress progress;

  private SortJob(
      List<Path> inputs,
      Path output,
      RecordOrder order,
      long memoryBytes,
      int parallel,
      boolean isPartitioned,
      boolean isForced,
      Progress progress) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("there is no file to sort: name at least 1");
    }
    if (memoryBytes < 1) {
      throw new IllegalArgumentException(
          "cannot sort in a memory of " + memoryBytes + " bytes: at least 1 is needed");
    }
    if (parallel < 1) {
      throw new IllegalArgumentException(
          "cannot sort with " + parallel + " processors: at least 1 is needed");
    }
    this.inputs = List.copyOf(inputs);
    this.output = Objects.requireNonNull(output, "output");
    this.order = Objects.requireNonNull(order, "order");
    this.memoryBytes = memoryBytes;
    this.parallel = parallel;
    this.isPartitioned = isPartitioned;
    this.isForced = isForced;
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  /// Returns a job that sorts gensort's records to one file, with the default memory and as many
  /// threads as processors.
  ///
  /// @throws IllegalArgumentException if there are no inputs
  @CheckReturnValue
  public static SortJob of(List<Path> inputs, Path output) {
    int processors = Runtime.getRuntime().availableProcessors();
    long memory = Math.min(DEFAULT_MEMORY_BYTES, Jbuf.use().budgetBytes() / 3 * 2);
    return new SortJob(
        inputs, output, RecordOrder.GENSORT, memory, processors, false, true, Progress.NONE);
  }

  /// Returns how much memory the sort may use; more would be refused in the middle of it. What
  /// waits for the collector, or was dropped, comes back if nothing refers to it, which only the
  /// collector knows: where the rest is less than wanted, it is asked, and given a moment. What was
  /// dropped does not say that it waits, and is asked for once, where there is less than it takes
  /// to sort at all.
  static long mostMemoryBytes(long least, long wanted) throws InterruptedException {
    MemoryUse use = Jbuf.use();
    long most = mostMemoryBytes(use);
    for (int millis = 1; millis <= MOST_WAIT_MILLIS && most < wanted; millis *= 2) {
      boolean awaits = use.awaitingBytes() > 0;
      if (!awaits && (most >= least || millis > MOST_WAIT_MILLIS / 4)) {
        break;
      }
      if (awaits || millis == 1) {
        System.gc();
      }
      Thread.sleep(millis);
      use = Jbuf.use();
      most = mostMemoryBytes(use);
    }
    return most;
  }

  private static long mostMemoryBytes(MemoryUse use) {
    long free = use.budgetBytes() - use.usedBytes();
    return Math.max(1, Math.max(free / 3 * 2, free - SPARE_BYTES));
  }

  /// Returns a copy of this job for records of another format.
  @CheckReturnValue
  public SortJob format(RecordFormat records) {
    return order(RecordOrder.of(records));
  }

  /// Returns a copy of this job that sorts by typed keys. Records may have 32 KiB then.
  @CheckReturnValue
  public SortJob order(RecordOrder records) {
    return new SortJob(
        inputs, output, records, memoryBytes, parallel, isPartitioned, isForced, progress);
  }

  /// Returns a copy of this job with another amount of memory for records. The sort uses less if
  /// the process may not use so much, or if the input needs less.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public SortJob memory(long bytes) {
    return new SortJob(inputs, output, order, bytes, parallel, isPartitioned, isForced, progress);
  }

  /// Returns a copy of this job with another number of processors. The sort uses fewer if the
  /// memory is not enough for all.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public SortJob parallel(int processors) {
    return new SortJob(
        inputs, output, order, memoryBytes, processors, isPartitioned, isForced, progress);
  }

  /// Returns a copy of this job that writes a new folder of files `part-0000`, `part-0001`, ...,
  /// instead of one file. Their concatenation is sorted.
  @CheckReturnValue
  public SortJob partitioned() {
    return new SortJob(inputs, output, order, memoryBytes, parallel, true, isForced, progress);
  }

  /// Returns a copy of this job that does not force the output to the disk: after a loss of power
  /// it may be damaged.
  @CheckReturnValue
  public SortJob unforced() {
    return new SortJob(
        inputs, output, order, memoryBytes, parallel, isPartitioned, false, progress);
  }

  /// Returns a copy of this job that reports its progress to `listener`.
  @CheckReturnValue
  public SortJob progress(Progress listener) {
    return new SortJob(
        inputs, output, order, memoryBytes, parallel, isPartitioned, isForced, listener);
  }

  /// Returns the files to sort.
  public List<Path> inputs() {
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
    refuseUnusableOutput();
    Path target = OutputPaths.target(output);
    if (!target.equals(output)) {
      return to(target).run();
    }
    try (InputFiles files = new InputFiles(inputs, order.format())) {
      RecordCode code = RecordCode.of(order, files.records());
      SortPlan plan = plan(files, code);
      files.cut(plan.readBytes());
      Splitters splitters = sample(files, code, plan);
      try (TemporaryFolder folder = new TemporaryFolder(output)) {
        OutputPaths.refuseIrreplaceable(output, folder.resolve("probe"));
        return run(started, files, plan, code, splitters, folder);
      }
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
    SortPlan.Demand demand =
        new SortPlan.Demand(
            sorted, bytes, memoryBytes, parallel, files.waitForDisk(), Heap.ofProcess());
    // Twice the records and what a plan needs besides, of large ones some more: beyond that it
    // would be the same.
    long records = Math.max(SPARE_BYTES, 2 * Math.min(memoryBytes, bytes));
    long least = Math.min(memoryBytes, SortPlan.least(demand.withMemory(1)));
    long most = mostMemoryBytes(least, Math.max(least, Math.min(memoryBytes, records)));
    return SortPlan.make(demand.withMemory(Math.min(memoryBytes, most)), most);
  }

  private SortJob to(Path target) {
    return new SortJob(
        inputs, target, order, memoryBytes, parallel, isPartitioned, isForced, progress);
  }

  private void refuseUnusableOutput() throws SortException {
    OutputPaths.refuseInput(output, inputs);
    if (isPartitioned && Files.exists(output)) {
      throw new SortException(
          SortException.Kind.OUTPUT,
          output + " exists: delete it first, or name a new folder for the partitions");
    }
    OutputPaths.refuseUnusable(output);
  }

  private Result run(
      long started,
      InputFiles files,
      SortPlan plan,
      @Nullable RecordCode code,
      Splitters splitters,
      TemporaryFolder folder)
      throws SortException, InterruptedException {
    long sampled = System.nanoTime();
    SortRun run;
    UInt128 checksum;
    long sorted;
    try (OutputFile shared = openOutput(folder, files.bytes())) {
      run = new SortRun(order, code, plan, files, splitters, folder, shared, isForced, progress);
      await(
          Flow.named("sort")
              .source("partition", () -> new PartitionSource(run), plan.partitioners())
              .reservoir(Reservoir.routed().withWindow(plan.window()))
              .stage("sort", () -> new SortModule(run), plan.sorters())
              .build()
              .start());
      checksum = run.checksum();
      if (shared != null && run.keptRecords() < files.records()) {
        run.closeGaps(shared);
      }
      sorted = System.nanoTime();
      if (shared != null && isForced) {
        progress.report(Progress.Phase.SYNC, 0, files.bytes());
        shared.force();
      }
    }
    progress.report(Progress.Phase.SYNC, files.bytes(), files.bytes());
    publish(folder); // last: what is published is no failure any more
    long ended = System.nanoTime();
    return new Result(
        files.records(),
        run.keptRecords(),
        files.bytes(),
        checksum,
        isPartitioned ? plan.sorters() : 1,
        run.spilledBytes() > 0 ? 2 : 1,
        run.spilledBytes(),
        run.peakBytes(),
        Duration.ofNanos(ended - started),
        Duration.ofNanos(sampled - started),
        Duration.ofNanos(run.sortStartedNanos() - sampled),
        Duration.ofNanos(sorted - run.sortStartedNanos()),
        Duration.ofNanos(ended - sorted));
  }

  /// Returns the one file that all sorters write to; null for partitions.
  private @Nullable OutputFile openOutput(TemporaryFolder folder, long bytes) throws SortException {
    Path path = folder.resolve(TemporaryFolder.OUTPUT);
    if (!isPartitioned) {
      return new OutputFile(path, bytes);
    }
    try {
      Files.createDirectory(path);
      return null;
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  private void publish(TemporaryFolder folder) throws SortException {
    if (isPartitioned && isForced) {
      Path made = folder.resolve(TemporaryFolder.OUTPUT);
      TemporaryFolder.forceFolder(made, made);
    }
    folder.publish(TemporaryFolder.OUTPUT, output, isForced);
  }

  /// Waits for a flow of this package's modules.
  static void await(FlowRun flow) throws SortException, InterruptedException {
    try {
      flow.await();
    } catch (FlowException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      flow.cancel();
      awaitEnd(flow);
      throw e;
    }
  }

  /// The files may be closed and deleted only when no module uses them any more.
  private static void awaitEnd(FlowRun flow) {
    boolean interrupted = false;
    while (!flow.isDone()) {
      try {
        flow.await();
      } catch (FlowException | CancellationException e) {
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static SortException failure(FlowException failed) {
    return switch (failed.getCause()) {
      case SortException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null -> throw new IllegalStateException(failed);
      default -> throw new IllegalStateException(failed.getCause());
    };
  }
}
