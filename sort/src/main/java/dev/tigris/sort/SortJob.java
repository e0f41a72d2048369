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
/// given memory (Welsh and Culler 2000, section 5). What does not fit memory goes to temporary
/// files beside the output.
///
/// ```java
/// SortJob.Result result =
///     SortJob.of(List.of(Path.of("input")), Path.of("sorted")).memory(1 << 30).run();
/// ```
///
/// The output appears under its name only when it is complete and, unless [#unforced], on the disk;
/// its records are the input's, which a checksum over both confirms. An existing file is replaced
/// at that moment; a symbolic link stays, and what it leads to is replaced. No records at all sort
/// to an empty file. Records with equal keys come in no particular order.
///
/// Does not change: each method that names an option returns a changed copy.
public final class SortJob {
  /// How much memory is used unless something else is asked for, or the machine has too little.
  public static final long DEFAULT_MEMORY_BYTES = 2L << 30;

  /// So much of the process's budget is left for what is not in the plan.
  private static final long SPARE_BYTES = 128 << 20;

  /// The waits for the collector double up to this: a tenth of a second in all.
  private static final int MOST_WAIT_MILLIS = 64;

  /// The result. Later versions may have more components: read them by their methods.
  ///
  /// @param records how many records were sorted
  /// @param bytes how many bytes they have
  /// @param checksum the sum of their CRC-32
  /// @param files how many files were written
  /// @param passes how often the data went over the disk: 1, or 2 if some of it was spilled
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
  private final RecordFormat format;
  private final long memoryBytes;
  private final int parallel;
  private final boolean isPartitioned;
  private final boolean isForced;
  private final Progress progress;

  private SortJob(
      List<Path> inputs,
      Path output,
      RecordFormat format,
      long memoryBytes,
      int parallel,
      boolean isPartitioned,
      boolean isForced,
      Progress progress) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("at least 1 file is needed");
    }
    if (memoryBytes < 1) {
      throw new IllegalArgumentException("memory is needed, not " + memoryBytes + " bytes");
    }
    if (parallel < 1) {
      throw new IllegalArgumentException("at least 1 thread is needed, not " + parallel);
    }
    this.inputs = List.copyOf(inputs);
    this.output = Objects.requireNonNull(output, "output");
    this.format = Objects.requireNonNull(format, "format");
    this.memoryBytes = memoryBytes;
    this.parallel = parallel;
    this.isPartitioned = isPartitioned;
    this.isForced = isForced;
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  /// Sorts gensort's records to one file, with the default memory and all processors.
  ///
  /// @throws IllegalArgumentException if there are no inputs
  @CheckReturnValue
  public static SortJob of(List<Path> inputs, Path output) {
    int processors = Runtime.getRuntime().availableProcessors();
    long memory = Math.min(DEFAULT_MEMORY_BYTES, Jbuf.use().budgetBytes() / 3 * 2);
    return new SortJob(
        inputs, output, RecordFormat.GENSORT, memory, processors, false, true, Progress.NONE);
  }

  /// More would be refused in the middle of the sort. What waits for the collector, or was dropped,
  /// comes back if nobody holds it, which only the collector knows: where the rest is less than
  /// wanted, it is asked, and given a moment. What was dropped does not say that it waits, and is
  /// asked for once, where there is less than it takes to sort at all.
  private static long mostMemoryBytes(long least, long wanted) throws InterruptedException {
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

  /// Returns a copy for other records.
  @CheckReturnValue
  public SortJob format(RecordFormat records) {
    return new SortJob(
        inputs, output, records, memoryBytes, parallel, isPartitioned, isForced, progress);
  }

  /// Returns a copy with another memory for records. Less is used if the process may not use so
  /// much, or if the input needs less.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public SortJob memory(long bytes) {
    return new SortJob(inputs, output, format, bytes, parallel, isPartitioned, isForced, progress);
  }

  /// Returns a copy with another number of processors, used if the memory is enough for all.
  ///
  /// @throws IllegalArgumentException if it is not at least 1
  @CheckReturnValue
  public SortJob parallel(int processors) {
    return new SortJob(
        inputs, output, format, memoryBytes, processors, isPartitioned, isForced, progress);
  }

  /// Returns a copy that writes a new folder of files `part-0000`, `part-0001`, ..., instead of one
  /// file. Their concatenation is sorted.
  @CheckReturnValue
  public SortJob partitioned() {
    return new SortJob(inputs, output, format, memoryBytes, parallel, true, isForced, progress);
  }

  /// Returns a copy that does not force the output to the disk: a loss of power may damage it.
  @CheckReturnValue
  public SortJob unforced() {
    return new SortJob(
        inputs, output, format, memoryBytes, parallel, isPartitioned, false, progress);
  }

  /// Returns a copy with a listener that hears how far it is.
  @CheckReturnValue
  public SortJob progress(Progress listener) {
    return new SortJob(
        inputs, output, format, memoryBytes, parallel, isPartitioned, isForced, listener);
  }

  /// The files to sort.
  public List<Path> inputs() {
    return inputs;
  }

  /// The file, or the folder of partitions, to write.
  public Path output() {
    return output;
  }

  /// Returns the format of the records.
  public RecordFormat format() {
    return format;
  }

  /// How much memory is used for records; less if the process may not use so much.
  public long memoryBytes() {
    return memoryBytes;
  }

  /// How many processors are used, if the memory is enough for all.
  public int parallel() {
    return parallel;
  }

  /// Whether a folder of partitions is written, instead of one file.
  public boolean isPartitioned() {
    return isPartitioned;
  }

  /// Whether the output is forced to the disk before it appears.
  public boolean isForced() {
    return isForced;
  }

  @Override
  public String toString() {
    return "SortJob[%s to %s, %s]".formatted(inputs, output, format);
  }

  /// Sorts. Whatever goes wrong, nothing appears under the output's name, what was there before
  /// stays, and temporary files are deleted.
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
    try (InputFiles files = new InputFiles(inputs, format)) {
      SortPlan plan = plan(files);
      files.cut(plan.readBytes());
      Splitters splitters = Sampler.sample(files, format, plan.buckets(), progress);
      try (TemporaryFolder folder = new TemporaryFolder(output)) {
        OutputPaths.refuseIrreplaceable(output, folder.resolve("probe"));
        return run(started, files, plan, splitters, folder);
      }
    } catch (SortException e) {
      throw e.unlessInterrupted();
    } catch (MemoryBudgetException e) {
      throw new SortException(
          SortException.Kind.MEMORY,
          ("the process may not use as much memory as this sort: %s. Or give the sort less: memory(),"
                  + " or --memory of the command")
              .formatted(e.getMessage()),
          e);
    }
  }

  private SortPlan plan(InputFiles files) throws SortException, InterruptedException {
    SortPlan.Demand demand =
        new SortPlan.Demand(
            format, files.bytes(), memoryBytes, parallel, files.waitForDisk(), Heap.ofProcess());
    // Twice the records and what a plan needs besides, of large ones some more: beyond that it
    // would be the same.
    long records = Math.max(SPARE_BYTES, 2 * Math.min(memoryBytes, files.bytes()));
    long least = Math.min(memoryBytes, SortPlan.least(demand.withMemory(1)));
    long most = mostMemoryBytes(least, Math.max(least, Math.min(memoryBytes, records)));
    return SortPlan.make(demand.withMemory(Math.min(memoryBytes, most)), most);
  }

  private SortJob to(Path target) {
    return new SortJob(
        inputs, target, format, memoryBytes, parallel, isPartitioned, isForced, progress);
  }

  private void refuseUnusableOutput() throws SortException {
    OutputPaths.refuseInput(output, inputs);
    if (isPartitioned && Files.exists(output)) {
      throw new SortException(
          SortException.Kind.OUTPUT,
          output + " exists: delete it first, or name another folder for the partitions");
    }
    OutputPaths.refuseUnusable(output);
  }

  private Result run(
      long started, InputFiles files, SortPlan plan, Splitters splitters, TemporaryFolder folder)
      throws SortException, InterruptedException {
    long sampled = System.nanoTime();
    SortRun run;
    UInt128 checksum;
    long sorted;
    try (OutputFile shared = openOutput(folder, files.bytes())) {
      run = new SortRun(format, plan, files, splitters, folder, shared, isForced, progress);
      await(
          Flow.named("sort")
              .source("partition", () -> new PartitionSource(run), plan.partitioners())
              .reservoir(Reservoir.routed().withWindow(plan.window()))
              .stage("sort", () -> new SortModule(run), plan.sorters())
              .build()
              .start());
      checksum = run.checksum();
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

  /// The one file that all sorters write to; null for partitions.
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
      TemporaryFolder.forceFolder(folder.resolve(TemporaryFolder.OUTPUT));
    }
    folder.publish(TemporaryFolder.OUTPUT, output);
    if (isForced) {
      TemporaryFolder.forceFolder(OutputPaths.folder(output).toAbsolutePath());
    }
  }

  private static void await(FlowRun flow) throws SortException, InterruptedException {
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
